// Asks for kept documents, and remembers them until the next answer with scores.
import { documentIn, type ParsedDocument } from '../logic/document_json';
import { getText } from './client';

// The list of clusters, the cards of one and a comparison ask for the same few documents.
const cache = new Map<string, Promise<ParsedDocument | null>>();
const kCached = 400;
const kCachedCharacters = 40_000_000;
let characters = 0;
let turn = 0;

function clear(): void {
  cache.clear();
  characters = 0;
}

// What the server has of a document, as JSON. The id is in the body: an address cannot have each id, such as `..`.
export const documentText = (index: string, id: string): Promise<string> =>
  getText(`/v1/indexes/${encodeURIComponent(index)}/documents/get`, { method: 'POST', json: { id } });

// Null if the document is not kept.
export function keptDocument(index: string, id: string): Promise<ParsedDocument | null> {
  const name = JSON.stringify([index, id]);
  const known = cache.get(name);
  if (known) return known;
  if (cache.size >= kCached || characters > kCachedCharacters) clear();
  const asked = documentText(index, id).then(documentIn);
  cache.set(name, asked);
  asked
    .then((document) => {
      for (const json of document?.json.values() ?? []) characters += json.length;
    })
    .catch(() => cache.delete(name));
  return asked;
}

// Each answer with scores calls this: other programs may have replaced documents meanwhile, and a text next to a score
// must not be older than the score.
export function forgetKept(): void {
  clear();
  turn++;
}

// Changes when the documents that are shown have to be asked for again.
export const keptTurn = (): number => turn;
