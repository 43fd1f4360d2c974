// Sorts and filters clusters, and turns choices into decisions.
import type { Cluster, Decision, DecisionBody } from '../api/types';

export type ClusterSort = 'size' | 'weakest' | 'keeper';

export const sizeOf = (cluster: Cluster): number => cluster.size ?? cluster.members.length + 1;

export const idsOf = (cluster: Cluster): string[] => [cluster.keeper, ...cluster.members.map((member) => member.id)];

export function sorted(clusters: readonly Cluster[], by: ClusterSort): Cluster[] {
  const order = (a: Cluster, b: Cluster): number =>
    by === 'size' ? sizeOf(b) - sizeOf(a) : by === 'weakest' ? a.weakest - b.weakest : 0;
  return [...clusters].sort((a, b) => order(a, b) || (a.keeper < b.keeper ? -1 : a.keeper > b.keeper ? 1 : 0));
}

// Returns the clusters that have the words in any of their ids.
export function filtered(clusters: readonly Cluster[], words: string): Cluster[] {
  const wanted = words.trim().toLowerCase();
  if (wanted === '') return [...clusters];
  return clusters.filter((cluster) => idsOf(cluster).some((id) => id.toLowerCase().includes(wanted)));
}

// The members of a decision without its keeper.
export const membersBeside = (decision: Decision): string[] =>
  decision.not_duplicates ? decision.members : decision.members.filter((id) => id !== decision.keeper);

export interface Choice {
  keeper: string;
  notDuplicates: ReadonlySet<string>;
  note: string;
}

// Returns the decisions to store for a choice. A document that is not a duplicate is separated from the keeper, and
// from the document that links it, since otherwise that link would hold it in the cluster.
export function decisionsFor(
  cluster: Cluster,
  choice: Choice,
): { keeper: DecisionBody | null; notDuplicates: DecisionBody[] } {
  const note = choice.note.trim() === '' ? {} : { note: choice.note.trim() };
  const notDuplicates: DecisionBody[] = [];
  for (const member of cluster.members) {
    if (!choice.notDuplicates.has(member.id) || member.id === choice.keeper) continue;
    const others = new Set([choice.keeper, cluster.keeper]);
    if (member.link) others.add(member.link.id);
    others.delete(member.id);
    for (const other of others) notDuplicates.push({ members: [other, member.id], not_duplicates: true, ...note });
  }
  const stays = idsOf(cluster).filter((id) => id === choice.keeper || !choice.notDuplicates.has(id));
  const hasNewKeeper = choice.keeper !== cluster.keeper;
  const hasNewNote = notDuplicates.length === 0 && choice.note.trim() !== (cluster.decision?.note ?? '');
  const keeper = hasNewKeeper || hasNewNote ? { members: stays, keeper: choice.keeper, ...note } : null;
  return { keeper, notDuplicates };
}
