// Shows the clusters of an index, their keepers, and what people have decided about them.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Cluster, ClusterKind } from '../api/types';
import { filtered, idsOf, sizeOf, sorted, type ClusterSort } from '../logic/clusters';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { go, inIndex, settle, useApp, useLoad, useSettled, type InIndex } from '../ui/app_state';
import { ClusterChoice, clusterKind } from '../ui/cluster_choice';
import { IndexPicker, Empty, Loading, ProblemNote, Slider } from '../ui/parts';
import { ClusterDetail } from './cluster_detail';
import { DecisionList } from './decision_list';

const kMost = 1000;

export const ClustersView = inIndex(ClustersOf);

function ClustersOf({ index, all }: InIndex): JSX.Element {
  const { route, announce } = useApp();
  const { name, schema } = index;
  const [threshold, setThreshold] = useState(Number(route.values['threshold'] ?? schema.min_threshold));
  // A slider fires at each step, and a question to a whole index is slow.
  const asked = useSettled(threshold, 350);
  const [kind, setKind] = useState<ClusterKind>(clusterKind(route.values['kind']));
  const [sort, setSort] = useState<ClusterSort>('size');
  const [words, setWords] = useState('');
  // Kept here, because the detail is created again after a change, and the message about it must stay.
  const [isConflict, setConflict] = useState(false);
  const [chosen, setChosen] = useState<string | null>(route.values['cluster'] ?? null);
  const loaded = useLoad(
    () =>
      calls.clusters(name, {
        threshold: asked,
        cluster: kind,
        limit: kMost,
        sort,
        ...(asked < schema.min_threshold ? { allow_low_recall: true } : {}),
      }),
    [name, asked, kind, index.documents],
  );
  const decisions = useLoad(() => calls.decisions(name), [name]);
  const found = loaded.data?.clusters ?? [];
  const shown = sorted(filtered(found, words), sort);
  // Found by any of its members, since the cluster may have a new keeper.
  const current =
    (chosen === null ? undefined : found.find((cluster) => idsOf(cluster).includes(chosen))) ?? shown[0] ?? null;
  useEffect(() => {
    if (loaded.data) announce(`${format.counted(loaded.data.clusters.length, 'cluster')} at ${asked.toFixed(2)}.`);
  }, [loaded.data]);
  useEffect(
    () =>
      settle(routeHash('clusters', name, { threshold: asked, kind: kind === 'leader' ? null : kind, cluster: chosen })),
    [asked, kind, chosen],
  );
  const reload = (): void => {
    loaded.reload();
    decisions.reload();
  };
  return (
    <>
      <div class="title">
        <h1>Clusters</h1>
        <p class="quiet">
          One document of each cluster is its keeper. The others are similar to it
          {kind === 'leader' ? '' : ', or to others that are'}, and would be removed by a deduplication.
        </p>
      </div>
      <div class="panel cluster-controls">
        <IndexPicker all={all} value={name} onChange={(other) => go(routeHash('clusters', other))} />
        <Slider label="Threshold" value={threshold} min={0.05} max={1} onInput={setThreshold} />
        <ClusterChoice label="In a cluster is" value={kind} onChange={setKind} />
      </div>
      <ProblemNote problem={loaded.problem} again={loaded.reload} />
      {loaded.loading && !loaded.data && <Loading what="the clusters" />}
      {loaded.data && found.length === 0 && (
        <Empty title="No two documents are similar">
          <p>
            Of {format.counted(index.documents, 'document')} no two reach {asked.toFixed(2)}. Lower the threshold, or{' '}
            <a href={routeHash('indexes', name)}>add documents</a>.
          </p>
        </Empty>
      )}
      {loaded.data && found.length > 0 && (
        <div class="cluster-split">
          <section class="panel cluster-side" aria-label="All clusters">
            <div class="cluster-filter">
              <div class="field">
                <label for="cluster-words">Filter by id</label>
                <input
                  id="cluster-words"
                  type="search"
                  value={words}
                  onInput={(event) => setWords(event.currentTarget.value)}
                />
              </div>
              <div class="field">
                <label for="cluster-sort">Sort by</label>
                <select
                  id="cluster-sort"
                  value={sort}
                  onChange={(event) => setSort(event.currentTarget.value as ClusterSort)}
                >
                  <option value="size">size</option>
                  <option value="weakest">weakest</option>
                  <option value="keeper">keeper</option>
                </select>
              </div>
            </div>
            <p class="quiet small">
              {format.counted(shown.length, 'cluster')}
              {loaded.data.summary?.truncated ? `, the first ${kMost} of more` : ''}
              {loaded.data.summary ? `, ${format.counted(loaded.data.summary.pairs, 'similar pair')}` : ''}
            </p>
            <ClusterList
              clusters={shown}
              current={current}
              onChoose={(cluster) => {
                setConflict(false);
                setChosen(cluster.keeper);
              }}
            />
          </section>
          {current && (
            <ClusterDetail
              key={`${current.keeper} ${current.decision?.etag ?? ''} ${sizeOf(current)}`}
              index={index}
              cluster={current}
              threshold={asked}
              isConflict={isConflict}
              onDecided={(keeper) => {
                setConflict(false);
                setChosen(keeper);
                reload();
              }}
              onConflict={() => {
                setConflict(true);
                setChosen(current.keeper);
                reload();
              }}
            />
          )}
        </div>
      )}
      <DecisionList index={index} decisions={decisions} onChange={reload} />
    </>
  );
}

function ClusterList(props: {
  clusters: Cluster[];
  current: Cluster | null;
  onChoose: (cluster: Cluster) => void;
}): JSX.Element {
  if (props.clusters.length === 0) return <p class="quiet">No cluster has such an id in it.</p>;
  return (
    <ul class="cluster-list">
      {props.clusters.map((cluster) => (
        <li key={cluster.keeper}>
          <button type="button" aria-pressed={cluster === props.current} onClick={() => props.onChoose(cluster)}>
            <span class="id">{cluster.keeper}</span>
            <span class="cluster-size">{format.count(sizeOf(cluster))}</span>
            <span class="quiet small">
              {format.counted(sizeOf(cluster), 'document')}, weakest {format.score(cluster.weakest)}
              {cluster.decision ? ', decided' : ''}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
