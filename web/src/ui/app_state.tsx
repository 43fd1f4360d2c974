// Shares among all views: the indexes, the route, and announcements for screen readers.
import { createContext, type JSX } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { asProblem, isAbort, type Problem } from '../api/client';
import type { Scope } from '../api/scope';
import type { Index } from '../api/types';
import type { Route } from '../logic/routes';
import { Empty, Loading } from './parts';

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  reload: () => void;
}

// Asks again when a dependency changes. Only the answer to the last question is used. A change of `again` asks the same
// question once more, and the last answer is shown meanwhile. If a reload fails, the last answer is kept next to the
// problem, unless `again` has changed since: then it is out of date.
export function useLoad<T>(ask: () => Promise<T>, dependencies: readonly unknown[], again?: unknown): Loaded<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ data: T | null; problem: Problem | null; loading: boolean; turn: number }>({
    data: null,
    problem: null,
    loading: true,
    turn,
  });
  const known = useRef<string>('');
  const answeredAgain = useRef(again);
  useEffect(() => {
    let isCurrent = true;
    const key = JSON.stringify(dependencies);
    // The answer to another question is not shown while this one loads.
    const isSame = known.current === key;
    known.current = key;
    setState((old) => ({ data: isSame ? old.data : null, problem: null, loading: true, turn }));
    ask()
      .then((data) => {
        if (!isCurrent) return;
        answeredAgain.current = again;
        setState({ data, problem: null, loading: false, turn });
      })
      .catch((error: unknown) => {
        if (!isCurrent || isAbort(error)) return;
        const isFresh = answeredAgain.current === again;
        setState((old) => ({ data: isFresh ? old.data : null, problem: asProblem(error), loading: false, turn }));
      });
    return () => {
      isCurrent = false;
    };
  }, [...dependencies, again, turn]);
  const reload = useCallback(() => setTurn((old) => old + 1), []);
  // The effect that asks runs after the first rendering of a new turn.
  return { data: state.data, problem: state.problem, loading: state.loading || state.turn !== turn, reload };
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

// Whether the tab is in the foreground of its window.
export function useVisible(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const look = (): void => setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
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

// Runs the action of a button: busy while it runs, and the problem if it failed. `isLast` says whether the view is
// still there and has not asked again meanwhile. An answer for which it is false must not change the address.
export function useAction(): {
  busy: boolean;
  problem: Problem | null;
  clear: () => void;
  run: (work: (isLast: () => boolean) => Promise<void>) => Promise<boolean>;
} {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const turn = useRef(0);
  useEffect(() => () => void turn.current++, []);
  const run = async (work: (isLast: () => boolean) => Promise<void>): Promise<boolean> => {
    const own = ++turn.current;
    const isLast = (): boolean => turn.current === own;
    setBusy(true);
    setProblem(null);
    try {
      await work(isLast);
      return true;
    } catch (error) {
      if (isLast() && !isAbort(error)) setProblem(asProblem(error));
      return false;
    } finally {
      if (isLast()) setBusy(false);
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
  // False if the server has not said what the key may do: then a view must not say what it may not.
  isScopeKnown: boolean;
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
  const { route, indexes } = useApp();
  const { index, all } = useIndex();
  if (index) return <View key={index.name} index={index} all={all} />;
  // The index may have been made since the list was read.
  if (indexes.loading) return <Loading what="the indexes" />;
  return (
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
