// Creates an index: its fields, and the similarities that it has to find.
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { hasContainment, linesFrom } from '../logic/schema';
import { useAction, useApp } from '../ui/app_state';
import { ProblemNote, Slider } from '../ui/parts';

export const kFeatures: readonly { value: string; name: string }[] = [
  { value: 'text:word3', name: 'Text, shingles of 3 words' },
  { value: 'text:word5', name: 'Text, shingles of 5 words (long prose)' },
  { value: 'text:word2', name: 'Text, shingles of 2 words (short, rewritten)' },
  { value: 'text:char5', name: 'Text, shingles of 5 characters (names, misspellings)' },
  { value: 'values', name: 'Values: a set of strings' },
  { value: 'values+weights', name: 'Values with weights: amounts, frequencies' },
  { value: 'image:pdq', name: 'Image, hash of 256 bits' },
];

interface FieldRow {
  name: string;
  features: string;
  weight: string;
}

const nameFor = (features: string): string =>
  features.startsWith('image') ? 'picture' : features.startsWith('values') ? 'values' : 'text';

function FieldRows(props: { rows: FieldRow[]; onChange: (rows: FieldRow[]) => void }): JSX.Element {
  const id = useId();
  const change = (place: number, part: Partial<FieldRow>): void =>
    props.onChange(props.rows.map((row, at) => (at === place ? { ...row, ...part } : row)));
  return (
    <fieldset class="field-rows">
      <legend>Fields</legend>
      {props.rows.map((row, place) => (
        <div class="field-row" key={place}>
          <div class="field">
            <label for={`${id}-n${place}`}>Name</label>
            <input
              id={`${id}-n${place}`}
              type="text"
              required
              value={row.name}
              onInput={(event) => change(place, { name: event.currentTarget.value })}
            />
          </div>
          <div class="field grow">
            <label for={`${id}-f${place}`}>Kind and features</label>
            <select
              id={`${id}-f${place}`}
              value={row.features}
              onChange={(event) => {
                const features = event.currentTarget.value;
                // A default name changes with the kind of the field.
                change(
                  place,
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
                <label for={`${id}-w${place}`}>Weight</label>
                <input
                  id={`${id}-w${place}`}
                  type="number"
                  min="0.1"
                  step="0.1"
                  value={row.weight}
                  onInput={(event) => change(place, { weight: event.currentTarget.value })}
                />
              </div>
              <button
                type="button"
                class="button small"
                onClick={() => props.onChange(props.rows.filter((_, at) => at !== place))}
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

export function NewIndexForm(props: {
  onDone: (name: string) => void;
  // Values from a plan: they are fixed, and the form does not ask for them.
  // isCurrent: false while another plan is asked for.
  planned?: { threshold: number; recall: number; slots: number; bands: string; isCurrent: boolean };
}): JSX.Element {
  const { indexes, announce } = useApp();
  const action = useAction();
  const id = useId();
  const [name, setName] = useState('');
  const [rows, setRows] = useState<FieldRow[]>([{ name: 'text', features: 'text:word3', weight: '1' }]);
  const [attributes, setAttributes] = useState('');
  const [contained, setContained] = useState(false);
  const [threshold, setThreshold] = useState(0.7);
  const [keeps, setKeeps] = useState(true);
  const mayBeContained = !props.planned && rows.every((row) => hasContainment(row.features));
  const submit = (event: Event): void => {
    event.preventDefault();
    void action.run(async (isLast) => {
      const { planned } = props;
      await calls.createIndex(name, {
        fields: rows.map((row) => `${row.name}=${row.features}${rows.length > 1 ? `;w=${row.weight}` : ''}`),
        ...(attributes.trim() !== '' ? { attributes: linesFrom(attributes) } : {}),
        ...(contained && mayBeContained ? { measure: 'containment' as const } : {}),
        min_threshold: planned?.threshold ?? threshold,
        keep_documents: keeps,
        ...(planned ? { recall: planned.recall, sketch: `fss:${planned.slots}`, bands: planned.bands } : {}),
      });
      announce(`The index ${name} is there.`);
      indexes.reload();
      if (isLast()) props.onDone(name);
    });
  };
  return (
    <form class="panel new-index" onSubmit={submit}>
      <h2>New index</h2>
      <div class="field">
        <label for={`${id}-name`}>Name of the index</label>
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
      <div class="field">
        <label for={`${id}-attributes`}>Attributes (optional)</label>
        <textarea
          id={`${id}-attributes`}
          rows={2}
          spellcheck={false}
          value={attributes}
          placeholder="One a line, such as lang=string"
          onInput={(event) => setAttributes(event.currentTarget.value)}
        />
        <p class="field-note">
          Kept with each document, to limit searches by: string, number, time or boolean. expires_at=time;ttl=30d makes
          documents expire.
        </p>
      </div>
      {!props.planned && (
        <Slider
          label="Least threshold"
          value={threshold}
          min={0.1}
          max={1}
          onInput={setThreshold}
          note="The lowest score that searches will ask for. What documents are found by is chosen so that 99 % of the pairs exactly there are found."
        />
      )}
      {mayBeContained && (
        <label class="check">
          <input type="checkbox" checked={contained} onChange={(event) => setContained(event.currentTarget.checked)} />
          <span>Find short documents inside long ones: scores are shares of the smaller document (containment)</span>
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={keeps} onChange={(event) => setKeeps(event.currentTarget.checked)} />
        <span>Keep the documents themselves, to show and compare them later</span>
      </label>
      <ProblemNote problem={action.problem} />
      <div class="buttons">
        <button
          type="submit"
          class="button primary"
          disabled={action.busy || name.trim() === '' || props.planned?.isCurrent === false}
        >
          Create the index
        </button>
      </div>
    </form>
  );
}
