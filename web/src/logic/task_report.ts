// Says which tasks have a report, and why a report cannot be shown.
import type { ProblemBody, Task } from '../api/types';

export const isRunning = (task: Task): boolean => task.status === 'enqueued' || task.status === 'processing';

// A task that ended early (by a guard rail, canceled, with its server) has a report if it had found its clusters:
// then it has a result, too.
export const hasReport = (task: Task): boolean => task.kind === 'dedup' && !isRunning(task) && task.result !== null;

// The server answers that there is no report. The reason follows from the task, if it is known.
export function missingReport(
  problem: ProblemBody,
  id: string,
  task: Task | null,
): { body: ProblemBody; mayComeLater: boolean } {
  const { status, code } = problem;
  const isMissing = status === 404 || status === 409 || status === 410;
  if (!isMissing) return { body: problem, mayComeLater: true };
  const of = (title: string, detail: string, hint?: string): ProblemBody => ({
    status,
    code,
    title,
    detail,
    ...(hint ? { hint } : {}),
  });
  if (!task) {
    return {
      body: of(
        'No such task',
        `This server does not list a task ${id}.`,
        'It may be an old one: only the latest are kept.',
      ),
      mayComeLater: false,
    };
  }
  if (task.kind !== 'dedup') {
    return { body: of('No report', 'Only a deduplication has a report.'), mayComeLater: false };
  }
  if (isRunning(task)) {
    return {
      body: of('No report yet', 'The deduplication has not ended. Its report can be shown after that.'),
      mayComeLater: true,
    };
  }
  if (!hasReport(task)) {
    return {
      body: of('No report', 'The deduplication ended before it had found its clusters, so it has no report.'),
      mayComeLater: false,
    };
  }
  return {
    body: of(
      'The report is no longer stored',
      'The server stores the reports of the latest deduplications only.',
      'A dry run gives a report on the index as it is now.',
    ),
    mayComeLater: false,
  };
}
