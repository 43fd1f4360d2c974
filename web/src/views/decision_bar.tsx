// Says what was decided last, takes it back, and adds a note to it. It is there only after a decision.
import type { JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { ProblemNote } from '../ui/parts';
import type { Review } from './review';

export function DecisionBar({ review }: { review: Review }): JSX.Element | null {
  const { last, isConflict, problem } = review;
  const id = useId();
  const [note, setNote] = useState('');
  useEffect(() => setNote(last?.note ?? ''), [last?.sentence, last?.note]);
  if (!last && !isConflict && !problem) return null;
  return (
    <div class="panel decide">
      {isConflict && (
        <p class="note note-problem" role="alert">
          <strong>Somebody else has decided meanwhile.</strong> Nothing of yours replaced it: what is stored now is
          shown here. Look at it, and decide again if you still want to.
        </p>
      )}
      <ProblemNote problem={problem} />
      {last && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            review.saveNote(note.trim());
          }}
        >
          <p class="decided">
            <span class="tag good">Stored</span>{' '}
            {last.sentence.map((part) => (typeof part === 'string' ? part : <bdi>{part.id}</bdi>))}
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
