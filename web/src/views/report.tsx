// Shows the report of a deduplication that has ended: what was removed, or would be, and why.
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import * as calls from '../api/calls';
import { Problem } from '../api/client';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { missingReport } from '../logic/task_report';
import { useApp, useLoad } from '../ui/app_state';
import { HtmlFrame } from '../ui/html_frame';
import { Empty, Loading, ProblemNote } from '../ui/parts';
import { ReportDownloads } from './report_downloads';
import { clustersOf } from './task_card';

export function ReportView(): JSX.Element {
  const { route } = useApp();
  return route.part === null ? (
    <Empty isView title="No report is chosen">
      <p>
        <a href={routeHash('tasks')}>Every deduplication that has ended</a> has a link to its report.
      </p>
    </Empty>
  ) : (
    <ReportOf key={route.part} id={route.part} />
  );
}

function ReportOf({ id }: { id: string }): JSX.Element {
  const { announce } = useApp();
  const known = useLoad(() => calls.task(id), [id]);
  const report = useLoad(async () => (await calls.taskReport(id, 'html')).text(), [id]);
  const task = known.data;
  useEffect(() => {
    if (report.data) announce('The report is shown.');
  }, [report.data]);
  // The reason for a missing report is known once the task is.
  const missing = report.problem && !known.loading ? missingReport(report.problem.body, id, task) : null;
  return (
    <>
      <div class="title with-action report-title">
        <div>
          <p class="crumb">
            <a href={routeHash('tasks', id)}>Tasks</a>
          </p>
          <h1>
            Report on{' '}
            {task ? (
              <a href={routeHash('indexes', task.index)}>
                <bdi>{task.index}</bdi>
              </a>
            ) : (
              <>
                task <bdi>{id}</bdi>
              </>
            )}
          </h1>
          {task && (
            <p class="quiet small">
              Task {task.id}, begun {format.when(task.created_at)}
            </p>
          )}
        </div>
        {task && report.data && (
          <div class="buttons">
            <a class="button small" href={clustersOf(task)}>
              See the clusters
            </a>
            <ReportDownloads task={task} />
          </div>
        )}
      </div>
      {missing && (
        <ProblemNote
          problem={new Problem(missing.body)}
          {...(missing.mayComeLater
            ? {
                again: () => {
                  known.reload();
                  report.reload();
                },
              }
            : {})}
        />
      )}
      {(report.loading || (report.problem && !missing)) && <Loading what="the report" />}
      {report.data && <HtmlFrame title={`Report of task ${id}`} html={report.data} />}
    </>
  );
}
