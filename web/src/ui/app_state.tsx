// Shares among all views: the indexes, the route, and announcements for screen readers.
import { createContext, type JSX } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { asProblem, isAbort, type Problem } from '../api/client';
import type { Scope } from '../api/scope';
import type { Index } from '../api/types';
import type { Route } from '../logic/routes';
import { Empty } from './parts';

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
}

// Asks again when a dependency changes. Only the answer to the last question is used. A change of `again` asks the same
// question once more, and the last answer is shown meanwhile.
export function useLoad<T>(ask: () => Promise<T>, dependencies: readonly unknown[], again?: unknown): Loaded<T> {
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; loading: boolean }>({
    data: null,
    problem: null,
    loading: true,
  });
  const [turn, setTurn] = useState(0);
  const known = useRef<string>('');
  useEffect(() => {
    let isCurrent = true;
    const key = JSON.stringify(dependencies);
    // The answer to another question is not shown while this one loads.
    setState((old) => ({ data: known.current === key ? old.data : null, problem: null, loading: true }));
    known.current = key;
    ask()
      .then((data) => isCurrent && setState({ data, problem: null, loading: false }))
      .catch((error: unknown) => {
        if (isCurrent && !isAbort(error)) setState({ data: null, problem: asProblem(error), loading: false });
      });
    return () => {
      isCurrent = false;
    };
  }, [...dependencies, again, turn]);
  const reload = useCallback(() => setTurn((old) => old + 1), []);
  return { ...state, reload };
}

// Repeats work that shows changes by others, but not while the page is in the background.
export function useRepeated(work: () => void, milliseconds: number): void {
  const latest = useRef(work);
  latest.current = work;
  useEffect(() => {
    const look = (): void => {
      if (document.visibilityState === 'visible') latest.current();
    };
    const timer = setInterval(look, milliseconds);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [milliseconds]);
}

// Returns a value once it has not changed for a moment, so that not each keystroke is a request.
export function useSettled<T>(value: T, milliseconds: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const wait = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(wait);
  }, [value, milliseconds]);
  return settled;
}

// Runs the action of a button: busy while it runs, and the problem if it failed.
export function useAction(): {
  busy: boolean;
  problem: Problem | null;
  clear: () => void;
  run: (work: () => Promise<void>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    setBusy(true);
    setProblem(null);
    try {
      await work();
      return true;
    } catch (error) {
      if (!isAbort(error)) setProblem(asProblem(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, clear: () => setProblem(null), run };
}

export interface AppState {
  route: Route;
  indexes: Loaded<Index[]>;
  announce: (sentence: string) => void;
  // Whether the key of the page has this scope. Without a key everything is offered.
  may: (scope: Scope) => boolean;
}

export const AppContext = createContext<AppState | null>(null);

export function useApp(): AppState {
  const state = useContext(AppContext);
  if (!state) throw new Error('no AppContext');
  return state;
}

// Key under which the browser stores the last used index, with which the next view begins.
const kLast = 'benzer-index';
export const lastIndex = (): string | null => sessionStorage.getItem(kLast);

function useIndex(): { index: Index | null; all: Index[] } {
  const { route, indexes } = useApp();
  const all = (indexes.data ?? []).filter((one) => one.state === 'ready');
  const wanted = route.part ?? lastIndex();
  const index = all.find((one) => one.name === wanted) ?? (route.part === null ? (all[0] ?? null) : null);
  const name = index?.name;
  useEffect(() => {
    if (name) sessionStorage.setItem(kLast, name);
  }, [name]);
  return { index, all };
}

export interface InIndex {
  index: Index;
  all: Index[];
}

// A view of one index. It is created again for another index, whose fields may differ.
export const inIndex = (View: (props: InIndex) => JSX.Element) => (): JSX.Element => {
  const { route } = useApp();
  const { index, all } = useIndex();
  return index ? (
    <View key={index.name} index={index} all={all} />
  ) : (
    <Empty isView title={`There is no index ${route.part ?? ''} to look into`}>
      <p>
        It may have another name, or may have been deleted. <a href="#/indexes">See all indexes.</a>
      </p>
    </Empty>
  );
};

export function go(hash: string): void {
  location.hash = hash;
}

// Replaces the address, so that it can be shared, without a new entry in the history.
export function settle(hash: string): void {
  if (location.hash !== hash) history.replaceState(null, '', hash);
}
