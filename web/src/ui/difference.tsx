// Shows what differs between a document and its keeper: changes in context, with what is common folded away.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { inContext, type Piece, type SetDifference, type TextDifference } from '../logic/differences';
import { isCopy, type FieldDifference } from '../logic/document_differences';
import * as format from '../logic/format';
import { shownId, shownText } from '../logic/hidden';
import { lengthOf } from '../logic/words';

const kChanges = 5; // changes that are shown at first
const kMostChanges = 400;
const kContext = 8; // words around a change
const kClip = 420; // characters of a long change that are shown at first

// The words that the page adds are marked as English, so that they do not decide the direction of the text.
const Said = ({ text }: { text: string }): JSX.Element => (
  <span class="hidden" dir="ltr" lang="en">
    {text}
  </span>
);

function Fold({ text, label }: { text: string; label: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="fold" dir="ltr" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'fold' : label}
      </button>
      {isOpen && shownText(text)}
    </>
  );
}

const inCommon = ({ length }: Extract<Piece, { kind: 'fold' }>): string =>
  `… ${format.counted(length.count, length.unit)} in common …`;

function Clipped({ text: whole }: { text: string }): JSX.Element {
  const text = shownText(whole);
  if (text.length <= kClip) return <>{text}</>;
  const rest = text.slice(kClip);
  const { count, unit } = lengthOf(rest);
  return (
    <>
      {text.slice(0, kClip)}
      <Fold text={rest} label={`… ${format.counted(count, `more ${unit}`)} …`} />
    </>
  );
}

function Change({ removed, added, after }: Extract<Piece, { kind: 'change' }>): JSX.Element {
  return (
    <>
      {removed !== '' && (
        <del>
          <Said text="only in the keeper: " />
          <Clipped text={removed} />
        </del>
      )}
      {removed !== '' && added !== '' && ' '}
      {added !== '' && (
        <ins>
          <Said text="only in this document: " />
          <Clipped text={added} />
        </ins>
      )}
      <Said text=" (end)" />
      {shownText(after)}
    </>
  );
}

export const DifferenceKey = (): JSX.Element => (
  <p class="mark-key">
    <span>
      <del>struck out</del> only in the keeper
    </span>
    <span>
      <ins>underlined</ins> only in the document below
    </span>
  </p>
);

function TextChanges({ difference }: { difference: TextDifference }): JSX.Element {
  const [most, setMost] = useState(kChanges);
  const { changes, isWhole } = difference;
  const pieces = inContext(difference, most, kContext);
  return (
    <>
      <p class="difference" dir="auto">
        {pieces.map((piece, place) =>
          piece.kind === 'text' ? (
            shownText(piece.text)
          ) : piece.kind === 'fold' ? (
            <Fold key={place} text={piece.text} label={inCommon(piece)} />
          ) : (
            <Change key={place} {...piece} />
          ),
        )}
      </p>
      {changes > most && most < kMostChanges && (
        <button type="button" class="button small" onClick={() => setMost(kMostChanges)}>
          Show {changes > kMostChanges ? `the first ${kMostChanges}` : 'all'} of {format.counted(changes, 'difference')}
        </button>
      )}
      {changes > most && most >= kMostChanges && (
        <p class="quiet small">
          {format.count(kMostChanges)} of {format.counted(changes, 'difference')} are shown.
        </p>
      )}
      {!isWhole && (
        <p class="quiet small">
          Only the first differences are shown: these texts are too long and too different to compare to their end.
        </p>
      )}
    </>
  );
}

function Values({ values }: { values: SetDifference }): JSX.Element {
  return (
    <ul class="chips value-changes">
      {values.onlyKept.map((value) => (
        <li key={`a ${value}`}>
          <del dir="auto">
            <Said text="only in the keeper: " />
            {shownText(value)}
          </del>
        </li>
      ))}
      {values.onlyOwn.map((value) => (
        <li key={`b ${value}`}>
          <ins dir="auto">
            <Said text="only in this document: " />
            {shownText(value)}
          </ins>
        </li>
      ))}
      {values.otherWeight.map(({ value, kept, own }) => (
        <li key={`w ${value}`}>
          <bdi>{shownText(value)}</bdi>{' '}
          <del>
            <Said text="in the keeper " />
            {kept}
          </del>{' '}
          <ins>
            <Said text="here " />
            {own}
          </ins>
        </li>
      ))}
      {values.common > 0 && <li class="quiet">{format.counted(values.common, 'value')} in common</li>}
    </ul>
  );
}

