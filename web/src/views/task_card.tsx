// Shows one task: its progress while it runs, then its result and its report.
import type { JSX } from 'preact';
import * as calls from '../api/calls';
import { Problem } from '../api/client';
import type { Task, TaskKind, TaskStatus } from '../api/types';
import * as format from '../logic/format';
import { inWordsOfTheForm } from '../logic/guard_rails';
import { routeHash } from '../logic/routes';
import { hasReport, isRunning } from '../logic/task_report';
import { resultInWords } from '../logic/task_words';
import { useAction, useApp } from '../ui/app_state';
import { ProblemNote } from '../ui/parts';
import { DownloadDocuments } from './download_documents';
import { ReportDownloads } from './report_downloads';

const kKinds: Record<TaskKind, string> = {
  dedup: 'Deduplication',
  verify: 'Verification',
  compact: 'Compaction',
  snapshot: 'Snapshot',
};

const kStatus: Record<TaskStatus, { name: string; look: string }> = {
  enqueued: { name: 'Waiting', look: '' },
  processing: { name: 'Running', look: 'busy' },
  succeeded: { name: 'Succeeded', look: 'good' },
  failed: { name: 'Failed', look: 'bad' },
  canceled: { name: 'Cancelled', look: '' },
};

const kDone: Partial<Record<TaskKind, string>> = {
  verify: 'Every byte has been read, and all of it is sound.',
  compact: 'The index has been written anew.',
};

// A link to the clusters with the threshold and the kind of clusters of the dedup.
export const clustersOf = (task: Task): string =>
  routeHash('clusters', task.index, {
    threshold: task.result ? Number(task.result['threshold']) : null,
    kind: task.result?.['cluster'] === 'components' ? 'components' : null,
  });

// "Deduplication of news: succeeded."
export const endedInWords = (task: Task): string =>
  `${kKinds[task.kind]} of ${task.index}: ${kStatus[task.status].name.toLowerCase()}.`;

export function TaskCard(props: { task: Task; isChosen: boolean; onUpdate: (task: Task) => void }): JSX.Element {
  const { task, onUpdate } = props;
  const { indexes, may } = useApp();
  const action = useAction();
  const running = isRunning(task);
  const cancel = (): Promise<boolean> => action.run(async () => onUpdate(await calls.cancelTask(task.id)));
  const hasRemoved = typeof task.result?.['removed'] === 'number';
  const index = (indexes.data ?? []).find((one) => one.name === task.index && one.keep_documents);
  const { name, look } = kStatus[task.status];
  return (
    <article class={props.isChosen ? 'card task chosen' : 'card task'}>
      <div class="task-head">
        <h2>
          {kKinds[task.kind]} of{' '}
          <a href={routeHash('indexes', task.index)}>
            <bdi>{task.index}</bdi>
          </a>
        </h2>
        <span class={`tag ${look}`}>{name}</span>
      </div>
      <p class="quiet small">
        Task {task.id}, begun {format.when(task.created_at)}
        {typeof task.seconds === 'number' && task.seconds > 0 && `, ${format.seconds(task.seconds)}`}
      </p>
      {running && <Progress task={task} />}
      {task.problem && <ProblemNote problem={new Problem(inWordsOfTheForm(task.problem))} />}
      {task.status === 'succeeded' && kDone[task.kind] && <p class="said">{kDone[task.kind]}</p>}
      {task.status === 'succeeded' && task.kind === 'snapshot' && <Copied name={String(task.result?.['name'])} />}
      {task.result && task.kind === 'dedup' && <Result result={task.result} />}
      <div class="buttons task-foot">
        {running && may('write') && (
          <button type="button" class="button small" disabled={action.busy} onClick={() => void cancel()}>
            Cancel
          </button>
        )}
        {hasReport(task) && (
          <>
            <a class="button small" href={routeHash('report', String(task.id))}>
              Show the report
            </a>
            <a class="button small" href={clustersOf(task)}>
              See the clusters
            </a>
            <ReportDownloads task={task} />
            {hasRemoved && index && <DownloadDocuments index={index} isSmall />}
          </>
        )}
      </div>
      <ProblemNote problem={action.problem} />
    </article>
  );
}

const Copied = ({ name }: { name: string }): JSX.Element => (
  <p class="said">
    The snapshot has been checked, and is the folder <code>.snapshots/{name}</code> of the server. It is in no list of
    indexes. To have it served, move that folder to the folder of the indexes of this server or of another one, and
    restart that server: its name becomes the name of the index.
  </p>
);

function Progress({ task }: { task: Task }): JSX.Element {
  const { done = 0, total = 0 } = task.progress ?? {};
  return (
    <>
      <progress {...(total > 0 ? { max: total, value: done } : {})} aria-label={`Progress of task ${task.id}`} />
      {total > 0 && (
        <p class="quiet small">
          {format.count(done)} of {format.count(total)}
        </p>
      )}
    </>
  );
}

function Result({ result }: { result: Record<string, unknown> }): JSX.Element {
  return (
    <dl class="task-result">
      {resultInWords(result).map(({ words, value }) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
