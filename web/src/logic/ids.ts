// Ids in the order of the server: by bytes of UTF-8, which is that of code points.

// The list behind this one begins with the ids that begin so.
export function justBefore(beginning: string): string {
  const points = [...beginning];
  const last = points.pop()?.codePointAt(0) ?? 0;
  if (last === 0) return points.join('');
  const lower = last === 0xe000 ? 0xd7ff : last - 1; // what is between them is no character
  return points.join('') + String.fromCodePoint(lower, 0x10ffff);
}
