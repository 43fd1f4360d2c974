// Shows a kept document in short: the beginning of its text, its values, or its image.
import type { JSX } from 'preact';
import * as calls from '../api/calls';
import type { Index, Document } from '../api/types';
import { beginning } from '../logic/format';
import { imageOf, summaryOf } from '../logic/schema';
import { useLoad } from '../ui/app_state';

// Cached, because the cards of a cluster, the results and the comparison ask for the same few documents.
const cache = new Map<string, Promise<Document | null>>();
const kCached = 400;

export function keptDocument(index: Index, id: string): Promise<Document | null> {
  const key = JSON.stringify([index.name, id]);
  const known = cache.get(key);
  if (known) return known;
  if (cache.size >= kCached) cache.clear();
  const asked = calls.document(index.name, id).then((held) => held.document ?? null);
  cache.set(key, asked);
  asked.catch(() => cache.delete(key));
  return asked;
}

export const forgetKept = (): void => cache.clear();

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
  const picture = imageOf(loaded.data, index.schema);
  const text = beginning(summaryOf(loaded.data, index.schema), props.length);
  return (
    <div class="kept">
      {picture && <img src={picture} alt={`The picture ${id}`} loading="lazy" />}
      {text !== '' && <p>{text}</p>}
    </div>
  );
}
