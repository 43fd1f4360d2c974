// Says what was decided last, takes it back, and adds a note to it. It is there only after a decision.
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import * as format from '../logic/format';
import { shownId } from '../logic/hidden';
import { plainSentence, type SentencePart } from '../logic/review';
import { sentence } from '../ui/parts';
import type { Refusal, Review } from './review';

const kShown = 3; // refusals, the last ones

function Sentence({ parts }: { parts: readonly SentencePart[] }): JSX.Element {
  return <>{parts.map((part) => (typeof part === 'string' ? part : <bdi>{shownId(part.id)}</bdi>))}.</>;
}

function RefusalNote({ refusal }: { refusal: Refusal }): JSX.Element {
  const { lead, what, why } = refusal;
  return (
    <div class="note note-problem" role="alert">
      <p>
        <strong>{lead}:</strong> <Sentence parts={what} />
      </p>
      {why === null ? (
        <p>
          Decisions about these documents have changed meanwhile, and nothing of yours replaced them. What is stored now
          is shown here: look at it, and decide again if you still want to.
        </p>
      ) : Array.isArray(why) ? (
        <p>
          The reason: <Sentence parts={why} />
        </p>
      ) : (
        <p>
          {why.title}. {sentence(why.message)} {why.hint && sentence(why.hint)}
        </p>
      )}
    </div>
  );
}

export function DecisionBar({ review }: { review: Review }): JSX.Element | null {
  const { last, refusals } = review;
  const id = useId();
  const [note, setNote] = useState('');
  useEffect(() => setNote(last?.note ?? ''), [last?.sentence, last?.note]);
  if (!last && refusals.length === 0) return null;
  return (
    <div class="panel decide">
      {refusals.slice(-kShown).map((one) => (
        <RefusalNote key={one.lead + plainSentence(one.what)} refusal={one} />
      ))}
      {refusals.length > 0 && (
        <p class="refusals-end">
          {refusals.length > kShown && `${format.count(refusals.length - kShown)} more could not be stored. `}
          <button type="button" class="button small" onClick={review.closeRefusals}>
            Close
            <span class="hidden"> what could not be stored</span>
          </button>
        </p>
      )}
      {last && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            review.saveNote(note.trim());
          }}
        >
          <p class="decided">
            <span class="tag good">Stored</span> <Sentence parts={last.sentence} />
          </p>
          <button type="button" class="button small" onClick={review.undo}>
            Undo <kbd aria-hidden="true">U</kbd>
          </button>
          <label for={id} class="hidden">
            Note
          </label>
          <input
            id={id}
            type="text"
            dir="auto"
            value={note}
            placeholder="A note on why, for those who look at it later"
            onInput={(event) => setNote(event.currentTarget.value)}
          />
          <button type="submit" class="button small" disabled={note.trim() === last.note}>
            Save the note
          </button>
          <button type="button" class="button small quiet-button" onClick={review.forget}>
            Close
          </button>
        </form>
      )}
    </div>
  );
}
