// Sorts and filters clusters, and says which comes next.
import type { Cluster, ClusterSummary, Decision } from '../api/types';

export type ClusterSort = 'size' | 'weakest' | 'keeper';

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
