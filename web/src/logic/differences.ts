// Compares the text of a document with that of its keeper, and folds away what they have in common.
import { matchesOf, type Work } from './diff';
import {
  afterWords,
  beforeWords,
  lengthOf,
  sentencesOf,
  wordsOf,
  type Length,
  type Numbers,
  type Units,
} from './words';

// Texts of both sides: in a common part they may differ in blanks.
interface Part {
  isCommon: boolean;
  kept: string;
  own: string;
}

export interface TextDifference {
  parts: Part[];
  changes: number;
  isEqual: boolean;
  isWhole: boolean; // false: the texts were compared up to some place only
}

// Longer texts are compared sentence by sentence first, and only changed sentences word by word.
const kLong = 40_000;
// About 50 ms of work.
const kWork = 4_000_000;

export function differenceOf(kept: string, own: string): TextDifference {
  if (kept === own) {
    return { parts: [{ isCommon: true, kept, own }], changes: 0, isEqual: true, isWhole: true };
  }
  const parts: Part[] = [];
  const work: Work = { left: kWork };
  const isLong = kept.length + own.length > kLong;
  const isWhole = isLong ? bySentences(kept, own, work, parts) : byWords(kept, own, whole(kept, own), work, parts);
  const joined = withoutCrumbs(parts)
    .flatMap(withoutCommonEnds)
    .reduce(joinedTo, [] as Part[]);
  return { parts: joined, changes: joined.filter((part) => !part.isCommon).length, isEqual: false, isWhole };
}

interface Range {
  keptFrom: number;
  keptTo: number;
  ownFrom: number;
  ownTo: number;
}

const whole = (kept: string, own: string): Range => ({
  keptFrom: 0,
  keptTo: kept.length,
  ownFrom: 0,
  ownTo: own.length,
});

function bySentences(kept: string, own: string, work: Work, parts: Part[]): boolean {
  const numbers: Numbers = new Map();
  const units = [sentencesOf(kept, numbers), sentencesOf(own, numbers)] as const;
  return eachPart(kept, own, units, whole(kept, own), work, parts, (range) => byWords(kept, own, range, work, parts));
}

function byWords(kept: string, own: string, range: Range, work: Work, parts: Part[]): boolean {
  const numbers: Numbers = new Map();
  const units = [
    wordsOf(kept, range.keptFrom, range.keptTo, numbers),
    wordsOf(own, range.ownFrom, range.ownTo, numbers),
  ] as const;
  return eachPart(kept, own, units, range, work, parts, (changed) => {
    add(parts, false, kept, own, changed);
    return true;
  });
}

// Adds common parts, and calls the other function for what is between them, until that returns false.
function eachPart(
  kept: string,
  own: string,
  [a, b]: readonly [Units, Units],
  range: Range,
  work: Work,
  parts: Part[],
  changed: (range: Range) => boolean,
): boolean {
  const { matches, aRead, bRead } = matchesOf(a.keys, b.keys, work);
  const keptAt = (unit: number): number => (unit === 0 ? range.keptFrom : (a.starts[unit] ?? range.keptTo));
  const ownAt = (unit: number): number => (unit === 0 ? range.ownFrom : (b.starts[unit] ?? range.ownTo));
  let at = { a: 0, b: 0 };
  const between = (aTo: number, bTo: number): boolean =>
    (at.a === aTo && at.b === bTo) ||
    changed({ keptFrom: keptAt(at.a), keptTo: keptAt(aTo), ownFrom: ownAt(at.b), ownTo: ownAt(bTo) });
  for (const match of matches) {
    if (!between(match.a, match.b)) return false;
    at = { a: match.a + match.length, b: match.b + match.length };
    add(parts, true, kept, own, {
      keptFrom: keptAt(match.a),
      keptTo: keptAt(at.a),
      ownFrom: ownAt(match.b),
      ownTo: ownAt(at.b),
    });
  }
  const isWhole = aRead === a.keys.length && bRead === b.keys.length;
  return isWhole && between(a.keys.length, b.keys.length);
}

function add(parts: Part[], isCommon: boolean, kept: string, own: string, range: Range): void {
  const part = {
    isCommon,
    kept: kept.slice(range.keptFrom, range.keptTo),
    own: own.slice(range.ownFrom, range.ownTo),
  };
  if (part.kept !== '' || part.own !== '') joinedTo(parts, part);
}

// A word or a comma in common between two longer changes is no help for readers: it becomes part of the change.
const kCrumb = 6; // characters

function withoutCrumbs(parts: readonly Part[]): Part[] {
  const out: Part[] = [];
  parts.forEach((part, place) => {
    const before = out.at(-1);
    const after = parts[place + 1];
    const isCrumb =
      part.isCommon &&
      before !== undefined &&
      after !== undefined &&
      part.own.trim().length <= kCrumb &&
      Math.max(before.kept.length, before.own.length) + Math.max(after.kept.length, after.own.length) >= 4 * kCrumb;
    joinedTo(out, { ...part, isCommon: part.isCommon && !isCrumb });
  });
  return out;
}

