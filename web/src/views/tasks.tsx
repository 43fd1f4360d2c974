// Shows tasks, which are long work on an index, and starts them.
import type { JSX } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem, isAbort, Problem } from '../api/client';
import type { Task } from '../api/types';
import { routeHash } from '../logic/routes';
import { endedTasks, streamedTask } from '../logic/task_list';
import { settle, useApp, useLoad, useRepeated, useVisible, type Loaded } from '../ui/app_state';
import { Empty, Loading, ProblemNote } from '../ui/parts';
import { DedupForm } from './dedup_form';
import { endedInWords, TaskCard } from './task_card';

const kLookAgain = 3000;

// The tasks of the server, as new as its last answer, and the progress of the one that is being processed.
function useTasks(): { loaded: Loaded<Task[]>; tasks: Task[]; update: (task: Task) => void } {
  const { announce, indexes } = useApp();
  const loaded = useLoad(calls.tasks, []);
  const [tasks, setTasks] = useState<Task[]>([]);
  const last = useRef<Task[]>([]);
  const updates = useRef(0);
  const show = useCallback(
    (now: Task[]) => {
      const ended = endedTasks(last.current, now);
      last.current = now;
      setTasks(now);
      if (ended.length > 0) announce(ended.map(endedInWords).join(' '));
      if (ended.some((task) => task.kind === 'dedup')) indexes.reload();
    },
    [indexes.reload],
  );
  useEffect(() => {
    if (loaded.data) show(loaded.data);
  }, [loaded.data]);
  const update = useCallback((task: Task) => {
    updates.current++;
    const { current } = last;
    const isKnown = current.some((one) => one.id === task.id);
    show(isKnown ? current.map((one) => (one.id === task.id ? task : one)) : [task, ...current]);
  }, []);

  const isAsking = useRef(false);
  const isRefused = useRef(false);
  const look = (): void => {
    if (!loaded.data || isRefused.current || isAsking.current) return;
    isAsking.current = true;
    const asked = updates.current;
    calls
      .tasks()
      // An answer that was requested before an update is ignored, since it would undo the update.
      .then((now) => asked === updates.current && show(now))
      // After a refused key the list is not requested again, so that the user is not asked again and again. After any
      // other problem it is.
      .catch((error: unknown) => (isRefused.current = asProblem(error).status === 401))
      .finally(() => (isAsking.current = false));
  };
  useRepeated(look, kLookAgain);

  // A tab in the background has no stream, so that many tabs do not take the connections of the visible one.
  const isVisible = useVisible();
  const streamed = isVisible ? (streamedTask(tasks)?.id ?? null) : null;
  useEffect(() => {
    if (streamed === null) return;
    const stop = new AbortController();
    void (async () => {
      try {
        for await (const now of calls.taskEvents(streamed, stop.signal)) update(now);
        look(); // which task is next
      } catch (error) {
        // The list is asked for all the same.
        if (!isAbort(error) && !(error instanceof Problem)) console.warn('the events of a task ended early', error);
      }
    })();
    return () => stop.abort();
  }, [streamed]);
  return { loaded, tasks, update };
}

export function TasksView(): JSX.Element {
  const { route, may, isScopeKnown } = useApp();
  const { loaded, tasks, update } = useTasks();
  const [chosenId, setChosenId] = useState(route.part);
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
            onStart={(task, isLast) => {
              update(task);
              if (!isLast) return;
              // The address is replaced and not followed, so that the form keeps its values for the run after a dry
              // run.
              setChosenId(String(task.id));
              settle(routeHash('tasks', String(task.id)));
            }}
          />
        ) : (
          <p class="panel quiet">
            {isScopeKnown && 'The key in use may read. '}A key with the scope write may start tasks.
          </p>
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
            <TaskCard key={task.id} task={task} isChosen={task === chosen} onUpdate={update} />
          ))}
        </section>
      </div>
    </>
  );
}
