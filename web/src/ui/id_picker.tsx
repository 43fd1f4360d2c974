// Picks a document of the index by its id, typed or from a list.
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem, type Problem } from '../api/client';
import type { Index, ListedDocument } from '../api/types';
import { beginning } from '../logic/format';
import { shownText } from '../logic/hidden';
import { justBefore } from '../logic/ids';
import { imageOf, summaryOf } from '../logic/schema';
import { useLoad, useSettled } from './app_state';
import { Id, ProblemNote } from './parts';

const kPageSize = 50;

export function IdPicker(props: {
  index: Index;
  label?: string;
  value: string;
  onInput: (id: string) => void;
}): JSX.Element {
  const id = useId();
  const [listed, setListed] = useState<ListedDocument[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const { name, schema, documents } = props.index;
  const [busy, setBusy] = useState(false);
  const turn = useRef(0);
  const load = async (after?: string): Promise<void> => {
    const own = ++turn.current;
    setBusy(true);
    setProblem(null);
    try {
      const page = await calls.documents(name, kPageSize, after);
      if (turn.current !== own) return; // the list has begun anew meanwhile
      setListed((old) => (after === undefined ? page.documents : [...old, ...page.documents]));
      setNext(page.next);
    } catch (error) {
      if (turn.current === own) setProblem(asProblem(error));
    }
    if (turn.current === own) setBusy(false);
  };
  const more = (after: string): void => {
    if (!busy) void load(after);
  };
  useEffect(() => {
    setListed([]);
    setNext(null);
    void load();
    return () => void turn.current++;
  }, [name, documents]);
  const holds = (documents: ListedDocument[]): boolean => documents.some((one) => one.id === props.value);
  // Documents with the typed beginning may come after the part that is listed.
  const typed = useSettled(props.value, 250);
  const isAsked = next !== null && typed !== '' && !holds(listed);
  const { data, loading } = useLoad<ListedDocument[]>(
    async () => (isAsked ? (await calls.documents(name, kPageSize, justBefore(typed))).documents : []),
    [name, documents, isAsked ? typed : ''],
  );
  const wanted = props.value.toLowerCase();
  const isWhole = wanted === '' || holds(listed);
  const near = isWhole ? listed : listed.filter((one) => one.id.toLowerCase().includes(wanted));
  const found = isWhole ? [] : (data ?? []).filter((one) => one.id.startsWith(props.value));
  const shown = [...found, ...near.filter((one) => !found.some((other) => other.id === one.id))];
  return (
    <div class="field">
      <label for={id}>{props.label ?? 'Id of the document'}</label>
      <input
        id={id}
        type="text"
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        value={props.value}
        placeholder="Type an id or choose below"
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <ProblemNote problem={problem} again={() => void load(listed.at(-1)?.id)} />
      {shown.length === 0 && listed.length > 0 && !loading && typed === props.value && (
        <p class="field-note">{next === null ? 'No id has this in it.' : 'No id begins with this.'}</p>
      )}
      {shown.length > 0 && (
        <ul class="id-list" aria-label="Documents of the index">
          {shown.map((one) => {
            const picture = imageOf(one.document, schema);
            return (
              <li key={one.id}>
                <button type="button" aria-pressed={one.id === props.value} onClick={() => props.onInput(one.id)}>
                  {picture && <img src={picture} alt="" />}
                  <Id>{one.id}</Id>
                  <span class="quiet" dir="auto">
                    {beginning(shownText(summaryOf(one.document, schema)), 90)}
                  </span>
                </button>
              </li>
            );
          })}
          {next !== null && (
            <li>
              <button type="button" class="more" aria-disabled={busy} onClick={() => more(next)}>
                Show {kPageSize} more
              </button>
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
