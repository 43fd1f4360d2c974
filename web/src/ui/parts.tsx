// Provides small parts that every view uses.
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Problem } from '../api/client';
import * as format from '../logic/format';
import { shownId, shownText } from '../logic/hidden';
import type { Index, Mark } from '../api/types';

export function ProblemNote({ problem, again }: { problem: Problem | null; again?: () => void }): JSX.Element | null {
  if (!problem) return null;
  return (
    <div class="note note-problem" role="alert">
      <p>
        <strong>{problem.title}.</strong> {sentence(problem.message)}
      </p>
      {problem.where && <p class="quiet">At {shownId(problem.where)}.</p>}
      {problem.hint && <p>{sentence(problem.hint)}</p>}
      {again && (
        <p>
          <button type="button" class="button small" onClick={again}>
            Try again
          </button>
        </p>
      )}
    </div>
  );
}

export function sentence(text: string): string {
  const trimmed = shownText(text).trim();
  const closed = /[.!?)]$/.test(trimmed) ? trimmed : trimmed + '.';
  return closed.charAt(0).toUpperCase() + closed.slice(1);
}

// A note that there is nothing to show. If it replaces a whole view, its title is the heading of the page.
export function Empty({
  title,
  isView,
  children,
}: {
  title: string;
  isView?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      {isView ? <h1>{title}</h1> : <h2>{title}</h2>}
      {children}
    </div>
  );
}

export const Loading = ({ what }: { what: string }): JSX.Element => <p class="loading">Reading {what} …</p>;

// An id in its own direction, whatever the direction of the text around it, with what is invisible in it.
export const Id = ({ children }: { children: string }): JSX.Element => <bdi class="id">{shownId(children)}</bdi>;

// A score as a bar. Screen readers read the number next to it.
export function ScoreBar({ value, at }: { value: number; at?: number }): JSX.Element {
  const width = `${Math.max(0, Math.min(1, value)) * 100}%`;
  return (
    <span class="bar" aria-hidden="true">
      <span class="bar-fill" style={{ width }} />
      {at !== undefined && <span class="bar-line" style={{ left: `${at * 100}%` }} />}
    </span>
  );
}

export const StateTag = ({ state, ready }: { state: Index['state']; ready?: boolean }): JSX.Element | null =>
  state === 'damaged' ? (
    <span class="tag bad">Damaged</span>
  ) : state === 'busy' ? (
    <span class="tag busy">Busy</span>
  ) : state === 'unavailable' ? (
    <span class="tag busy">Out of reach</span>
  ) : ready ? (
    <span class="tag good">Ready</span>
  ) : null;

export function Tile(props: { value: string; label: string; note?: ComponentChildren }): JSX.Element {
  const { value, label, note } = props;
  return (
    <div class="tile">
      <dt>{label}</dt>
      <dd>{value}</dd>
      {note && <dd class="tile-note">{note}</dd>}
    </div>
  );
}

export const Tiles = ({ children }: { children: ComponentChildren }): JSX.Element => <dl class="tiles">{children}</dl>;

export function CopyButton({ text, what }: { text: string; what: string }): JSX.Element {
  const [done, setDone] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without https the clipboard API works only on localhost.
      const area = document.createElement('textarea');
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    setDone(true);
    setTimeout(() => setDone(false), 1600);
  };
  return (
    <button type="button" class="button small" onClick={copy}>
      {done ? 'Copied' : 'Copy'}
      <span class="hidden"> {what}</span>
    </button>
  );
}

export function Segments<T extends string>(props: {
  label: string;
  value: T;
  options: Readonly<Record<T, string>>; // their names, in this order
  onChange: (value: T) => void;
}): JSX.Element {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend class="hidden">{props.label}</legend>
      {(Object.keys(props.options) as T[]).map((value) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={value}
            checked={props.value === value}
            onChange={() => props.onChange(value)}
          />
          <span>{props.options[value]}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function Slider(props: {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  note?: ComponentChildren;
  onInput: (value: number) => void;
}): JSX.Element {
  const { step = 0.01 } = props;
  const id = useId();
  const set = (value: number): void => props.onInput(Math.min(props.max, Math.max(props.min, value)));
  const read = (event: Event): void => {
    const value = Number((event.currentTarget as HTMLInputElement).value);
    if (Number.isFinite(value)) set(value);
  };
  // The box takes a number between the steps, too, such as a threshold that somebody else has chosen. With such a step
  // the browser's arrow keys would go up and down by 1.
  const stepByKey = (event: KeyboardEvent & { currentTarget: HTMLInputElement }): void => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined) return;
    event.preventDefault();
    set(Number((Number(event.currentTarget.value) + direction * step).toFixed(10)));
  };
  const share = ((props.value - props.min) / (props.max - props.min)) * 100;
  return (
    <div class="field slider">
      <label for={id}>{props.label}</label>
      <div class="slider-row">
        <input
          id={id}
          type="range"
          min={props.min}
          max={props.max}
          step={step}
          value={props.value}
          aria-valuetext={String(props.value)}
          style={{ '--share': `${share}%` }}
          onInput={read}
        />
        <input
          type="number"
          class="number-box"
          aria-label={`${props.label}, as a number`}
          min={props.min}
          max={props.max}
          step="any"
          value={props.value}
          onChange={read}
          onKeyDown={stepByKey}
        />
      </div>
      {props.note && <p class="field-note">{props.note}</p>}
    </div>
  );
}

export function IndexPicker(props: { all: Index[]; value: string; onChange: (name: string) => void }): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>Index</label>
      <select id={id} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.all.map((one) => (
          <option key={one.name} value={one.name}>
            {one.name} ({format.counted(one.documents, 'document')})
          </option>
        ))}
      </select>
    </div>
  );
}

export function MarkedText({
  pieces,
  label,
}: {
  pieces: readonly { text: string; mark: Mark }[];
  label?: string;
}): JSX.Element {
  return (
    <p class="marked" dir="auto" aria-label={label}>
      {pieces.map((piece, place) =>
        piece.mark === 'none' ? (
          shownText(piece.text)
        ) : (
          <mark key={place} class={piece.mark}>
            {shownText(piece.text)}
          </mark>
        ),
      )}
    </p>
  );
}

export const MarkKey = ({ own = true }: { own?: boolean }): JSX.Element => (
  <ul class="mark-key">
    <li>
      <mark class="shared">shared</mark> with the other document
    </li>
    {own && (
      <li>
        <mark class="own">own</mark> only in this one
      </li>
    )}
  </ul>
);

// A cell for each band, highlighted if the two documents share its key.
export function BandGrid(props: { bands: number; met: readonly number[]; small?: boolean }): JSX.Element {
  const met = new Set(props.met);
  const sentence = `${met.size} of ${format.counted(props.bands, 'band')} met`;
  return (
    <span class={props.small ? 'band-grid small' : 'band-grid'} role="img" aria-label={sentence}>
      {Array.from({ length: props.bands }, (_, band) => (
        <span
          key={band}
          class={met.has(band) ? 'band met' : 'band'}
          title={`Band ${band}: ${met.has(band) ? 'met' : 'differs'}`}
        />
      ))}
    </span>
  );
}
