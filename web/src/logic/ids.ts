// Computes with ids in the order of the server: by bytes of UTF-8, which is the order of code points.

// Returns an id such that the list after it begins with the ids that have this beginning.
export function justBefore(beginning: string): string {
  const points = [...beginning];
  const last = points.pop()?.codePointAt(0) ?? 0;
  if (last === 0) return points.join('');
  const lower = last === 0xe000 ? 0xd7ff : last - 1; // surrogates are not characters
  return points.join('') + String.fromCodePoint(lower, 0x10ffff);
}
