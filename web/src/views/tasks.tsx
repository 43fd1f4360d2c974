// Shows tasks, which are long work on an index, and starts them.
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem } from '../api/client';
import type { Task } from '../api/types';
import { routeHash } from '../logic/routes';
import { settle, useApp, useLoad, useRepeated } from '../ui/app_state';
import { Empty, Loading, ProblemNote } from '../ui/parts';
import { DedupForm } from './dedup_form';
import { TaskCard } from './task_card';

const kLookAgain = 3000;

export function TasksView(): JSX.Element {
  const { route, indexes, may } = useApp();
  const loaded = useLoad(calls.tasks, []);
  const [tasks, setTasks] = useState<Task[]>([]);
  const [chosenId, setChosenId] = useState(route.part);
  useEffect(() => {
    if (loaded.data) setTasks(loaded.data);
  }, [loaded.data]);
  const updates = useRef(0);
  const update = useCallback((task: Task) => {
    updates.current++;
    setTasks((old) =>
      old.some((one) => one.id === task.id) ? old.map((one) => (one.id === task.id ? task : one)) : [task, ...old],
    );
  }, []);
  const isRefused = useRef(false);
  useRepeated(() => {
    if (!loaded.data || isRefused.current) return;
    const asked = updates.current;
    calls
      .tasks()
      // An answer that was requested before an update is ignored, since it would undo the update.
      .then((now) => asked === updates.current && setTasks(now))
      // After a refused key the list is not requested again, so that the user is not asked again and again. After any
      // other problem it is.
      .catch((error: unknown) => (isRefused.current = asProblem(error).status === 401));
  }, kLookAgain);
  const finished = useCallback(
    (task: Task) => {
      if (task.kind !== 'dedup') return;
      indexes.reload();
    },
    [indexes.reload],
  );
  const newest = [...tasks].sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : 0));
  const chosen = newest.find((task) => String(task.id) === chosenId);
  const shown = chosen ? [chosen, ...newest.filter((task) => task !== chosen)] : newest;
  return (
    <>
      <div class="title">
        <h1>Tasks</h1>
        <p class="quiet">
          Deduplication, verification, compaction and snapshots run while requests are answered. Finished tasks and
          their reports are still here after a restart of the server.
        </p>
      </div>
      <div class="split tasks-split">
        {may('write') ? (
          <DedupForm
            onStart={(task) => {
              update(task);
              // The address is replaced and not followed, so that the form keeps its values for the run after a dry
              // run.
              setChosenId(String(task.id));
              settle(routeHash('tasks', String(task.id)));
            }}
          />
        ) : (
          <p class="panel quiet">The key in use may read. A key with the scope write may start tasks.</p>
        )}
        <section class="stack" aria-label="All tasks">
          <ProblemNote problem={loaded.problem} again={loaded.reload} />
          {loaded.loading && !loaded.data && <Loading what="the tasks" />}
          {loaded.data && tasks.length === 0 && (
            <Empty title="No task yet">
              <p>
                Start a deduplication here, or verify, compact or copy an index from its page. A dry run changes
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
