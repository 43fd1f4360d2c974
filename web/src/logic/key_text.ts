// Checks a key before it is sent.
import { codeOf } from './hidden';

// The first character of a key that a header cannot have, as it is shown: a typographic quote or a line end from an
// e-mail, say. A browser refuses to send it, without an answer of the server. Null if there is none.
export function unsendableIn(key: string): string | null {
  const found = /[^\x20-\x7e]/u.exec(key)?.[0];
  if (found === undefined) return null;
  const code = codeOf(found);
  return /[\p{L}\p{N}\p{P}\p{S}]/u.test(found) ? `${found} (${code})` : code;
}
