// Shows a kept document in short: the beginning of its text, its values, or its image.
import type { JSX } from 'preact';
import * as calls from '../api/calls';
import type { Index, Document } from '../api/types';
import { documentDifferences, type FieldDifference } from '../logic/document_differences';
import type { ParsedDocument } from '../logic/document_json';
import { beginning } from '../logic/format';
import { imageOf, summaryOf } from '../logic/schema';
import { useLoad, type Loaded } from '../ui/app_state';

// Cached, because the cards of a cluster, the results and the comparison ask for the same few documents.
const cache = new Map<string, Promise<ParsedDocument | null>>();
const kCached = 400;
const kCachedCharacters = 40_000_000;
let characters = 0;

function keptDocument(index: Index, id: string): Promise<ParsedDocument | null> {
  const key = JSON.stringify([index.name, id]);
  const known = cache.get(key);
  if (known) return known;
  if (cache.size >= kCached || characters > kCachedCharacters) forgetKept();
  const asked = calls.document(index.name, id);
  cache.set(key, asked);
  asked
    .then((document) => {
      for (const json of document?.json.values() ?? []) characters += json.length;
    })
    .catch(() => cache.delete(key));
  return asked;
}

export const keptValues = async (index: Index, id: string): Promise<Document | null> =>
  (await keptDocument(index, id))?.values ?? null;

export function forgetKept(): void {
  cache.clear();
  characters = 0;
}

// Long texts are compared one pair after the other, with a pause in between, so that the page answers meanwhile.
let lastWork: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => T): Promise<T> {
  const done = lastWork.then(() => new Promise((resolve) => setTimeout(resolve))).then(work);
  lastWork = done.catch(() => undefined);
  return done;
}

// What differs between a document and its keeper; null if one of them is not kept.
export const useDifferences = (
  index: Index,
  keeper: string,
  id: string,
  isWanted = true,
): Loaded<FieldDifference[] | null> =>
  useLoad(async () => {
    if (!isWanted || !index.keep_documents || id === keeper) return null;
    const [kept, own] = await Promise.all([keptDocument(index, keeper), keptDocument(index, id)]);
    return kept && own ? inTurn(() => documentDifferences(index, kept, own)) : null;
  }, [index.name, keeper, id, isWanted]);

export function KeptDocument(props: {
  index: Index;
  id: string;
  length: number;
  known?: Document | null;
}): JSX.Element | null {
  const { index, id } = props;
  const loaded = useLoad(
    () => (props.known === undefined ? keptValues(index, id) : Promise.resolve(props.known)),
    [index.name, id],
  );
  if (!loaded.data) return null;
  const text = beginning(summaryOf(loaded.data, index.schema), props.length);
  return (
    <div class="kept">
      <Picture document={loaded.data} index={index} id={id} />
      {text !== '' && <p dir="auto">{text}</p>}
    </div>
  );
}

function Picture({ document, index, id }: { document: Document; index: Index; id: string }): JSX.Element | null {
  const picture = imageOf(document, index.schema);
  return picture === null ? null : <img src={picture} alt={`The picture ${id}`} loading="lazy" />;
}

// Only the picture of a kept document.
export function KeptPicture({ index, id }: { index: Index; id: string }): JSX.Element | null {
  const loaded = useLoad(() => keptValues(index, id), [index.name, id]);
  return loaded.data && <Picture document={loaded.data} index={index} id={id} />;
}
