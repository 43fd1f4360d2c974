import { expect, it } from 'vitest';
import type { Index, Schema } from '../api/types';
import { foundInWords, workInWords } from './search';

const answer = (matches: number, similar?: number) => ({
  matches: new Array<null>(matches).fill(null),
  ...(similar === undefined ? {} : { work: { candidates: 4000, compared: 2000, similar } }),
});

it('says how many documents reach the threshold, and not only how many are shown', () => {
  expect(foundInWords(answer(10, 1513))).toBe('The 10 most similar of 1\u202f513 documents');
  expect(foundInWords(answer(1, 2))).toBe('The most similar of 2 documents');
  expect(foundInWords(answer(10, 10))).toBe('10 similar documents');
  expect(foundInWords(answer(1))).toBe('1 similar document');
});

it('says how candidates were found', () => {
  const indexOf = (features: string, more: Partial<Schema> = {}): Index =>
    ({ schema: { fields: [{ name: 'a', features, weight: 1 }], ...more } }) as Index;
  const work = { candidates: 12, compared: 3 };
  expect(workInWords(indexOf('text:word2', { bands: '16x6' }), work)).toBe(
    '12 candidates met in a band, 3 of them were compared',
  );
  expect(workInWords(indexOf('text:word2', { measure: 'containment', keys: '0.251/20' }), work)).toBe(
    '12 candidates had a key in common, 3 of them were compared',
  );
  expect(workInWords(indexOf('image:pdq'), { candidates: 1, compared: 1 })).toBe('1 candidate, 1 of them was compared');
});
