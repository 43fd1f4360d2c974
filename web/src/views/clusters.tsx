// Shows the clusters of an index: what differs in them, and what people decide about them.
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Cluster, ClusterKind } from '../api/types';
import {
  clusterSort,
  countSentence,
  countsOf,
  currentOf,
  filtered,
  hasDocument,
  needsOthers,
  noneSentence,
  sorted,
  type ClusterSort,
} from '../logic/clusters';
import * as format from '../logic/format';
import type { Verdict } from '../logic/review';
import { routeHash } from '../logic/routes';
import { go, inIndex, settle, useApp, useLoad, useSettled, type InIndex } from '../ui/app_state';
import { ClusterChoice, clusterKind, kindIn } from '../ui/cluster_choice';
import { KeyHelp, useKeys } from '../ui/keys';
import { Id, IndexPicker, Empty, Loading, ProblemNote, Slider } from '../ui/parts';
import { ClusterDetail } from './cluster_detail';
import { ClusterList } from './cluster_list';
import { DecisionBar } from './decision_bar';
import { DecisionList } from './decision_list';
import { useReview } from './review';

const kMost = 1000;

const kMoves = [
  { keys: ['←', '→'], does: 'document' },
  { keys: ['Shift ←', 'Shift →'], does: 'cluster' },
];
const kDecides = [
  { keys: ['K'], does: 'keep this one' },
  { keys: ['R'], does: 'remove' },
  { keys: ['N'], does: 'not a copy' },
  { keys: ['U'], does: 'undo' },
];

export const ClustersView = inIndex(ClustersOf);

