// Sets the options of a deduplication, and asks for confirmation before it removes documents.
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { ClusterKind, Task } from '../api/types';
import * as format from '../logic/format';
import { kGuardRails, kRailNames, sharesOf, type GuardRails } from '../logic/guard_rails';
import { lastIndex, useAction, useApp } from '../ui/app_state';
import { ClusterChoice, clusterKind, kindIn } from '../ui/cluster_choice';
import { TypedConfirmation } from '../ui/dialog';
import { IndexPicker, Loading, ProblemNote, Segments, Slider } from '../ui/parts';

type What = 'dry' | 'remove';

export function DedupForm({ onStart }: { onStart: (task: Task, isLast: boolean) => void }): JSX.Element {
  const { indexes, announce, route } = useApp();
  const action = useAction();
  const all = (indexes.data ?? []).filter((one) => one.state === 'ready');
  const [name, setName] = useState(route.values['index'] ?? lastIndex() ?? '');
  const [what, setWhat] = useState<What>('dry');
  const [chosenKind, setCluster] = useState<ClusterKind>(clusterKind(route.values['kind']));
  const [threshold, setThreshold] = useState<number | null>(
    route.values['threshold'] === undefined ? null : Number(route.values['threshold']),
  );
  const [rails, setRails] = useState<GuardRails>({ largest_cluster: '', largest_loss: '' });
  const [isSure, setSure] = useState(false);
  const wanted = route.values['index'];
  const found = all.find((one) => one.name === name);
  // Not another index than the one of the address.
  const isMissing = wanted !== undefined && wanted === name && !found;
  const index = isMissing ? undefined : (found ?? all[0]);
  if (isMissing && indexes.loading) return <Loading what="the indexes" />;
  if (isMissing && all.length > 0) {
    return (
      <section class="panel">
        <h2>Deduplicate an index</h2>
        <div class="note note-problem">
          <p>
            There is no index <bdi>{wanted}</bdi>. It may have another name, or may have been deleted.
          </p>
          <p>
            <button type="button" class="button small" onClick={() => setName('')}>
              Choose another one
            </button>
          </p>
        </div>
      </section>
    );
  }
  if (!index) {
    return (
      <section class="panel">
        <h2>Deduplicate an index</h2>
        <p class="quiet">
          There is no index yet. <a href="#/try">Make one first.</a>
        </p>
      </section>
    );
  }
  const cluster = kindIn(index.schema, chosenKind);
  const at = Math.max(threshold ?? 0, index.schema.min_threshold);
  const start = (): Promise<boolean> =>
    action.run(async (isLast) => {
      setSure(false);
      const task = await calls.startDedup(index.name, {
        threshold: at,
        ...(cluster === 'leader' ? {} : { cluster }),
        ...(what === 'remove' ? { remove: true, ...sharesOf(rails) } : {}),
      });
      announce('The deduplication has begun.');
      onStart(task, isLast());
    });
  return (
    <section class="panel" aria-labelledby="dedup">
      <h2 id="dedup">Deduplicate an index</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (what === 'remove') setSure(true);
          else void start();
        }}
      >
        <IndexPicker all={all} value={index.name} onChange={setName} />
        <Segments
          label="What to do"
          value={what}
          options={{ dry: 'Dry run', remove: 'Remove duplicates' }}
          onChange={setWhat}
        />
        <p class="field-note segment-note">
          {what === 'dry'
            ? 'Counts and reports what would be removed. Nothing changes.'
            : 'Removes all documents of each cluster but one, its keeper. Documents in no cluster are kept. Decisions are respected.'}
        </p>
        <Slider
          label="Threshold"
          value={at}
          min={index.schema.min_threshold}
          max={1}
          onInput={setThreshold}
          note={`Not below ${index.schema.min_threshold}, for which the index was planned.`}
        />
        <ClusterChoice schema={index.schema} label="In a cluster is" value={cluster} onChange={setCluster} />
        {what === 'remove' && <GuardRailFields rails={rails} onInput={setRails} />}
        <div class="buttons">
          <button type="submit" class={what === 'remove' ? 'button danger' : 'button primary'} disabled={action.busy}>
            {what === 'remove' ? 'Remove duplicates …' : 'Start the dry run'}
          </button>
        </div>
      </form>
      <ProblemNote problem={action.problem} />
      {isSure && (
        <TypedConfirmation
          title={`Remove the duplicates of ${index.name}?`}
          word={index.name}
          action="Remove the duplicates"
          onClose={() => setSure(false)}
          onConfirm={() => void start()}
        >
          <p>
            {kWhatIsRemoved[cluster](format.threshold(at))} A dry run with the same settings says how many these are,
            and which.
          </p>
        </TypedConfirmation>
      )}
    </section>
  );
}

const kWhatIsRemoved: Record<ClusterKind, (at: string) => string> = {
  leader: (at) =>
    `One document of each cluster is kept; each that is removed is similar to the kept one, at ${at} or above.`,
  components: (at) =>
    `One document of each cluster is kept; each that is removed is connected with it by a chain of documents, of which each is similar to the next at ${at} or above. It may have little in common with the kept one.`,
};

function GuardRailFields(props: { rails: GuardRails; onInput: (rails: GuardRails) => void }): JSX.Element {
  const id = useId();
  return (
    // Opens if a field in it has a wrong value: otherwise the button would do nothing, for no visible reason.
    <details class="guards" onInvalidCapture={(event) => (event.currentTarget.open = true)}>
      <summary>Guard rails</summary>
      <div class="row-end">
        {kRailNames.map((name) => (
          <div class="field" key={name}>
            <label for={`${id}-${name}`}>{kGuardRails[name].label}, %</label>
            <input
              id={`${id}-${name}`}
              type="number"
              min="0"
              max="100"
              step="any"
              value={props.rails[name]}
              placeholder={String(kGuardRails[name].percent)}
              onInput={(event) => props.onInput({ ...props.rails, [name]: event.currentTarget.value })}
            />
          </div>
        ))}
      </div>
      <p class="field-note">
        Shares of all documents: how many may be in one cluster, and how many may be removed in all. A run that would
        exceed one of them stops, and removes nothing.
      </p>
    </details>
  );
}
