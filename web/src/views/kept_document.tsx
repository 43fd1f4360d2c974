// Shows a kept document in short: the beginning of its text, its values, or its image.
import type { JSX } from 'preact';
import { keptDocument, keptTurn } from '../api/kept';
import type { Index, Document } from '../api/types';
import { documentDifferences, type FieldDifference } from '../logic/document_differences';
import { beginning } from '../logic/format';
import { shownId, shownText } from '../logic/hidden';
import { imageOf, summaryOf } from '../logic/schema';
import { useLoad, type Loaded } from '../ui/app_state';

export const keptValues = async (index: Index, id: string): Promise<Document | null> =>
  (await keptDocument(index.name, id))?.values ?? null;

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
  turn: number | null = keptTurn(),
): Loaded<FieldDifference[] | null> =>
  useLoad(
    async () => {
      if (!isWanted || !index.keep_documents || id === keeper) return null;
      const [kept, own] = await Promise.all([keptDocument(index.name, keeper), keptDocument(index.name, id)]);
      return kept && own ? inTurn(() => documentDifferences(index, kept, own)) : null;
    },
    [index.name, keeper, id, isWanted],
    turn,
  );

export function KeptDocument(props: {
  index: Index;
  id: string;
  length: number;
  known?: Document | null;
}): JSX.Element | null {
  const { index, id, known } = props;
  const isKnown = known !== undefined;
  const loaded = useLoad(() => (isKnown ? Promise.resolve(null) : keptValues(index, id)), [index.name, id], keptTurn());
  const document = isKnown ? known : loaded.data;
  if (!document) return null;
  const text = beginning(shownText(summaryOf(document, index.schema)), props.length);
  return (
    <div class="kept">
      <Picture document={document} index={index} id={id} />
      {text !== '' && <p dir="auto">{text}</p>}
    </div>
  );
}

function Picture({ document, index, id }: { document: Document; index: Index; id: string }): JSX.Element | null {
  const picture = imageOf(document, index.schema);
  return picture === null ? null : <img src={picture} alt={`The picture ${shownId(id)}`} loading="lazy" />;
}

// Only the picture of a kept document.
export function KeptPicture({ index, id }: { index: Index; id: string }): JSX.Element | null {
  const loaded = useLoad(() => keptValues(index, id), [index.name, id], keptTurn());
  return loaded.data && <Picture document={loaded.data} index={index} id={id} />;
}
