// Compares two documents side by side, with every number that says how similar they are.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Index, Document, Subject } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { isEmpty, subjectOf } from '../logic/schema';
import { go, inIndex, settle, useAction, useApp, type InIndex } from '../ui/app_state';
import { DocumentForm } from '../ui/document_form';
import { IdPicker } from '../ui/id_picker';
import { addressOfSide, pasted, store, type SideName } from '../ui/pasted';
import { IndexPicker, ProblemNote, Segments } from '../ui/parts';
import { ComparisonResult, type Compared } from './comparison';

interface SideInput {
  mode: 'id' | 'content';
  id: string;
  document: Document;
  isLost: boolean; // the address names a pasted document that this tab does not have
}

function sideFrom(index: Index, side: SideName, values: Record<string, string>): SideInput {
  const [field] = index.schema.fields;
  const text = values[`${side}t`];
  const name = values[`${side}p`];
  const document = name !== undefined ? pasted(name) : text !== undefined && field ? { [field.name]: text } : null;
  return {
    mode: document || name !== undefined ? 'content' : 'id',
    id: values[side] ?? '',
    document: document ?? {},
    isLost: name !== undefined && !document,
  };
}

const subjectFrom = (side: SideInput, index: Index): Subject | null =>
  side.mode === 'id'
    ? side.id === ''
      ? null
      : { id: side.id }
    : isEmpty(side.document, index.schema)
      ? null
      : subjectOf(side.document, index.schema);

export const CompareView = inIndex(CompareIn);

function CompareIn({ index, all }: InIndex): JSX.Element {
  const { route, announce } = useApp();
  const action = useAction();
  const { values } = route;
  const [a, setA] = useState(() => sideFrom(index, 'a', values));
  const [b, setB] = useState(() => sideFrom(index, 'b', values));
  const [compared, setCompared] = useState<Compared | null>(null);
  const threshold = values['threshold'] === undefined ? undefined : Number(values['threshold']);
  const subjectA = subjectFrom(a, index);
  const subjectB = subjectFrom(b, index);

  const compare = async (): Promise<void> => {
    if (!subjectA || !subjectB) return;
    await action.run(async (isLast) => {
      const comparison = await calls.compare(index.name, subjectA, subjectB, threshold);
      if (!isLast()) return;
      setCompared({ comparison, a: subjectA, b: subjectB });
      announce(
        `The score is ${format.score(comparison.score, comparison.threshold)}: ${comparison.similar ? 'similar' : 'not similar'}.`,
      );
      const textField = index.schema.fields[0]?.name;
      const sides = [addressOfSide('a', subjectA, textField), addressOfSide('b', subjectB, textField)];
      sides.forEach(store);
      settle(routeHash('compare', index.name, { ...sides[0]?.values, ...sides[1]?.values, threshold }));
    });
  };
  useEffect(() => {
    if (subjectA && subjectB) void compare();
  }, []);

  return (
    <>
      <div class="title">
        <h1>Compare two documents</h1>
        <p class="quiet">What they share, what is their own, and whether a search would bring them together.</p>
      </div>
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          void compare();
        }}
      >
        <div class="compare-top">
          <IndexPicker all={all} value={index.name} onChange={(name) => go(routeHash('compare', name))} />
          <button type="submit" class="button primary" disabled={!subjectA || !subjectB || action.busy}>
            {action.busy ? 'Comparing …' : 'Compare'}
          </button>
        </div>
        {/* Collapsed after an answer, because the documents are then shown in full below. */}
        <details class="compare-inputs" open={!compared} key={compared ? 'answered' : 'open'}>
          <summary>{compared ? 'Choose other documents' : 'The two documents'}</summary>
          <div class="pair">
            <SideForm name="First document" index={index} side={a} onInput={setA} />
            <SideForm name="Second document" index={index} side={b} onInput={setB} />
          </div>
        </details>
        <ProblemNote problem={action.problem} />
      </form>
      {compared && <ComparisonResult index={index} compared={compared} />}
    </>
  );
}

function SideForm(props: {
  name: string;
  index: Index;
  side: SideInput;
  onInput: (side: SideInput) => void;
}): JSX.Element {
  const { side, onInput } = props;
  return (
    <fieldset class="side-form">
      <legend>{props.name}</legend>
      <Segments
        label={`${props.name}: where from`}
        value={side.mode}
        options={{ id: 'Of the index', content: 'Pasted' }}
        onChange={(mode) => onInput({ ...side, mode })}
      />
      {side.mode === 'id' ? (
        <IdPicker index={props.index} label="Id" value={side.id} onInput={(id) => onInput({ ...side, id })} />
      ) : (
        <>
          <DocumentForm
            index={props.index}
            value={side.document}
            onInput={(document) => onInput({ ...side, document, isLost: false })}
          />
          {side.isLost && (
            <p class="note">
              The address names a document that was pasted in another tab, or that this tab no longer stores. Paste it
              again.
            </p>
          )}
        </>
      )}
    </fieldset>
  );
}
