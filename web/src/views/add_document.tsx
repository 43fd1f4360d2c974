// Adds the document of a search to the index: always, or only if nothing similar is in it.
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Index, Document } from '../api/types';
import * as format from '../logic/format';
import { shownId } from '../logic/hidden';
import { routeHash } from '../logic/routes';
import { attributesOf, filledIn } from '../logic/schema';
import { useAction, useApp } from '../ui/app_state';
import { ProblemNote } from '../ui/parts';

const freshId = (): string =>
  `doc-${new Date()
    .toISOString()
    .slice(0, 19)
    .replace(/[^0-9]/g, '')}`;

export function AddDocument(props: { index: Index; document: Document; threshold: number }): JSX.Element {
  const { indexes, announce } = useApp();
  const action = useAction();
  const input = useId();
  const [id, setId] = useState(freshId);
  const [values, setValues] = useState<Record<string, string>>({});
  const [said, setSaid] = useState<JSX.Element | null>(null);
  const { name, schema } = props.index;
  const attributes = attributesOf(schema);
  const document = (): Document => ({
    ...filledIn(props.document, schema),
    ...Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== '')),
  });
  const done = (before: string, after: string): void => {
    announce(before + id + after);
    setSaid(
      <>
        {before}
        <bdi>{shownId(id)}</bdi>
        {after}
      </>,
    );
    indexes.reload();
  };
  const add = (): Promise<boolean> =>
    action.run(async () => {
      setSaid(null);
      const answer = await calls.putDocument(name, id, document());
      done('', answer.outcome === 'replaced' ? ' was there and has been replaced.' : ' has been added.');
      setId(freshId());
    });
  const check = (): Promise<boolean> =>
    action.run(async () => {
      setSaid(null);
      const threshold = Math.max(props.threshold, schema.min_threshold);
      const answer = await calls.checkAndAdd(name, { ...document(), id }, threshold);
      const [best] = answer.matches;
      if (answer.added) {
        done('Nothing similar was there: ', ' has been added.');
        setId(freshId());
      } else if (best) {
        const score = format.score(best.score, threshold);
        announce(`Not added: ${best.id} is similar, with a score of ${score}.`);
        setSaid(
          <>
            Not added:{' '}
            <a href={routeHash('try', name, { id: best.id })}>
              <bdi>{shownId(best.id)}</bdi>
            </a>{' '}
            is similar, with a score of {score}.
          </>,
        );
      }
    });
  return (
    <details class="add-document">
      <summary>Add this document to the index</summary>
      <div class="field">
        <label for={input}>Its id</label>
        <input
          id={input}
          type="text"
          dir="auto"
          autocomplete="off"
          spellcheck={false}
          value={id}
          onInput={(event) => setId(event.currentTarget.value)}
        />
      </div>
      {attributes.map((attribute) => (
        <div class="field" key={attribute.name}>
          <label for={`${input}-${attribute.name}`}>
            {attribute.name} <span class="quiet">({attribute.kind}, optional)</span>
          </label>
          <input
            id={`${input}-${attribute.name}`}
            type="text"
            dir="auto"
            autocomplete="off"
            spellcheck={false}
            value={values[attribute.name] ?? ''}
            onInput={(event) => setValues({ ...values, [attribute.name]: event.currentTarget.value })}
          />
        </div>
      ))}
      <div class="buttons">
        <button type="button" class="button" disabled={action.busy || id === ''} onClick={() => void check()}>
          Add unless there is a similar one
        </button>
        <button type="button" class="button" disabled={action.busy || id === ''} onClick={() => void add()}>
          Add in any case
        </button>
      </div>
      {said && <p class="note">{said}</p>}
      <ProblemNote problem={action.problem} />
    </details>
  );
}
