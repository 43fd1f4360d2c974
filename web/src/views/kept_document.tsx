// Shows a kept document in short: the beginning of its text, its values, or its image.
import type { JSX } from 'preact';
import * as calls from '../api/calls';
import type { Index, Document } from '../api/types';
import { documentDifferences, type FieldDifference } from '../logic/document_differences';
import { beginning } from '../logic/format';
import { imageOf, summaryOf } from '../logic/schema';
import { useLoad, type Loaded } from '../ui/app_state';

// Cached, because the cards of a cluster, the results and the comparison ask for the same few documents.
const cache = new Map<string, Promise<Document | null>>();
const kCached = 400;
const kCachedCharacters = 40_000_000;
let characters = 0;

export function keptDocument(index: Index, id: string): Promise<Document | null> {
  const key = JSON.stringify([index.name, id]);
  const known = cache.get(key);
  if (known) return known;
  if (cache.size >= kCached || characters > kCachedCharacters) forgetKept();
  const asked = calls.document(index.name, id).then((held) => held.document ?? null);
  cache.set(key, asked);
  asked
    .then((document) => {
      for (const value of Object.values(document ?? {})) characters += typeof value === 'string' ? value.length : 0;
    })
    .catch(() => cache.delete(key));
  return asked;
}

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
    () => (props.known === undefined ? keptDocument(index, id) : Promise.resolve(props.known)),
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
  const loaded = useLoad(() => keptDocument(index, id), [index.name, id]);
  return loaded.data && <Picture document={loaded.data} index={index} id={id} />;
}
