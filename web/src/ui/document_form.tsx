// Edits a document to add or to search with: a control for each field of the index.
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { asProblem, type Problem } from '../api/client';
import type { Index, Document, FieldValue, SchemaField } from '../api/types';
import { kindOf, takesWeights, valuesFrom, weightsFrom, weightsText } from '../logic/schema';
import { asDataUrl } from '../upload/entries';
import { DropZone } from './drop_zone';
import { ProblemNote } from './parts';

function TextControl(props: {
  field: SchemaField;
  value: string;
  rows: number;
  onInput: (text: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.field.name}</label>
      <textarea
        id={id}
        dir="auto"
        rows={props.rows}
        value={props.value}
        placeholder="Paste or type a text"
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </div>
  );
}

// Values or weights, typed as text; what the text means so far goes to onInput.
function ListControl<T>(props: {
  field: SchemaField;
  value: T;
  read: (text: string) => T;
  write: (value: T) => string;
  placeholder: string;
  note: string;
  onInput: (value: T) => void;
}): JSX.Element {
  const id = useId();
  // The text as typed, which may end with a comma before the next value.
  const given = props.write(props.value);
  const [typed, setTyped] = useState(given);
  useEffect(() => {
    if (props.write(props.read(typed)) !== given) setTyped(given);
  }, [given]);
  return (
    <div class="field">
      <label for={id}>{props.field.name}</label>
      <textarea
        id={id}
        dir="auto"
        rows={3}
        value={typed}
        placeholder={props.placeholder}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          props.onInput(props.read(event.currentTarget.value));
        }}
      />
      <p class="field-note">{props.note}</p>
    </div>
  );
}

function ImageControl(props: { field: SchemaField; value: string; onInput: (url: string) => void }): JSX.Element {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const take = async (file: File | undefined): Promise<void> => {
    if (!file) return;
    setProblem(null);
    try {
      props.onInput(await asDataUrl(file));
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <div class="field">
      <label for={id}>{props.field.name}</label>
      <DropZone onDropped={(data) => void take(data.files[0])}>
        {props.value !== '' && <img src={props.value} alt={`The picture chosen for ${props.field.name}`} />}
        <div>
          <input
            id={id}
            ref={input}
            type="file"
            accept="image/jpeg,image/png,image/webp,image/gif"
            onChange={(event) => void take(event.currentTarget.files?.[0])}
          />
          <p class="field-note">Choose a picture or drop it here: JPEG, PNG, WebP or GIF.</p>
        </div>
      </DropZone>
      <ProblemNote problem={problem} />
    </div>
  );
}

export function DocumentForm(props: {
  index: Index;
  value: Document;
  rows?: number;
  onInput: (document: Document) => void;
}): JSX.Element {
  const set = (name: string, value: FieldValue): void => props.onInput({ ...props.value, [name]: value });
  const texts = props.index.schema.fields.filter((field) => kindOf(field) === 'text').length;
  return (
    <>
      {props.index.schema.fields.map((field) => {
        const value = props.value[field.name];
        const values = Array.isArray(value) ? value : [];
        switch (kindOf(field)) {
          case 'values':
            return takesWeights(field) ? (
              <ListControl<FieldValue>
                key={field.name}
                field={field}
                value={value ?? []}
                read={weightsFrom}
                write={weightsText}
                placeholder="tent: 2.5, rope: 1"
                note="Values with their weights, with commas or line ends between them. Without a number it is 1."
                onInput={(weights) => set(field.name, weights)}
              />
            ) : (
              <ListControl
                key={field.name}
                field={field}
                value={values}
                read={valuesFrom}
                write={(given) => given.join(', ')}
                placeholder="Values, with commas or line ends between them"
                note={`A set: order and repeats do not count.${values.length > 0 ? ` ${values.length} different so far.` : ''}`}
                onInput={(given) => set(field.name, given)}
              />
            );
          case 'image':
            return (
              <ImageControl
                key={field.name}
                field={field}
                value={typeof value === 'string' ? value : ''}
                onInput={(url) => set(field.name, url)}
              />
            );
          default:
            return (
              <TextControl
                key={field.name}
                field={field}
                rows={texts > 1 ? 3 : (props.rows ?? 8)}
                value={typeof value === 'string' ? value : ''}
                onInput={(text) => set(field.name, text)}
              />
            );
        }
      })}
    </>
  );
}