function headOf(fields: readonly FieldDifference[]): string {
  if (fields.every((one) => one.isEqual)) return 'Equal to the keeper.';
  if (isCopy(fields)) return 'Equal to the keeper in all that is compared.';
  const changes = fields.reduce(
    (sum, one) =>
      sum +
      (one.kind === 'text'
        ? one.text.changes
        : one.kind === 'values'
          ? one.values.onlyKept.length + one.values.onlyOwn.length + one.values.otherWeight.length
          : 0),
    0,
  );
  if (changes > 0) return `${format.counted(changes, 'difference')} from the keeper:`;
  return fields.some((one) => one.kind === 'text' && !one.isEqual)
    ? 'The same words as the keeper; only blanks and line ends differ.'
    : '';
}

function Field({ field }: { field: FieldDifference }): JSX.Element | null {
  switch (field.kind) {
    case 'text':
      return field.text.changes > 0 ? <TextChanges difference={field.text} /> : null;
    case 'values':
      return <Values values={field.values} />;
    case 'other':
      return (
        <p class="difference" dir="auto">
          <Change kind="change" removed={field.kept} added={field.own} after="" />
        </p>
      );
    default:
      return null;
  }
}

export function Difference({ fields }: { fields: readonly FieldDifference[] }): JSX.Element {
  const isNamed = fields.filter((one) => one.kind !== 'image').length > 1;
  const head = headOf(fields);
  return (
    <div class="differences">
      {head !== '' && <p class={isCopy(fields) ? 'tag-line equal' : 'tag-line'}>{head}</p>}
      {fields
        .filter((one) => !one.isEqual && !(one.kind === 'text' && one.text.changes === 0))
        .map((one) => (
          <div key={one.name}>
            {isNamed && one.kind !== 'image' && (
              <h4>
                <bdi>{shownId(one.name)}</bdi>{' '}
                {one.kind === 'other' && <span class="quiet">not compared by the index</span>}
              </h4>
            )}
            <Field field={one} />
          </div>
        ))}
    </div>
  );
}

const kShortClip = 60;
const short = (text: string): string => format.beginning(shownText(text), kShortClip);

// The first difference in one line, for lists.
export function FirstDifference({ fields }: { fields: readonly FieldDifference[] }): JSX.Element | null {
  const first = fields.find((one) => one.kind !== 'image' && one.kind !== 'other' && !one.isEqual);
  if (!first) {
    return fields.some((one) => one.kind === 'image') ? null : <span class="first-difference">Equal</span>;
  }
  if (first.kind === 'values') {
    const { onlyKept, onlyOwn, otherWeight } = first.values;
    return (
      <span class="first-difference">
        {onlyKept.length > 0 && <del dir="auto">{short(onlyKept.join(', '))}</del>}{' '}
        {onlyOwn.length > 0 && <ins dir="auto">{short(onlyOwn.join(', '))}</ins>}
        {onlyKept.length + onlyOwn.length === 0 && `${format.counted(otherWeight.length, 'other weight')}`}
      </span>
    );
  }
  if (first.kind !== 'text') return null;
  if (first.text.changes === 0) return <span class="first-difference">Only blanks differ</span>;
  const pieces = inContext(first.text, 1, 3);
  return (
    <span class="first-difference" dir="auto">
      {pieces.map((piece, place) =>
        piece.kind === 'text' ? (
          shownText(piece.text)
        ) : piece.kind === 'fold' ? (
          ' … '
        ) : (
          <>
            {piece.removed !== '' && <del key={`d${place}`}>{short(piece.removed)}</del>}{' '}
            {piece.added !== '' && <ins key={`i${place}`}>{short(piece.added)}</ins>}
            {shownText(piece.after)}
          </>
        ),
      )}
    </span>
  );
}
