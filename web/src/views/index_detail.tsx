// Shows one index: its numbers, its buckets, its maintenance.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { BucketSizes, Index, Stats, Upkeep } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { hasBands } from '../logic/schema';
import { go, useAction, useApp, useLoad } from '../ui/app_state';
import { TypedConfirmation } from '../ui/dialog';
import { Loading, ProblemNote, ScoreBar, StateTag, Tile, Tiles } from '../ui/parts';
import { AddFile } from './add_file';

export function IndexDetail({ index }: { index: Index }): JSX.Element {
  const { indexes, announce } = useApp();
  const { name, schema } = index;
  const isReady = index.state === 'ready';
  const stats = useLoad(() => (isReady ? calls.stats(name) : Promise.resolve(null)), [name, index.documents]);
  const action = useAction();
  const [isDeleting, setDeleting] = useState(false);
  const upkeep = (kind: 'verify' | 'compact' | 'snapshot'): Promise<boolean> =>
    action.run(async () => {
      const task = await calls.startUpkeep(name, kind);
      announce(`The task has begun: ${kind}.`);
      go(routeHash('tasks', String(task.id)));
    });
  const remove = (): Promise<boolean> =>
    action.run(async () => {
      setDeleting(false);
      await calls.deleteIndex(name);
      announce(`The index ${name} has been deleted.`);
      go('#/indexes');
      indexes.reload();
    });
  return (
    <>
      <div class="title with-action">
        <div>
          <p class="crumb">
            <a href="#/indexes">Indexes</a>
          </p>
          <h1>
            {name} <StateTag state={index.state} ready />
          </h1>
          <p class="quiet">
            <code>{schema.text}</code>
          </p>
        </div>
        {isReady && (
          <a class="button primary" href={routeHash('try', name)}>
            Search in it
          </a>
        )}
      </div>
      {index.problem && <p class="note note-problem">{index.problem}</p>}
      <ProblemNote problem={stats.problem} again={stats.reload} />
      {stats.loading && !stats.data && <Loading what="its numbers" />}
      {stats.data && <Problems stats={stats.data} />}
      {stats.data && <Numbers index={index} stats={stats.data} />}
      <div class="two">
        {stats.data?.buckets && schema.fields.some(hasBands) && (
          <Buckets buckets={stats.data.buckets} documents={stats.data.documents} />
        )}
        <div class="stack">
          {isReady && <AddFile index={index} onDone={indexes.reload} />}
          <section class="panel" aria-labelledby="upkeep">
            <h2 id="upkeep">Upkeep</h2>
            <LastVerify stats={stats.data} />
            {stats.data?.upkeep && <InBackground upkeep={stats.data.upkeep} />}
            <dl class="upkeep">
              <div>
                <dt>
                  <button type="button" class="button" disabled={action.busy} onClick={() => void upkeep('verify')}>
                    Verify
                  </button>
                </dt>
                <dd>Reads every byte and says whether it is sound.</dd>
              </div>
              <div>
                <dt>
                  <button type="button" class="button" disabled={action.busy} onClick={() => void upkeep('compact')}>
                    Compact
                  </button>
                </dt>
                <dd>Writes it anew without what was removed.</dd>
              </div>
              <div>
                <dt>
                  <button type="button" class="button" disabled={action.busy} onClick={() => void upkeep('snapshot')}>
                    Snapshot
                  </button>
                </dt>
                <dd>Keeps it as it is at this moment.</dd>
              </div>
              <div>
                <dt>
                  <button
                    type="button"
                    class="button danger-outline"
                    disabled={action.busy}
                    onClick={() => setDeleting(true)}
                  >
                    Delete …
                  </button>
                </dt>
                <dd>Takes the index and its documents away for good.</dd>
              </div>
            </dl>
            <ProblemNote problem={action.problem} />
          </section>
        </div>
      </div>
      {isDeleting && (
        <TypedConfirmation
          title={`Delete ${name}?`}
          word={name}
          action="Delete the index"
          onClose={() => setDeleting(false)}
          onConfirm={() => void remove()}
        >
          <p>
            {format.counted(index.documents, 'document')} and all decisions about them are removed with it. This cannot
            be undone, unless there is a snapshot.
          </p>
        </TypedConfirmation>
      )}
    </>
  );
}

