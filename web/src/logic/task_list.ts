// Says what the list of tasks has to do when the server gives a newer one.
import type { Task } from '../api/types';
import { isRunning } from './task_report';

// The task whose progress is streamed. Tasks run one after the other, and each stream takes one of the six connections
// that a browser opens to a server. The list is asked for every few seconds, which is enough for tasks that wait.
export const streamedTask = (tasks: readonly Task[]): Task | null =>
  tasks.find((task) => task.status === 'processing') ?? null;

// The tasks that have ended between two lists.
export function endedTasks(before: readonly Task[], now: readonly Task[]): Task[] {
  const ran = new Set(before.filter(isRunning).map((task) => task.id));
  return now.filter((task) => ran.has(task.id) && !isRunning(task));
}
