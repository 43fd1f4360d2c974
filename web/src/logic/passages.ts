// Finds the shared passages of a match in the query's text.
import type { Mark, Passage } from '../api/types';

export interface Piece {
  text: string;
  mark: Mark;
}

// Splits a text into marked and unmarked pieces. Passages are exact parts of the text. The server cuts long ones, so
// only their beginning is marked. A passage that occurs several times is marked each time.
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
    // Passages that overlap or touch are shown as one.
    if (last?.mark === 'shared' && start === end) last.text += text.slice(start, to);
    else pieces.push({ text: text.slice(start, to), mark: 'shared' });
    end = to;
  }
  if (end < text.length) pieces.push({ text: text.slice(end), mark: 'none' });
  return pieces;
}