function Problems({ stats }: { stats: Stats }): JSX.Element {
  const { maintenance_problem: failing, sample_problem: unread } = stats;
  return (
    <>
      {failing && (
        <p class="note note-problem">
          Since {format.when(failing.at)} segments cannot be written or merged: {failing.problem}. Writing goes on, and
          each write tries again.
        </p>
      )}
      {unread && <p class="note note-problem">The buckets cannot be counted: {unread}.</p>}
    </>
  );
}

function Numbers({ index, stats }: { index: Index; stats: Stats }): JSX.Element {
  const files = stats.segment_bytes + stats.log_bytes;
  return (
    <Tiles>
      <Tile
        value={format.count(stats.documents)}
        label={stats.documents === 1 ? 'document' : 'documents'}
        {...(stats.removed > 0 ? { note: `${format.count(stats.removed)} removed, not yet compacted` } : {})}
      />
      <Tile
        value={format.bytes(files)}
        label="on disk for the index"
        note={`${format.counted(stats.segments, 'segment')}, ${format.bytes(stats.log_bytes)} of log; opened again in about ${format.seconds(stats.restart_seconds)}`}
      />
      {stats.kept ? (
        <Tile
          value={format.bytes(stats.kept.bytes)}
          label="kept documents"
          note={format.counted(stats.kept.documents, 'document')}
        />
      ) : (
        <Tile value="not kept" label="the documents themselves" note="Comparison knows only pasted texts." />
      )}
      <Tile
        value={index.schema.min_threshold.toFixed(2)}
        label="least threshold"
        note={
          index.schema.fields.some(hasBands)
            ? `${index.schema.bands.replace('x', ' bands of ')} rows, recall ${format.percent(index.schema.recall)}`
            : 'every hash is compared'
        }
      />
    </Tiles>
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

const range = (sizes: BucketSizes): string =>
  sizes.from === sizes.to ? format.count(sizes.from) : `${format.count(sizes.from)} – ${format.count(sizes.to)}`;

function Buckets({ buckets, documents }: { buckets: BucketSizes[]; documents: number }): JSX.Element {
  const shown = buckets.slice(0, buckets.findLastIndex((sizes) => sizes.buckets > 0) + 1);
  const most = Math.max(1, ...shown.map((sizes) => sizes.buckets));
  const all = shown.reduce((sum, sizes) => sum + sizes.buckets, 0);
  const alone = shown.find((sizes) => sizes.to === 1)?.buckets ?? 0;
  const largest = shown.at(-1);
  // A logarithmic scale, so that one large bucket among a million is visible.
  const width = (value: number): number => (value === 0 ? 0 : Math.log10(value + 1) / Math.log10(most + 1));
  return (
    <section class="panel" aria-labelledby="buckets">
      <h2 id="buckets">Buckets</h2>
      {all === 0 ? (
        <p class="quiet">
          {documents > 0
            ? 'They have not been counted since documents were added. Look again in a minute.'
            : 'None yet: every document that is added makes one bucket in each band, or joins one.'}
        </p>
      ) : (
        <>
          <p>
            A bucket holds the documents that agree in one band; a search looks into one bucket of each.{' '}
            {format.percent(alone / all)} of about {format.counted(Math.round(all), 'bucket')} hold a single document
            {largest && largest.to > 64
              ? `, and the largest hold ${range(largest)}: searches that meet them take longer. More rows, or dropping common features, makes them smaller.`
              : largest && largest.to > 1
                ? `, and the largest hold ${range(largest)}: searches stay quick.`
                : '.'}
          </p>
          <table class="histogram">
            <caption>
              Buckets by the number of documents in them, counted in a sample (bars on a logarithmic scale)
            </caption>
            <thead>
              <tr>
                <th scope="col">Documents</th>
                <th scope="col" class="number">
                  Buckets
                </th>
                <th scope="col" class="bar-column">
                  <span class="hidden">Bar</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((sizes) => (
                <tr key={sizes.from}>
                  <th scope="row">{range(sizes)}</th>
                  <td class="number">{format.count(sizes.buckets)}</td>
                  <td>
                    <ScoreBar value={width(sizes.buckets)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </>
      )}
    </section>
  );
}
