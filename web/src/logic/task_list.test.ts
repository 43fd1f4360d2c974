import { expect, it } from 'vitest';
import type { Task, TaskStatus } from '../api/types';
import { endedTasks, streamedTask } from './task_list';

const listOf = (...statuses: TaskStatus[]): Task[] =>
  statuses.map((status, id) => ({
    id,
    kind: 'dedup',
    index: 'news',
    status,
    progress: null,
    created_at: '2026-11-26T08:00:00Z',
    seconds: null,
    result: null,
    problem: null,
  }));

it('streams one task at most, the one that is processed', () => {
  expect(streamedTask(listOf('enqueued', 'enqueued', 'processing', 'processing', 'succeeded'))?.id).toBe(2);
  expect(streamedTask(listOf('enqueued', 'enqueued', 'canceled'))).toBeNull();
});

it('says which tasks have ended since', () => {
  const ended = endedTasks(
    listOf('enqueued', 'processing', 'processing', 'enqueued', 'failed'),
    listOf('canceled', 'processing', 'succeeded', 'failed', 'failed', 'succeeded'),
  );
  expect(ended.map((task) => task.id)).toEqual([0, 2, 3]);
});
