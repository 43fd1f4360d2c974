// Marks the shared passages of a match in the query's text.
import type { Mark, Passage } from '../api/types';

export interface Piece {
  text: string;
  mark: Mark;
}

const kOfWord = /[\p{L}\p{N}\p{M}]/u;
// Scripts without blanks between words.
const kUnspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

// Whether the place is inside of a word.
function isInWord(text: string, at: number): boolean {
  const before = /.$/su.exec(text.slice(Math.max(0, at - 2), at))?.[0] ?? '';
  const after = String.fromCodePoint(text.codePointAt(at) ?? 32);
  return kOfWord.test(before) && kOfWord.test(after) && !kUnspaced.test(before) && !kUnspaced.test(after);
}

// Splits a text into marked and unmarked pieces. Passages are exact parts of the text. One that occurs several times is
// marked each time, but not where it begins or ends inside of a word, unless the features are characters.
export function markPassages(text: string, passages: readonly Passage[], features: string): Piece[] {
  const areWords = features.startsWith('text:word');
  const spans: [number, number][] = [];
  for (const { text: passage, cut } of passages) {
    if (passage === '') continue;
    for (let at = text.indexOf(passage); at >= 0; at = text.indexOf(passage, at + 1)) {
      const end = at + passage.length;
      // A long passage may be cut inside of a word.
      const isInside = areWords && (isInWord(text, at) || (!cut && isInWord(text, end)));
      if (!isInside) spans.push([at, end]);
    }
  }
  spans.sort((a, b) => a[0] - b[0]);
  const pieces: Piece[] = [];
  let end = 0;
  for (const [from, to] of spans) {
    if (to <= end) continue;
    const start = Math.max(from, end);
    if (start > end) pieces.push({ text: text.slice(end, start), mark: 'none' });
    const last = pieces.at(-1);
    // Passages that overlap or touch are shown as one.
    if (last?.mark === 'shared' && start === end) last.text += text.slice(start, to);
    else pieces.push({ text: text.slice(start, to), mark: 'shared' });
    end = to;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), mark: 'none' });
  return pieces;
}

// Whether the server has left out some of what is shared: the ends of long passages, or passages after the first ones.
export const isPartial = (passages: readonly Passage[], more: number | null | undefined): boolean =>
  passages.some((passage) => passage.cut) || (more ?? 0) > 0;
