// Turns what a person says about a document of a cluster into decisions.
//
// Of several decisions that name a keeper in a cluster the last one counts, and a changed decision is a new one in this
// order. So only the verdict that chooses a keeper names one, and each verdict is a decision of its own: undoing it
// removes that decision, and brings back no older choice in place of what others have chosen meanwhile.
import type { Cluster, Decision, DecisionBody } from '../api/types';
import { idsOf } from './clusters';
import { shownId } from './hidden';

// keep: it becomes the keeper. remove: it is a copy of the keeper. apart: it is not a copy.
export type Verdict = 'keep' | 'remove' | 'apart';

const kMostMembers = 10_000; // that the server takes in one decision

export const bodyOf = (decision: Decision): DecisionBody => ({
  members: decision.members,
  ...(decision.keeper === null ? {} : { keeper: decision.keeper }),
  ...(decision.not_duplicates ? { not_duplicates: true } : {}),
  ...(decision.note === '' ? {} : { note: decision.note }),
});

const lastOf = (decisions: readonly Decision[]): Decision | null =>
  decisions.reduce<Decision | null>((last, one) => (last === null || one.at >= last.at ? one : last), null);

// The decision that chose the keeper of a cluster, if one did.
export const keeperDecision = (cluster: Cluster, decisions: readonly Decision[]): Decision | null =>
  lastOf(decisions.filter((one) => one.keeper === cluster.keeper));

// Whether a decision without a keeper says that its documents are copies: it says nothing else, as a note would.
export const confirmsCopies = ({ members, keeper, not_duplicates, note }: Decision): boolean =>
  keeper === null && !not_duplicates && note === '' && members.length > 1;

const isAboutCopies = (decision: Decision, keeper: string, id: string): boolean =>
  (decision.keeper === keeper || confirmsCopies(decision)) &&
  decision.members.includes(keeper) &&
  decision.members.includes(id);

// Whether people have said that the document is a copy of the keeper.
export const isConfirmed = (keeper: string, id: string, decisions: readonly Decision[]): boolean =>
  decisions.some((one) => isAboutCopies(one, keeper, id));

// The decisions that name a document, for lists with many clusters.
export function byDocument(decisions: readonly Decision[]): ReadonlyMap<string, readonly Decision[]> {
  const out = new Map<string, Decision[]>();
  for (const decision of decisions)
    for (const id of decision.members) {
      const about = out.get(id);
      if (about) about.push(decision);
      else out.set(id, [decision]);
    }
  return out;
}

// Whether people have decided which document of the cluster is kept, or that one is a copy of the keeper. The decisions
// that name the keeper are enough.
export const isDecided = (cluster: Cluster, decisions: readonly Decision[]): boolean =>
  keeperDecision(cluster, decisions) !== null ||
  cluster.members.some((member) => isConfirmed(cluster.keeper, member.id, decisions));

// The last note about the keeper of a cluster.
export const noteAbout = (cluster: Cluster, decisions: readonly Decision[]): string =>
  lastOf(
    decisions.filter(
      (one) =>
        one.note !== '' &&
        (one.keeper ?? cluster.keeper) === cluster.keeper &&
        !one.not_duplicates &&
        one.members.includes(cluster.keeper),
    ),
  )?.note ?? '';

const areApart = (a: string, b: string, decisions: readonly Decision[]): boolean =>
  decisions.some((one) => one.not_duplicates && one.members.includes(a) && one.members.includes(b));

// A part of a sentence. Ids are apart, since each may have a direction of its own.
export type SentencePart = string | { id: string };

// Why a verdict cannot hold as things are now, or null if it can. `keeper` is the keeper now, which may be another one
// than on screen.
export function objectionTo(
  keeper: string,
  id: string,
  verdict: Verdict,
  decisions: readonly Decision[],
): SentencePart[] | null {
  if (verdict !== 'keep' && id === keeper) return [{ id }, ' is the keeper now'];
  if (verdict !== 'apart' && areApart(keeper, id, decisions))
    return ['a decision says that it is not a copy of ', { id: keeper }, ', which has to be undone first'];
  return null;
}

// The decisions to add. Empty if it is decided so already.
export function additionsFor(
  cluster: Cluster,
  keeper: string,
  id: string,
  verdict: Verdict,
  decisions: readonly Decision[],
): DecisionBody[] {
  if (verdict === 'keep') {
    const members = [...new Set([id, ...idsOf(cluster)])].slice(0, kMostMembers);
    const last = lastOf(decisions.filter((one) => one.keeper !== null && members.includes(one.keeper)));
    if (last?.keeper === id && members.every((one) => last.members.includes(one))) return [];
    return [{ members, keeper: id }];
  }
  if (verdict === 'remove') return isConfirmed(keeper, id, decisions) ? [] : [{ members: [keeper, id] }];
  // Also apart from the keeper on screen, with which the person has compared it, and from the document that connects it
  // with the cluster, since that would hold it there.
  const link = cluster.members.find((member) => member.id === id)?.link?.id;
  return [...new Set([keeper, cluster.keeper, link ?? keeper])]
    .filter((other) => other !== id && !areApart(other, id, decisions))
    .map((other) => ({ members: [other, id], not_duplicates: true }));
}

// Whether the decisions that say what is in a cluster are others now than when its page was made: then people would
// decide about something that they do not see.
export function isDecidedAnew(cluster: Cluster, known: readonly Decision[], now: readonly Decision[]): boolean {
  const ids = new Set(idsOf(cluster));
  const about = (decisions: readonly Decision[]): Decision[] =>
    decisions.filter((one) => one.members.some((id) => ids.has(id)));
  return !decideTheSame(about(known), about(now));
}

// Whether clusters that are made with the ones are those that are made with the others.
export function decideTheSame(some: readonly Decision[], others: readonly Decision[]): boolean {
  const tagsOf = (decisions: readonly Decision[]): string =>
    decisions
      .filter((one) => one.keeper !== null || one.not_duplicates)
      .map((one) => `${one.id} ${one.etag}`)
      .sort()
      .join();
  return tagsOf(some) === tagsOf(others);
}

export function sentenceFor(keeper: string, id: string, verdict: Verdict): SentencePart[] {
  if (verdict === 'keep') return [{ id }, id === keeper ? ' stays the keeper' : ' is the keeper now'];
  if (verdict === 'remove') return [{ id }, ' is a copy of ', { id: keeper }, ', to be removed'];
  return [{ id }, ' is not a copy of ', { id: keeper }];
}

// The same in short, for what could not be stored.
export function nameOfVerdict(keeper: string, id: string, verdict: Verdict): SentencePart[] {
  if (verdict === 'keep') return [{ id }, ' as the keeper'];
  return [{ id }, verdict === 'remove' ? ' as a copy of ' : ' as not a copy of ', { id: keeper }];
}

export const plainSentence = (parts: readonly SentencePart[]): string =>
  parts.map((part) => (typeof part === 'string' ? part : shownId(part.id))).join('');