function ClustersOf({ index, all }: InIndex): JSX.Element {
  const { route, announce, may } = useApp();
  const { name, schema } = index;
  const [threshold, setThreshold] = useState(Number(route.values['threshold'] ?? schema.min_threshold));
  // A slider fires at each step, and a question to a whole index is slow.
  const asked = useSettled(threshold, 350);
  const [chosenKind, setKind] = useState<ClusterKind>(clusterKind(route.values['kind']));
  const kind = kindIn(schema, chosenKind);
  const [sort, setSort] = useState<ClusterSort>(clusterSort(route.values['sort']));
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState<string | null>(route.values['cluster'] ?? null);
  // Whether only the cluster of the chosen document may be shown. After a verdict that takes it out of its cluster, or
  // takes that apart, the next cluster is shown.
  const [isNamed, setNamed] = useState(true);
  const [member, setMember] = useState<string | null>(null);
  // Set when a key has led to a document, which then gets the focus.
  const wantsFocus = useRef(false);
  const [, setFocusTurn] = useState(0);
  const loaded = useLoad(async () => {
    // Before the clusters, so that a decision that comes in between is seen to be missing.
    const known = await calls.decisions(name).catch(() => null);
    const answer = await calls.clusters(name, {
      threshold: asked,
      cluster: kind,
      limit: kMost,
      sort,
      ...(asked < schema.min_threshold ? { allow_low_recall: true } : {}),
    });
    return { ...answer, sort, decisions: known };
  }, [name, asked, kind, index.documents]);
  // The order is not a dependency, since a question to a whole index is slow, and most answers have all clusters.
  const isOther = needsOthers(loaded.data, sort);
  useEffect(() => {
    if (isOther) loaded.reload();
  }, [isOther, sort]);
  const decisions = useLoad(() => calls.decisions(name), [name]);
  const found = loaded.data?.clusters ?? [];
  const shown = isOther ? [] : sorted(filtered(found, words), sort);
  const place = useRef(0);
  const isMissing = isNamed && chosen !== null && !hasDocument(found, chosen);
  const current = isMissing ? null : currentOf(shown, chosen, place.current);
  if (current) place.current = shown.indexOf(current);
  const ids = current?.members.map((one) => one.id) ?? [];
  const at = member !== null && ids.includes(member) ? member : (ids[0] ?? '');

  const reload = (clustersToo = true): void => {
    if (clustersToo) loaded.reload();
    decisions.reload();
  };
  const look = (cluster: Cluster | undefined, one: string | null): void => {
    if (!cluster) return;
    setChosen(cluster.keeper);
    setNamed(true);
    setMember(one);
  };
  const withFocus = (did: boolean): void => {
    wantsFocus.current = did;
    setFocusTurn((old) => old + 1);
  };
  const review = useReview(index, decisions, loaded, reload, (id) => {
    setChosen(id);
    setNamed(false);
    setMember(id);
    withFocus(true);
  });
  useEffect(() => {
    if (review.refusals.length > 0) setNamed(true);
  }, [review.refusals]);
  const decide = (id: string, verdict: Verdict): void => {
    if (!current || !may('write')) return;
    review.decide(current, id, verdict);
    // The cluster keeps its place when it has another keeper.
    setChosen(verdict === 'keep' ? id : current.keeper);
    setNamed(verdict === 'remove');
    const next = ids[ids.indexOf(id) + 1];
    setMember(verdict === 'keep' || next === undefined ? id : next);
    // The card with the button that was pressed will be gone.
    if (verdict !== 'remove') withFocus(true);
  };
  const moveToCluster = (step: number, end: 'first' | 'last' = 'first'): boolean => {
    const next = shown[current ? place.current + step : Math.min(place.current, shown.length - 1)];
    if (!next) {
      announce(step > 0 ? 'This is the last cluster.' : 'This is the first cluster.');
      return false;
    }
    look(next, (end === 'last' ? next.members.at(-1) : next.members[0])?.id ?? null);
    return true;
  };
  const move = (step: number): boolean => {
    const next = ids[ids.indexOf(at) + step];
    if (next === undefined) return moveToCluster(step, step > 0 ? 'first' : 'last');
    look(current ?? undefined, next);
    return true;
  };
  const said = (verdict: Verdict) => (): void => {
    if (at === '') return;
    decide(at, verdict);
    withFocus(true);
  };
  const keys = useKeys({
    ArrowRight: () => withFocus(move(1)),
    ArrowLeft: () => withFocus(move(-1)),
    'Shift+ArrowRight': () => withFocus(moveToCluster(1)),
    'Shift+ArrowLeft': () => withFocus(moveToCluster(-1)),
    ...(may('write') ? { k: said('keep'), r: said('remove'), n: said('apart'), u: review.undo } : {}),
  });

  const counts = loaded.data && countsOf(loaded.data);
  useEffect(() => {
    if (counts) announce(`${format.counted(counts.all, 'cluster')} at ${format.threshold(asked)}.`);
  }, [counts?.all, asked]);
  useEffect(
    () =>
      settle(
        routeHash('clusters', name, {
          threshold: asked,
          kind: kind === 'leader' ? null : kind,
          sort: sort === 'size' ? null : sort,
          cluster: chosen,
        }),
      ),
    [asked, kind, sort, chosen],
  );
  const areSetApart = review.decisions.some((one) => one.not_duplicates);
  return (
    <>
      <div class="title with-action">
        <div>
          <h1>Clusters</h1>
          <p class="quiet">
            One document of each cluster is its keeper. The others are{' '}
            {schema.measure === 'containment' ? 'contained in it' : 'similar to it'}
            {kind === 'leader' ? '' : ', or to others that are'}, and would be removed by a deduplication.
          </p>
        </div>
        {found.length > 0 && may('write') && (
          <a class="button" href={routeHash('tasks', null, { index: name, threshold: asked, kind })}>
            Deduplicate …
          </a>
        )}
      </div>
      <div class="panel cluster-controls">
        <IndexPicker all={all} value={name} onChange={(other) => go(routeHash('clusters', other))} />
        <Slider label="Threshold" value={threshold} min={0.05} max={1} onInput={setThreshold} />
        <ClusterChoice schema={schema} label="In a cluster is" value={kind} onChange={setKind} />
      </div>
      <ProblemNote problem={loaded.problem} again={loaded.reload} />
      {loaded.loading && !loaded.data && <Loading what="the clusters" />}
      {loaded.data && found.length === 0 && (
        <Empty title={areSetApart ? 'There are no clusters' : 'No two documents are similar'}>
          <p>
            Of {format.counted(index.documents, 'document')} no two reach {format.threshold(asked)}
            {areSetApart ? ', except those that decisions set apart' : ''}. Lower the threshold, or{' '}
            <a href={routeHash('indexes', name)}>add documents</a>.
          </p>
        </Empty>
      )}
      {counts && found.length > 0 && (
        <div class="cluster-split">
          <section class="panel cluster-side" aria-label="All clusters">
            <div class="cluster-filter">
              <div class="field">
                <label for="cluster-words">Filter by id</label>
                <input
                  id="cluster-words"
                  type="search"
                  dir="auto"
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
            {isOther ? (
              <Loading what="the clusters" />
            ) : (
              <>
                <p class="quiet small">
                  {countSentence(counts, words.trim() === '' ? null : shown.length)}
                  {loaded.data?.summary ? `, ${format.counted(loaded.data.summary.pairs, 'similar pair')}` : ''}
                </p>
                <ClusterList
                  index={index}
                  clusters={shown}
                  threshold={asked}
                  decisions={review.decisions}
                  none={noneSentence(counts)}
                  current={current}
                  onChoose={(cluster) => look(cluster, null)}
                />
              </>
            )}
          </section>
          <div class="cluster-main">
            <KeyHelp {...keys} keys={may('write') ? [...kMoves, ...kDecides] : kMoves} />
            {isMissing && !isOther && (
              <p class="note">
                {counts.all > counts.first ? (
                  <>
                    The cluster of <Id>{chosen}</Id> is not among the first {format.count(counts.first)} of{' '}
                    {format.counted(counts.all, 'cluster')}, if it is in one. Sort them by something else, raise the
                    threshold, or choose another one.
                  </>
                ) : (
                  <>
                    <Id>{chosen}</Id> is in no cluster at {format.threshold(asked)}. Choose a cluster from the list.
                  </>
                )}
              </p>
            )}
            {current && (
              <ClusterDetail
                key={current.keeper}
                index={index}
                cluster={current}
                threshold={asked}
                review={review}
                current={at}
                wantsFocus={wantsFocus}
                onDecide={decide}
              />
            )}
            <DecisionBar review={review} />
          </div>
        </div>
      )}
      {(!loaded.data || found.length === 0) && <DecisionBar review={review} />}
      <DecisionList index={index} decisions={decisions} onChange={reload} />
    </>
  );
}
