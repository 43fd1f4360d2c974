// Reads documents from answers without a change of their numbers, to save them and to show what differs.
import type { Document } from '../api/types';
import { inOneLine, membersOf, nameOf, partsOf } from './json_text';

// A document, and the JSON of each member, in which numbers have all their digits.
export interface ParsedDocument {
  values: Document;
  json: ReadonlyMap<string, string>;
  // The JSON of each attribute as the index has it now. It may have changed since the document was sent.
  attributes?: ReadonlyMap<string, string>;
}

export const parsedDocument = (json: string): ParsedDocument => ({
  values: JSON.parse(json) as Document,
  json: membersOf(json),
});

// The document in the answer about one; null if it is not kept.
export function documentIn(answer: string): ParsedDocument | null {
  const members = membersOf(answer);
  const json = members.get('document') ?? 'null';
  return json === 'null' ? null : { ...parsedDocument(json), attributes: membersOf(members.get('attributes') ?? '{}') };
}

export interface DocumentLines {
  lines: string[];
  next: string | null; // the `after` of the next question
}

// Whether a member of a document has the value that the attribute of its name has now. The document may spell it in
// another way: "12.50" is the number 12.5, and "2026-11-22" the time 2026-11-22T00:00:00Z.
function isAttribute(json: string, attribute: string | undefined): boolean {
  const value: unknown = JSON.parse(json);
  if (attribute === undefined) return value === null;
  const now: unknown = JSON.parse(attribute);
  if (typeof now === 'number') return value !== null && value !== '' && Number(value) === now;
  return String(value) === String(now) || `${String(value)}T00:00:00Z` === now;
}

// The line of a document in a file, from its place in an answer. It may have been sent with its id as a number, which
// other programs round, or without one. Its line has the id that the server uses, once and as a string. `attributes`
// are the names of the attributes of the index: an answer with their values has those of now, which may have been
// changed since the document was sent. When the line is loaded, all of that is the same again.
export function lineOf(answer: string, attributes: readonly string[] = []): string {
  const { id, document = '', attributes: values = '' } = Object.fromEntries(membersOf(answer));
  const now = membersOf(values);
  const changed = new Set<string>();
  for (const [name, json] of attributes.length > 0 ? membersOf(document) : []) {
    if (attributes.includes(name) && !isAttribute(json, now.get(name))) changed.add(name);
    else now.delete(name);
  }
  const others = partsOf(document).filter((member) => nameOf(member) !== 'id' && !changed.has(nameOf(member)));
  const own = [...now].map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return inOneLine(`{${[`"id":${id}`, ...others, ...own].join(',')}}`);
}

// The lines for a file, from an answer that lists documents.
export function documentLines(answer: string): DocumentLines {
  const { documents = '', next = 'null' } = Object.fromEntries(membersOf(answer));
  return { lines: partsOf(documents).map((one) => lineOf(one)), next: JSON.parse(next) as string | null };
}
