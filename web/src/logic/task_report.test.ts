import { expect, it } from 'vitest';
import type { ProblemBody, Task } from '../api/types';
import { hasReport, missingReport } from './task_report';

const task = (more: Partial<Task>): Task => ({
  id: '7',
  kind: 'dedup',
  index: 'news',
  status: 'succeeded',
  progress: null,
  created_at: '2026-11-26T08:00:00Z',
  seconds: 1,
  result: { clusters: 1 },
  problem: null,
  ...more,
});
const problem = (status: number, code = 'no_report'): ProblemBody => ({ status, code, title: 'T', detail: 'd' });

it('knows which tasks have a report', () => {
  expect(hasReport(task({}))).toBe(true);
  expect(hasReport(task({ status: 'canceled' }))).toBe(true);
  expect(hasReport(task({ status: 'processing' }))).toBe(false);
  expect(hasReport(task({ kind: 'verify' }))).toBe(false);
  expect(hasReport(task({ status: 'failed', problem: problem(409, 'guard_rail') }))).toBe(true);
  expect(hasReport(task({ status: 'failed', result: null }))).toBe(false);
});

it('says why a report is missing', () => {
  const titleOf = (status: number, one: Task | null): string => missingReport(problem(status), '7', one).body.title;
  expect(titleOf(404, null)).toBe('No such task');
  expect(titleOf(409, task({ status: 'processing' }))).toBe('No report yet');
  expect(titleOf(409, task({ status: 'canceled', result: null }))).toBe('No report');
  expect(titleOf(409, task({ kind: 'compact' }))).toBe('No report');
  expect(titleOf(404, task({}))).toBe('The report is no longer stored');
  expect(missingReport(problem(409), '7', task({ status: 'enqueued' })).mayComeLater).toBe(true);
  // Anything else is what the server says.
  expect(missingReport(problem(503), '7', null)).toEqual({ body: problem(503), mayComeLater: true });
});
