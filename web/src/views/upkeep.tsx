// Offers the maintenance of an index: verify, compact, snapshot, delete.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Index, Stats, Upkeep } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { go, useAction, useApp, useLoad } from '../ui/app_state';
import { TypedConfirmation } from '../ui/dialog';
import { ProblemNote } from '../ui/parts';

type Kind = 'verify' | 'compact' | 'snapshot';

const kWork: readonly { kind: Kind; name: string; does: string }[] = [
  { kind: 'verify', name: 'Verify', does: 'Reads every byte and says whether it is sound.' },
  { kind: 'compact', name: 'Compact', does: 'Writes it anew without what was removed.' },
  { kind: 'snapshot', name: 'Snapshot', does: 'Keeps it as it is at this moment.' },
];

export function UpkeepPanel({ index, stats }: { index: Index; stats: Stats | null }): JSX.Element {
  const { announce, may } = useApp();
  const action = useAction();
  const start = (kind: Kind): Promise<boolean> =>
    action.run(async (isLast) => {
      const task = await calls.startUpkeep(index.name, kind);
      announce(`The task has begun: ${kind}.`);
      if (isLast()) go(routeHash('tasks', String(task.id)));
    });
  return (
    <section class="panel" aria-labelledby="upkeep">
      <h2 id="upkeep">Upkeep</h2>
      <LastVerify stats={stats} />
      {stats?.upkeep && <InBackground upkeep={stats.upkeep} />}
      {may('admin') && (
        <dl class="upkeep">
          {kWork.map(({ kind, name, does }) => (
            <div key={kind}>
              <dt>
                <button type="button" class="button" disabled={action.busy} onClick={() => void start(kind)}>
                  {name}
                </button>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
          <Delete index={index} />
        </dl>
      )}
      <ProblemNote problem={action.problem} />
    </section>
  );
}

function Delete({ index }: { index: Index }): JSX.Element {
  const { indexes, announce } = useApp();
  const action = useAction();
  const [isAsked, setAsked] = useState(false);
  const remove = (): Promise<boolean> =>
    action.run(async (isLast) => {
      setAsked(false);
      await calls.deleteIndex(index.name);
      announce(`The index ${index.name} has been deleted.`);
      if (isLast()) go('#/indexes');
      indexes.reload();
    });
  return (
    <div>
      <dt>
        <button type="button" class="button danger-outline" disabled={action.busy} onClick={() => setAsked(true)}>
          Delete …
        </button>
      </dt>
      <dd>
        Takes the index and its documents away for good.
        <ProblemNote problem={action.problem} />
        {isAsked && (
          <TypedConfirmation
            title={`Delete ${index.name}?`}
            word={index.name}
            action="Delete the index"
            onClose={() => setAsked(false)}
            onConfirm={() => void remove()}
          >
            <WhatIsDeleted name={index.name} />
          </TypedConfirmation>
        )}
      </dd>
    </div>
  );
}

// Counted when the dialog opens: other programs may have added documents since the list of indexes was read. Those of an
// index that cannot be opened cannot be counted.
function WhatIsDeleted({ name }: { name: string }): JSX.Element {
  const { data, loading } = useLoad(() => calls.index(name), [name]);
  const all =
    data?.state === 'ready' ? format.counted(data.documents, 'document') : loading ? 'Its documents' : 'All documents';
  return (
    <p>{all} and all decisions about them are removed with it. This cannot be undone, unless there is a snapshot.</p>
  );
}

function LastVerify({ stats }: { stats: Stats | null }): JSX.Element {
  const last = stats?.last_verify;
  if (!last) return <p class="quiet">It has not been verified yet.</p>;
  return last.ok ? (
    <p>
      <span class="tag good">Sound</span> Verified {format.when(last.at)}.
    </p>
  ) : (
    <p>
      <span class="tag bad">Unsound</span> {last.problem ?? 'The last verification found damage.'} (
      {format.when(last.at)})
    </p>
  );
}

function InBackground({ upkeep }: { upkeep: Upkeep }): JSX.Element {
  const { merges_running: running, stalls, stalled_writers: waiting, failures } = upkeep;
  return (
    <p class="quiet">
      Since the start: {format.counted(upkeep.flushes, 'flush', 'flushes')}, {format.counted(upkeep.merges, 'merge')}
      {running > 0 && `, another one of ${format.bytes(upkeep.merging_bytes)} under way`}.
      {stalls > 0 &&
        ` Writers have waited for them ${format.counted(stalls, 'time')}, ${format.seconds(upkeep.stall_seconds)} together, ${format.seconds(upkeep.longest_stall_seconds)} at most.`}
      {waiting > 0 && ` ${format.counted(waiting, 'writer')} waiting now.`}
      {failures > 0 && ` ${format.counted(failures, 'try', 'tries')} failed.`}
    </p>
  );
}
