// Lists what people have decided about an index, and lets the user undo it.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem } from '../api/client';
import type { Index, Decision } from '../api/types';
import { membersBeside } from '../logic/clusters';
import * as format from '../logic/format';
import { shownId, shownText } from '../logic/hidden';
import { confirmsCopies } from '../logic/review';
import { useAction, useApp, type Loaded } from '../ui/app_state';
import { Id, ProblemNote } from '../ui/parts';

const kShown = 4;

export function sentenceOf(decision: Decision): JSX.Element {
  const named = membersBeside(decision);
  const ids = named.map((id, place) => (
    <>
      {place > 0 && (place === named.length - 1 && named.length <= kShown ? ' and ' : ', ')}
      <Id>{id}</Id>
    </>
  ));
  const some = (
    <>
      {ids.slice(0, kShown)}
      {ids.length > kShown && ` and ${format.count(ids.length - kShown)} more`}
    </>
  );
  if (decision.not_duplicates) return <>{some} are not copies of one another.</>;
  if (decision.keeper === null)
    return confirmsCopies(decision) ? <>{some} are copies of one another.</> : <>A note about {some}.</>;
  return (
    <>
      <Id>{decision.keeper}</Id> is the keeper of {named.length > 0 ? some : 'its cluster'}.
    </>
  );
}

export function DecisionList(props: {
  index: Index;
  decisions: Loaded<Decision[]>;
  onChange: () => void;
}): JSX.Element {
  const { decisions, index } = props;
  const { announce, may } = useApp();
  const action = useAction();
  const [conflict, setConflict] = useState<'changed' | 'gone' | null>(null);
  const undo = (decision: Decision): Promise<boolean> =>
    action.run(async () => {
      setConflict(null);
      try {
        await calls.undoDecision(index.name, decision.id, decision.etag);
        announce('The decision has been taken back.');
      } catch (error) {
        const { code } = asProblem(error);
        if (code !== 'changed_meanwhile' && code !== 'decision_not_found') throw error;
        setConflict(code === 'changed_meanwhile' ? 'changed' : 'gone');
      }
      props.onChange();
    });
  const all = decisions.data ?? [];
  return (
    <section class="decisions panel" aria-labelledby="decisions">
      <h2 id="decisions">Decisions</h2>
      <ProblemNote problem={decisions.problem} again={decisions.reload} />
      {decisions.data && all.length === 0 && (
        <p class="quiet">None yet. What you decide about a cluster is listed here, and can be taken back.</p>
      )}
      {conflict && (
        <p class="note note-problem" role="alert">
          {conflict === 'changed' ? (
            <>
              <strong>This decision has changed meanwhile.</strong> The list shows it as it is now; take it back again
              if you still want to.
            </>
          ) : (
            <>
              <strong>This decision had already been taken back.</strong> The list shows the decisions as they are now.
            </>
          )}
        </p>
      )}
      <ProblemNote problem={action.problem} />
      {all.length > 0 && (
        <ul class="decision-list">
          {all.map((decision) => (
            <li key={decision.id}>
              <div>
                <p>{sentenceOf(decision)}</p>
                <p class="quiet small">
                  {format.when(decision.at)}
                  {decision.note && (
                    <>
                      {' '}
                      · <bdi>{shownText(decision.note)}</bdi>
                    </>
                  )}
                </p>
              </div>
              {may('write') && (
                <button type="button" class="button small" disabled={action.busy} onClick={() => void undo(decision)}>
                  Undo<span class="hidden"> the decision about {shownId(decision.members[0] ?? '')}</span>
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
