// The shared passages of a match, found again in the query's text.
import type { Mark, Passage } from '../api/types';

export interface Piece {
  text: string;
  mark: Mark;
}

// Passages are parts of the text as it is; a long one comes cut, and its beginning is marked. One that
// stands there more than once is marked wherever it does.
export function markPassages(text: string, passages: readonly Passage[]): Piece[] {
  const spans: [number, number][] = [];
  for (const passage of passages) {
    if (passage.text === '') continue;
    for (let at = text.indexOf(passage.text); at >= 0; at = text.indexOf(passage.text, at + passage.text.length)) {
      spans.push([at, at + passage.text.length]);
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
    // Passages that overlap or touch are one to the eye.
    if (last?.mark === 'shared' && start === end) last.text += text.slice(start, to);
    else pieces.push({ text: text.slice(start, to), mark: 'shared' });
    end = to;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), mark: 'none' });
  return pieces;
}
