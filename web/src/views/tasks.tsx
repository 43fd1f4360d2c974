// Tasks: long work on a collection, as it happens.
import type { JSX } from 'preact';
import { useCallback, useEffect, useId, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Task } from '../api/types';
import * as format from '../logic/format';
import { go, useAction, useApp, useLoad } from '../ui/app_state';
import { TypedConfirmation } from '../ui/dialog';
import { Empty, Loading, ProblemNote, Segments, Slider } from '../ui/parts';
import { routeHash } from '../logic/routes';
import { forgetKept } from './kept_document';
import { TaskCard } from './task_card';

export function TasksView(): JSX.Element {
  const { route, collections } = useApp();
  const loaded = useLoad(calls.tasks, []);
  const [tasks, setTasks] = useState<Task[]>([]);
  useEffect(() => {
    if (loaded.data) setTasks(loaded.data);
  }, [loaded.data]);
  const update = useCallback((task: Task) => {
    setTasks((old) =>
      old.some((one) => one.id === task.id) ? old.map((one) => (one.id === task.id ? task : one)) : [task, ...old],
    );
  }, []);
  const finished = useCallback(
    (task: Task) => {
      if (task.kind !== 'dedup') return;
      forgetKept();
      collections.reload();
    },
    [collections.reload],
  );
  const newest = [...tasks].sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
  const chosen = newest.find((task) => String(task.id) === route.part);
  const shown = chosen ? [chosen, ...newest.filter((task) => task !== chosen)] : newest;
  return (
    <>
      <div class="title">
        <h1>Tasks</h1>
        <p class="quiet">Deduplication, verification, compaction and snapshots run beside everything else.</p>
      </div>
      <div class="split tasks-split">
        <DedupForm
          onStart={(task) => {
            update(task);
            go(routeHash('tasks', String(task.id)));
          }}
        />
        <section class="stack" aria-label="All tasks">
          <ProblemNote problem={loaded.problem} again={loaded.reload} />
          {loaded.loading && !loaded.data && <Loading what="the tasks" />}
          {loaded.data && tasks.length === 0 && (
            <Empty title="No task yet">
              <p>
                Start a deduplication here, or verify, compact or copy a collection from its page. A dry run changes
                nothing.
              </p>
            </Empty>
          )}
          {shown.map((task) => (
            <TaskCard key={task.id} task={task} isChosen={task === chosen} onUpdate={update} onFinished={finished} />
          ))}
        </section>
      </div>
    </>
  );
}

type What = 'dry' | 'remove';

function DedupForm({ onStart }: { onStart: (task: Task) => void }): JSX.Element {
  const { collections, announce } = useApp();
  const action = useAction();
  const id = useId();
  const all = (collections.data ?? []).filter((one) => one.state === 'ready');
  const [name, setName] = useState('');
  const [what, setWhat] = useState<What>('dry');
  const [threshold, setThreshold] = useState<number | null>(null);
  const [mostRemoved, setMostRemoved] = useState('');
  const [mostInCluster, setMostInCluster] = useState('');
  const [isSure, setSure] = useState(false);
  const collection = all.find((one) => one.name === name) ?? all[0];
  if (!collection) {
    return (
      <section class="panel">
        <h2>Deduplicate a collection</h2>
        <p class="quiet">
          There is no collection yet. <a href="#/try">Make one first.</a>
        </p>
      </section>
    );
  }
  const at = Math.max(threshold ?? 0, collection.schema.min_threshold);
  const start = (): Promise<boolean> =>
    action.run(async () => {
      setSure(false);
      const task = await calls.startDedup(collection.name, {
        threshold: at,
        remove: what === 'remove',
        ...(mostRemoved === '' ? {} : { max_removed: Number(mostRemoved) }),
        ...(mostInCluster === '' ? {} : { max_cluster: Number(mostInCluster) }),
      });
      announce('The deduplication has begun.');
      onStart(task);
    });
  return (
    <section class="panel" aria-labelledby="dedup">
      <h2 id="dedup">Deduplicate a collection</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (what === 'remove') setSure(true);
          else void start();
        }}
      >
        <div class="field">
          <label for={`${id}-c`}>Collection</label>
          <select id={`${id}-c`} value={collection.name} onChange={(event) => setName(event.currentTarget.value)}>
            {all.map((one) => (
              <option key={one.name} value={one.name}>
                {one.name} ({format.counted(one.documents, 'document')})
              </option>
            ))}
          </select>
        </div>
        <Segments
          label="What to do"
          value={what}
          options={[
            { value: 'dry', name: 'Dry run' },
            { value: 'remove', name: 'Remove duplicates' },
          ]}
          onChange={setWhat}
        />
        <p class="field-note segment-note">
          {what === 'dry'
            ? 'Counts and reports what would be removed. Nothing changes.'
            : 'Removes every document but the keepers. Decisions are respected.'}
        </p>
        <Slider
          label="Threshold"
          value={at}
          min={collection.schema.min_threshold}
          max={1}
          step={0.01}
          digits={2}
          onInput={setThreshold}
          note={`Not below ${collection.schema.min_threshold}, for which the collection was planned.`}
        />
        <details class="guards">
          <summary>Guard rails</summary>
          <div class="row-end">
            <div class="field">
              <label for={`${id}-l`}>Largest cluster</label>
              <input
                id={`${id}-l`}
                type="number"
                min="2"
                value={mostInCluster}
                placeholder="no limit"
                onInput={(event) => setMostInCluster(event.currentTarget.value)}
              />
            </div>
            <div class="field">
              <label for={`${id}-r`}>Share removed</label>
              <input
                id={`${id}-r`}
                type="number"
                min="0"
                max="1"
                step="0.01"
                value={mostRemoved}
                placeholder="no limit"
                onInput={(event) => setMostRemoved(event.currentTarget.value)}
              />
            </div>
          </div>
          <p class="field-note">A run that would go beyond one of them stops, and removes nothing.</p>
        </details>
        <div class="buttons">
          <button type="submit" class={what === 'remove' ? 'button danger' : 'button primary'} disabled={action.busy}>
            {what === 'remove' ? 'Remove duplicates …' : 'Start the dry run'}
          </button>
        </div>
      </form>
      <ProblemNote problem={action.problem} />
      {isSure && (
        <TypedConfirmation
          title={`Remove the duplicates of ${collection.name}?`}
          word={collection.name}
          action="Remove the duplicates"
          onClose={() => setSure(false)}
          onConfirm={() => void start()}
        >
          <p>
            Every document that is similar to a keeper at {at.toFixed(2)} or above will be removed. A dry run at the
            same threshold says how many these are, and which.
          </p>
        </TypedConfirmation>
      )}
    </section>
  );
}
