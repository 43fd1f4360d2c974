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

// A document may have been sent with its id as a number, which other programs round, or without one. Its line has the
// id that the server uses, once and as a string: when it is loaded, the id and all other members are the same again.
function lineOf(listed: string): string {
  const { id, document = '' } = Object.fromEntries(membersOf(listed));
  const others = partsOf(document).filter((member) => nameOf(member) !== 'id');
  return inOneLine(`{${[`"id":${id}`, ...others].join(',')}}`);
}

// The lines for a file, from an answer that lists documents.
export function documentLines(answer: string): DocumentLines {
  const { documents = '', next = 'null' } = Object.fromEntries(membersOf(answer));
  return { lines: partsOf(documents).map(lineOf), next: JSON.parse(next) as string | null };
}
