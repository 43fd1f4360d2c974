// Shows one index: its numbers, its buckets, and what can be done with it.
import type { JSX } from 'preact';
import * as calls from '../api/calls';
import type { BucketSizes, Index, Stats } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { foundBy, hasBands } from '../logic/schema';
import { useApp, useLoad } from '../ui/app_state';
import { Loading, ProblemNote, ScoreBar, StateTag, Tile, Tiles } from '../ui/parts';
import { AddDocuments } from './add_documents';
import { DownloadDocuments } from './download_documents';
import { UpkeepPanel } from './upkeep';

export function IndexDetail({ index }: { index: Index }): JSX.Element {
  const { indexes, may } = useApp();
  const { name, schema } = index;
  const isReady = index.state === 'ready';
  const stats = useLoad(() => (isReady ? calls.stats(name) : Promise.resolve(null)), [name, isReady, index.documents]);
  return (
    <>
      <div class="title with-action">
        <div>
          <p class="crumb">
            <a href="#/indexes">Indexes</a>
          </p>
          <h1>
            <bdi>{name}</bdi> <StateTag state={index.state} ready />
          </h1>
          <p class="quiet">
            <code>{schema.text}</code>
          </p>
        </div>
        {isReady && (
          <div class="buttons">
            {index.keep_documents && index.documents > 0 && <DownloadDocuments index={index} />}
            <a class="button" href={routeHash('try', name)}>
              Search in it
            </a>
            {index.documents > 1 && (
              <a class="button primary" href={routeHash('clusters', name)}>
                See the clusters
              </a>
            )}
          </div>
        )}
      </div>
      {index.problem && <p class="note note-problem">{index.problem}</p>}
      <ProblemNote problem={stats.problem} again={stats.reload} />
      {stats.loading && !stats.data && <Loading what="its numbers" />}
      {stats.data && <Problems stats={stats.data} />}
      {stats.data && <Numbers index={index} stats={stats.data} />}
      <div class="two">
        {index.documents > 0 && stats.data?.buckets && schema.fields.some(hasBands) && (
          <Buckets
            buckets={stats.data.buckets}
            documents={stats.data.documents}
            agree={schema.keys === undefined ? 'agree in one band' : 'have one key in common'}
          />
        )}
        <div class="stack">
          {isReady && may('write') && <AddDocuments index={index} onDone={indexes.reload} />}
          <UpkeepPanel index={index} stats={stats.data} />
        </div>
      </div>
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
        value={format.threshold(index.schema.min_threshold)}
        label="least threshold"
        note={
          index.schema.fields.some(hasBands)
            ? `${foundBy(index.schema)}, recall ${format.percent(index.schema.recall)}`
            : 'every hash is compared'
        }
      />
    </Tiles>
  );
}

const range = (sizes: BucketSizes): string =>
  sizes.from === sizes.to ? format.count(sizes.from) : `${format.count(sizes.from)} – ${format.count(sizes.to)}`;

function Buckets(props: { buckets: BucketSizes[]; documents: number; agree: string }): JSX.Element {
  const { buckets, documents, agree } = props;
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
            A bucket holds the documents that {agree}; a search looks into one bucket of each.{' '}
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
