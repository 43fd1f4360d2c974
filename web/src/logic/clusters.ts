// Sorts and filters clusters, and says which comes next.
import type { Cluster, ClusterSummary, Decision } from '../api/types';
import * as format from './format';

export type ClusterSort = 'size' | 'weakest' | 'keeper';

export const clusterSort = (word: string | undefined): ClusterSort =>
  word === 'weakest' || word === 'keeper' ? word : 'size';

export const sizeOf = (cluster: Cluster): number => cluster.size ?? cluster.members.length + 1;

export const idsOf = (cluster: Cluster): string[] => [cluster.keeper, ...cluster.members.map((member) => member.id)];

export function sorted(clusters: readonly Cluster[], by: ClusterSort): Cluster[] {
  const order = (a: Cluster, b: Cluster): number =>
    by === 'size' ? sizeOf(b) - sizeOf(a) : by === 'weakest' ? a.weakest - b.weakest : 0;
  return [...clusters].sort((a, b) => order(a, b) || (a.keeper < b.keeper ? -1 : a.keeper > b.keeper ? 1 : 0));
}

// An answer that has all clusters can be sorted here. Of more than it may have, the server took the first ones in the
// order that it was asked for, and other clusters are the first ones in another order.
export const needsOthers = (
  answer: { sort: ClusterSort; summary: ClusterSummary | null } | null,
  by: ClusterSort,
): boolean => answer !== null && answer.sort !== by && answer.summary?.truncated !== false;

// How many clusters there are. The answer may have only the first ones.
export interface ClusterCounts {
  all: number;
  first: number;
}

export const countsOf = (answer: { clusters: readonly Cluster[]; summary: ClusterSummary | null }): ClusterCounts => ({
  all: Math.max(answer.summary?.clusters ?? 0, answer.clusters.length),
  first: answer.clusters.length,
});

const firstOf = ({ all, first }: ClusterCounts): string =>
  `${all > first ? 'the first ' : ''}${format.counted(first, 'cluster')}`;

// `listed`: how many of the first ones have the words of the filter; null without a filter.
export function countSentence(counts: ClusterCounts, listed: number | null): string {
  const { all, first } = counts;
  if (listed === null)
    return `${format.counted(all, 'cluster')}${all > first ? `, of which the first ${format.count(first)} are shown` : ''}`;
  return `${format.count(listed)} of ${firstOf(counts)}${all > first ? `; there are ${format.count(all)}` : ''}`;
}

export const noneSentence = (counts: ClusterCounts): string =>
  counts.all > counts.first
    ? `None of ${firstOf(counts)} has such an id in it; there are ${format.count(counts.all)}.`
    : 'No cluster has such an id in it.';

export const hasDocument = (clusters: readonly Cluster[], id: string): boolean =>
  clusters.some((cluster) => idsOf(cluster).includes(id));

// Returns the clusters that have the words in any of their ids.
export function filtered(clusters: readonly Cluster[], words: string): Cluster[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [...clusters];
  return clusters.filter((cluster) => idsOf(cluster).some((id) => id.toLowerCase().includes(wanted)));
}

// The members of a decision without its keeper.
export const membersBeside = (decision: Decision): string[] =>
  decision.not_duplicates ? decision.members : decision.members.filter((id) => id !== decision.keeper);

// The member that has the least in common with the keeper.
export const weakestOf = (cluster: Cluster): string | null =>
  cluster.members.reduce<Cluster['members'][number] | null>(
    (least, one) => (least === null || one.score < least.score ? one : least),
    null,
  )?.id ?? null;

// The cluster to show: the one with the chosen document, or else the one that took the place of the last one.
export function currentOf(shown: readonly Cluster[], chosen: string | null, place: number): Cluster | null {
  const found = chosen === null ? undefined : shown.find((cluster) => idsOf(cluster).includes(chosen));
  return found ?? shown[Math.min(place, shown.length - 1)] ?? null;
}
