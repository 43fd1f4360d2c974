import { expect, it } from 'vitest';
import type { Plan } from '../api/types';
import { isFor } from './planned';

it('a plan is for its own settings only', () => {
  const settings = { threshold: 0.8, recall: 0.99, slots: 128, features: 300 };
  const planned = { settings, plan: {} as Plan };
  expect(isFor(planned, { ...settings })).toBe(true);
  for (const other of [{ threshold: 0.5 }, { recall: 0.9 }, { slots: 256 }, { features: 30 }])
    expect(isFor(planned, { ...settings, ...other })).toBe(false);
});
