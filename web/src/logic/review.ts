// Turns what a person says about a document of a cluster into decisions, and into what takes them back.
import type { Cluster, Decision, DecisionBody } from '../api/types';
import { idsOf } from './clusters';

// keep: it becomes the keeper. remove: it is a copy of the keeper. apart: it is no copy.
export type Verdict = 'keep' | 'remove' | 'apart';

export type Change = { kind: 'add'; body: DecisionBody } | { kind: 'replace'; old: Decision; body: DecisionBody };

export const bodyOf = (decision: Decision): DecisionBody => ({
  members: decision.members,
  ...(decision.keeper === null ? {} : { keeper: decision.keeper }),
  ...(decision.not_duplicates ? { not_duplicates: true } : {}),
  ...(decision.note === '' ? {} : { note: decision.note }),
});

// The decision that chose the keeper of a cluster, if one did. Of several the last one counts.
export const keeperDecision = (cluster: Cluster, decisions: readonly Decision[]): Decision | null =>
  decisions
    .filter((one) => one.keeper === cluster.keeper)
    .reduce<Decision | null>((last, one) => (last === null || one.at >= last.at ? one : last), null);

const isInAll = (decision: Decision | null, id: string): boolean => decision?.members.includes(id) ?? false;

// Whether people have said that the document is a copy of its keeper.
export const isConfirmed = (cluster: Cluster, id: string, decisions: readonly Decision[]): boolean =>
  isInAll(keeperDecision(cluster, decisions), id);

// Empty if it is decided so already.
export function changesFor(cluster: Cluster, id: string, verdict: Verdict, decisions: readonly Decision[]): Change[] {
  const old = keeperDecision(cluster, decisions);
  if (verdict === 'keep') {
    const body: DecisionBody = { members: idsOf(cluster), keeper: id };
    if (!old) return [{ kind: 'add', body }];
    if (old.keeper === id && idsOf(cluster).every((one) => isInAll(old, one))) return [];
    const members = [...new Set([...old.members, ...body.members])];
    return [{ kind: 'replace', old, body: { ...bodyOf(old), members, keeper: id } }];
  }
  if (id === cluster.keeper) return [];
  if (verdict === 'remove') {
    if (isInAll(old, id)) return [];
    if (!old) return [{ kind: 'add', body: { members: [cluster.keeper, id], keeper: cluster.keeper } }];
    return [{ kind: 'replace', old, body: { ...bodyOf(old), members: [...old.members, id] } }];
  }
  // Also apart from the document that connects it with the cluster, since that would hold it there.
  const link = cluster.members.find((member) => member.id === id)?.link?.id;
  const others = new Set([cluster.keeper, ...(link === undefined || link === id ? [] : [link])]);
  return [...others].map((other) => ({ kind: 'add', body: { members: [other, id], not_duplicates: true } }));
}

// A part of a sentence. Ids are apart, since each may have a direction of its own.
export type SentencePart = string | { id: string };

export function sentenceFor(cluster: Cluster, id: string, verdict: Verdict): SentencePart[] {
  const keeper = { id: cluster.keeper };
  if (verdict === 'keep') return [{ id }, id === cluster.keeper ? ' stays the keeper.' : ' is the keeper now.'];
  if (verdict === 'remove') return [{ id }, ' is a copy of ', keeper, ', to be removed.'];
  return [{ id }, ' is not a copy of ', keeper, '.'];
}

export const plainSentence = (parts: readonly SentencePart[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : part.id)).join('');
