// What a new collection holds and what it is asked for.
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { useAction, useApp } from '../ui/app_state';
import { ProblemNote, Slider } from '../ui/parts';

export const kFeatures: readonly { value: string; name: string }[] = [
  { value: 'text:word3', name: 'Text, shingles of 3 words' },
  { value: 'text:word5', name: 'Text, shingles of 5 words (long prose)' },
  { value: 'text:word2', name: 'Text, shingles of 2 words (short, rewritten)' },
  { value: 'text:char5', name: 'Text, shingles of 5 characters (names, misspellings)' },
  { value: 'values', name: 'Values: a set of strings' },
  { value: 'image:pdq', name: 'Image, hash of 256 bits' },
];

interface FieldRow {
  name: string;
  features: string;
  weight: string;
}

const nameFor = (features: string): string =>
  features.startsWith('image') ? 'picture' : features === 'values' ? 'values' : 'text';

function FieldRows(props: { rows: FieldRow[]; onChange: (rows: FieldRow[]) => void }): JSX.Element {
  const id = useId();
  const change = (index: number, part: Partial<FieldRow>): void =>
    props.onChange(props.rows.map((row, at) => (at === index ? { ...row, ...part } : row)));
  return (
    <fieldset class="field-rows">
      <legend>Fields</legend>
      {props.rows.map((row, index) => (
        <div class="field-row" key={index}>
          <div class="field">
            <label for={`${id}-n${index}`}>Name</label>
            <input
              id={`${id}-n${index}`}
              type="text"
              required
              value={row.name}
              onInput={(event) => change(index, { name: event.currentTarget.value })}
            />
          </div>
          <div class="field grow">
            <label for={`${id}-f${index}`}>Kind and features</label>
            <select
              id={`${id}-f${index}`}
              value={row.features}
              onChange={(event) => {
                const features = event.currentTarget.value;
                // A name that was only a default follows the kind.
                change(
                  index,
                  row.name === nameFor(row.features) ? { features, name: nameFor(features) } : { features },
                );
              }}
            >
              {kFeatures.map((one) => (
                <option key={one.value} value={one.value}>
                  {one.name}
                </option>
              ))}
            </select>
          </div>
          {props.rows.length > 1 && (
            <>
              <div class="field narrow">
                <label for={`${id}-w${index}`}>Weight</label>
                <input
                  id={`${id}-w${index}`}
                  type="number"
                  min="0.1"
                  step="0.1"
                  value={row.weight}
                  onInput={(event) => change(index, { weight: event.currentTarget.value })}
                />
              </div>
              <button
                type="button"
                class="button small"
                onClick={() => props.onChange(props.rows.filter((_, at) => at !== index))}
              >
                Remove<span class="hidden"> the field {row.name}</span>
              </button>
            </>
          )}
        </div>
      ))}
      <button
        type="button"
        class="button small"
        onClick={() => props.onChange([...props.rows, { name: 'title', features: 'text:word2', weight: '1' }])}
      >
        Add a field
      </button>
    </fieldset>
  );
}

export function NewCollectionForm(props: {
  onDone: (name: string) => void;
  // From a plan: these stand, and are not asked for.
  planned?: { threshold: number; recall: number; slots: number; bands: string };
}): JSX.Element {
  const { collections, announce } = useApp();
  const action = useAction();
  const id = useId();
  const [name, setName] = useState('');
  const [rows, setRows] = useState<FieldRow[]>([{ name: 'text', features: 'text:word3', weight: '1' }]);
  const [threshold, setThreshold] = useState(0.7);
  const [keeps, setKeeps] = useState(true);
  const submit = (event: Event): void => {
    event.preventDefault();
    void action.run(async () => {
      const { planned } = props;
      await calls.createCollection(name, {
        fields: rows.map((row) => `${row.name}=${row.features}${rows.length > 1 ? `;w=${row.weight}` : ''}`),
        min_threshold: planned?.threshold ?? threshold,
        keep_documents: keeps,
        ...(planned ? { recall: planned.recall, sketch: `fss:${planned.slots}`, bands: planned.bands } : {}),
      });
      announce(`The collection ${name} is there.`);
      collections.reload();
      props.onDone(name);
    });
  };
  return (
    <form class="panel new-collection" onSubmit={submit}>
      <h2>New collection</h2>
      <div class="field">
        <label for={`${id}-name`}>Name of the collection</label>
        <input
          id={`${id}-name`}
          type="text"
          required
          autocomplete="off"
          spellcheck={false}
          value={name}
          placeholder="news"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </div>
      <FieldRows rows={rows} onChange={setRows} />
      {!props.planned && (
        <Slider
          label="Least threshold"
          value={threshold}
          min={0.1}
          max={1}
          step={0.01}
          digits={2}
          onInput={setThreshold}
          note="The lowest score that searches will ask for. Bands and rows are chosen so that 99 % of the pairs exactly there are found."
        />
      )}
      <label class="check">
        <input type="checkbox" checked={keeps} onChange={(event) => setKeeps(event.currentTarget.checked)} />
        <span>Keep the documents themselves, to show and compare them later</span>
      </label>
      <ProblemNote problem={action.problem} />
      <div class="buttons">
        <button type="submit" class="button primary" disabled={action.busy || name.trim() === ''}>
          Create the collection
        </button>
      </div>
    </form>
  );
}