function joinedTo(parts: Part[], part: Part): Part[] {
  const last = parts.at(-1);
  if (last?.isCommon === part.isCommon) {
    last.kept += part.kept;
    last.own += part.own;
  } else {
    parts.push({ ...part });
  }
  return parts;
}

const isBlankAt = (text: string, at: number): boolean => at < 0 || at >= text.length || /\s/.test(text.charAt(at));

// A run of words may have been matched one by one with words far apart, which became crumbs: a quotation in a long text
// seemed to begin with words of its own. What both sides of a change begin or end with is in common.
function withoutCommonEnds(part: Part): Part[] {
  const { isCommon, kept, own } = part;
  if (isCommon) return [part];
  const shorter = Math.min(kept.length, own.length);
  let before = 0;
  while (before < shorter && kept[before] === own[before]) before++;
  while (before > 0 && !isBlankAt(own, before - 1) && !(isBlankAt(own, before) && isBlankAt(kept, before))) before--;
  if (own.slice(0, before).trim() === '') before = 0; // blanks stay with the change
  let after = 0;
  while (after < shorter - before && kept.at(-after - 1) === own.at(-after - 1)) after++;
  const isWord = (): boolean =>
    isBlankAt(own, own.length - after) ||
    (isBlankAt(own, own.length - after - 1) && isBlankAt(kept, kept.length - after - 1));
  while (after > 0 && !isWord()) after--;
  if (own.slice(own.length - after).trim() === '') after = 0;
  return [
    { isCommon: true, kept: kept.slice(0, before), own: own.slice(0, before) },
    { isCommon, kept: kept.slice(before, kept.length - after), own: own.slice(before, own.length - after) },
    { isCommon: true, kept: kept.slice(kept.length - after), own: own.slice(own.length - after) },
  ].filter((one) => one.kept !== '' || one.own !== '');
}

export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'fold'; text: string; length: Length }
  | { kind: 'change'; removed: string; added: string; after: string };

// A fold replaces at least so many words more than the context shows.
const kLeastFold = 6;

// The first changes with some words around them. What is in common becomes a fold, if it is long.
export function inContext(difference: TextDifference, changes: number, context: number): Piece[] {
  const out: Piece[] = [];
  let left = changes;
  const { parts } = difference;
  parts.forEach((part, place) => {
    if (left <= 0 && !(part.isCommon && parts[place - 1]?.isCommon === false && left === 0)) return;
    if (!part.isCommon) {
      left--;
      out.push(changeOf(part));
      return;
    }
    const isFirst = place === 0;
    const isLast = place === parts.length - 1 || left === 0;
    out.push(...aroundFold(part.own, isFirst ? 0 : context, isLast ? 0 : context));
    // After the last change that is shown comes only its context.
    if (left === 0) left = -1;
  });
  return out;
}

function aroundFold(text: string, before: number, after: number): Piece[] {
  const length = lengthOf(text);
  const start = before === 0 ? 0 : afterWords(text, before);
  const end = after === 0 ? text.length : beforeWords(text, after);
  const least = length.unit === 'word' ? before + after + kLeastFold : 120;
  if (length.count < least || start >= end) return [{ kind: 'text', text }];
  const pieces: Piece[] = [
    { kind: 'text', text: text.slice(0, start) },
    { kind: 'fold', text: text.slice(start, end), length: lengthOf(text.slice(start, end)) },
    { kind: 'text', text: text.slice(end) },
  ];
  return pieces.filter((piece) => piece.kind !== 'text' || piece.text !== '');
}

// Blanks at the end of a change are not marked.
function changeOf(part: Part): Piece {
  const added = part.own.trimEnd();
  const removed = part.kept.trimEnd();
  const after = part.own.slice(added.length) || part.kept.slice(removed.length);
  return { kind: 'change', removed, added, after };
}

export interface SetDifference {
  onlyKept: string[];
  onlyOwn: string[];
  otherWeight: { value: string; kept: number; own: number }[];
  common: number;
}

type Values = readonly string[] | Readonly<Record<string, number>>;
const weights = (values: Values): Map<string, number> =>
  new Map(Array.isArray(values) ? values.map((value) => [String(value), 1]) : Object.entries(values));

export function setDifferenceOf(kept: Values, own: Values): SetDifference {
  const a = weights(kept);
  const b = weights(own);
  const out: SetDifference = { onlyKept: [], onlyOwn: [], otherWeight: [], common: 0 };
  for (const [value, weight] of a) {
    const other = b.get(value);
    if (other === undefined) out.onlyKept.push(value);
    else if (other !== weight) out.otherWeight.push({ value, kept: weight, own: other });
    else out.common++;
  }
  for (const value of b.keys()) if (!a.has(value)) out.onlyOwn.push(value);
  return out;
}
