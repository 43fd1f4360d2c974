// Lists clusters, each with the first thing that differs in it.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { keptTurn } from '../api/kept';
import type { Cluster, Decision, Index } from '../api/types';
import { sizeOf, weakestOf } from '../logic/clusters';
import * as format from '../logic/format';
import { byDocument, isDecided } from '../logic/review';
import { FirstDifference } from '../ui/difference';
import { Id } from '../ui/parts';
import { useDifferences } from './kept_document';

// The turn of the kept documents when the element was last in sight; null if it has never been.
function useSeenTurn(): { element: { current: HTMLLIElement | null }; turn: number | null } {
  const element = useRef<HTMLLIElement>(null);
  const [isInSight, setInSight] = useState(false);
  const turn = useRef<number | null>(null);
  useEffect(() => {
    const watch = new IntersectionObserver((entries) => setInSight(entries.at(-1)?.isIntersecting ?? false));
    if (element.current) watch.observe(element.current);
    return () => watch.disconnect();
  }, []);
  if (isInSight) turn.current = keptTurn();
  return { element, turn: turn.current };
}

export function ClusterList(props: {
  index: Index;
  clusters: Cluster[];
  threshold: number;
  decisions: readonly Decision[];
  none: string; // what is said if there is no cluster to list
  current: Cluster | null;
  onChoose: (cluster: Cluster) => void;
}): JSX.Element {
  const { index, current, decisions } = props;
  const about = useMemo(() => byDocument(decisions), [decisions]);
  if (props.clusters.length === 0) return <p class="quiet">{props.none}</p>;
  return (
    <ul class="cluster-list">
      {props.clusters.map((cluster) => (
        <Entry
          key={cluster.keeper}
          index={index}
          cluster={cluster}
          threshold={props.threshold}
          isDecided={isDecided(cluster, about.get(cluster.keeper) ?? [])}
          isCurrent={cluster === current}
          onChoose={() => props.onChoose(cluster)}
        />
      ))}
    </ul>
  );
}

function Entry(props: {
  index: Index;
  cluster: Cluster;
  threshold: number;
  isDecided: boolean;
  isCurrent: boolean;
  onChoose: () => void;
}): JSX.Element {
  const { index, cluster, isCurrent } = props;
  // Of a thousand clusters only those in sight ask for their documents, also when they ask again.
  const { element, turn } = useSeenTurn();
  const weakest = weakestOf(cluster);
  const differences = useDifferences(index, cluster.keeper, weakest ?? cluster.keeper, turn !== null, turn);
  useEffect(() => {
    const list = element.current?.parentElement;
    if (!isCurrent || !list || !element.current) return;
    // Only the list is scrolled, and not the page with it.
    const { offsetTop, offsetHeight } = element.current;
    if (offsetTop < list.scrollTop) list.scrollTop = offsetTop;
    else if (offsetTop + offsetHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = offsetTop + offsetHeight - list.clientHeight;
  }, [isCurrent]);
  return (
    <li ref={element}>
      <button type="button" aria-pressed={isCurrent} onClick={props.onChoose}>
        <Id>{cluster.keeper}</Id>
        <span class="cluster-size">{format.count(sizeOf(cluster))}</span>
        <span class="quiet small">
          {format.counted(sizeOf(cluster), 'document')}, weakest {format.score(cluster.weakest, props.threshold)}
          {props.isDecided ? ', decided' : ''}
        </span>
        {differences.data && <FirstDifference fields={differences.data} />}
      </button>
    </li>
  );
}
