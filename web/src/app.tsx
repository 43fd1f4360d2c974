// Shows the frame of the page: navigation, theme, key, and the view that the address names.
import type { JSX } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import * as calls from './api/calls';
import { asProblem, hasKey, onKeyNeeded, setKey, type Problem } from './api/client';
import { allows, scopeOfKey, type Scope } from './api/scope';
import { kMainViews, parseRoute, routeHash, type ViewName } from './logic/routes';
import { AppContext, useLoad, type AppState } from './ui/app_state';
import { KeyDialog } from './ui/dialog';
import { Loading, ProblemNote } from './ui/parts';
import { applyTheme, storedTheme, type Theme } from './ui/theme';
import { ClustersView } from './views/clusters';
import { IndexesView } from './views/indexes';
import { CompareView } from './views/compare';
import { FirstIndex } from './views/first_index';
import { PlanView } from './views/plan';
import { ReportView } from './views/report';
import { TasksView } from './views/tasks';
import { TryView } from './views/try';

const kNames: Record<ViewName, string> = {
  try: 'Try it',
  compare: 'Compare',
  clusters: 'Clusters',
  plan: 'Plan',
  indexes: 'Indexes',
  tasks: 'Tasks',
  report: 'Report',
};

const kPages: Record<ViewName, () => JSX.Element> = {
  try: TryView,
  compare: CompareView,
  clusters: ClustersView,
  plan: PlanView,
  indexes: IndexesView,
  tasks: TasksView,
  report: ReportView,
};

// These views need an index.
const kNeedsIndex = new Set<ViewName>(['try', 'compare', 'clusters', 'indexes']);

// A report belongs to the tasks, and is not their list.
const currentIn = (link: ViewName, view: ViewName): 'page' | 'true' | undefined =>
  link === view ? 'page' : link === 'tasks' && view === 'report' ? 'true' : undefined;

function ThemeButton(): JSX.Element {
  const [theme, setTheme] = useState<Theme>(storedTheme());
  const turn: Record<Theme, Theme> = { system: 'dark', dark: 'light', light: 'system' };
  const names: Record<Theme, string> = { system: 'Auto', dark: 'Dark', light: 'Light' };
  return (
    <button
      type="button"
      class="button quiet-button"
      aria-label={`Colours: ${names[theme]}. Change to ${names[turn[theme]]}`}
      onClick={() => {
        applyTheme(turn[theme]);
        setTheme(turn[theme]);
      }}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.5" />
        <path
          d={
            theme === 'light'
              ? 'M8 5 a3 3 0 0 1 0 6 a3 3 0 0 1 0 -6'
              : theme === 'dark'
                ? 'M8 1.5a6.5 6.5 0 0 1 0 13 a6.5 6.5 0 0 1 0 -13'
                : 'M8 1.5a6.5 6.5 0 0 1 0 13z'
          }
          fill="currentColor"
        />
      </svg>
      {names[theme]}
    </button>
  );
}

function useKeyQuestion(): { dialog: JSX.Element | null; ask: () => void } {
  const [question, setQuestion] = useState<{
    asked: boolean;
    refused: boolean;
    answer: (key: string | null) => void;
  } | null>(null);
  useEffect(() => {
    onKeyNeeded(
      (refused) =>
        new Promise((resolve) => {
          setQuestion({
            asked: true,
            refused,
            answer: (key) => {
              if (key !== null) setKey(key);
              setQuestion(null);
              resolve(key);
            },
          });
        }),
    );
  }, []);
  const ask = useCallback(() => {
    setQuestion({
      asked: false,
      refused: false,
      answer: (key) => {
        if (key !== null) {
          setKey(key);
          location.reload();
        }
        setQuestion(null);
      },
    });
  }, []);
  return {
    dialog: question && <KeyDialog asked={question.asked} refused={question.refused} onAnswer={question.answer} />,
    ask,
  };
}

// What the key of the page may do. If that cannot be asked, the page goes on with what needs no scope.
function useScope(isWanted: boolean): {
  known: Scope | null;
  problem: Problem | null;
  isAnswered: boolean;
  again: () => void;
} {
  const [state, setState] = useState<{ known: Scope | null; problem: Problem | null }>({ known: null, problem: null });
  const again = useCallback(() => {
    scopeOfKey().then(
      (known) => setState({ known, problem: null }),
      (error: unknown) => setState({ known: null, problem: asProblem(error) }),
    );
  }, []);
  useEffect(() => {
    if (isWanted) again();
  }, [isWanted]);
  return { ...state, isAnswered: state.known !== null || state.problem !== null, again };
}

export function App(): JSX.Element {
  const [route, setRoute] = useState(parseRoute(location.hash));
  const [turn, setTurn] = useState(0);
  const [said, setSaid] = useState('');
  const main = useRef<HTMLElement>(null);
  const key = useKeyQuestion();
  const indexes = useLoad(calls.indexes, []);
  const announce = useCallback((sentence: string) => setSaid(sentence), []);
  // Asked for after the indexes, for which the server asks for a key if it wants one, and not if the user gives none.
  const scope = useScope(indexes.data !== null || (indexes.problem !== null && indexes.problem.status !== 401));
  // Before the first paint, since a change that comes in between would be lost.
  useLayoutEffect(() => {
    const change = (): void => {
      setRoute(parseRoute(location.hash));
      setTurn((old) => old + 1);
      // Other programs make, fill and delete indexes, too.
      indexes.reload();
    };
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  useEffect(() => {
    document.title = `${kNames[route.view]} · Benzer`;
    window.scrollTo(0, 0);
  }, [route.view]);
  const state = useMemo<AppState>(
    () => ({
      route,
      indexes,
      announce,
      // Until the scope is known nothing is offered that needs one.
      may: (needed) => scope.known !== null && allows(scope.known, needed),
      isScopeKnown: scope.known !== null,
    }),
    [route, indexes.data, indexes.problem, indexes.loading, scope.known],
  );

  // A view reads its address once, when it is created. Following a link creates it again; an address that the view
  // sets itself (settle) does not.
  const Page = kPages[route.view];
  const isFresh = indexes.data?.length === 0 && kNeedsIndex.has(route.view);
  return (
    <AppContext.Provider value={state}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href="#/try">
          <svg viewBox="0 0 32 24" width="28" height="21" aria-hidden="true">
            <circle cx="11" cy="12" r="9" class="brand-a" />
            <circle cx="21" cy="12" r="9" class="brand-b" />
          </svg>
          Benzer
        </a>
        <nav aria-label="Views">
          <ul>
            {kMainViews.map((view) => (
              <li key={view}>
                <a href={routeHash(view)} aria-current={currentIn(view, route.view)}>
                  {kNames[view]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="top-end">
          {hasKey() ? (
            <button
              type="button"
              class="button quiet-button"
              onClick={() => {
                setKey(null);
                location.reload();
              }}
            >
              Forget key
            </button>
          ) : (
            <button type="button" class="button quiet-button" onClick={key.ask}>
              Key
            </button>
          )}
          <ThemeButton />
        </div>
      </header>
      <main id="main" class={route.view === 'report' ? 'filled' : undefined} ref={main} tabIndex={-1}>
        {indexes.problem && <ProblemNote problem={indexes.problem} again={indexes.reload} />}
        <ProblemNote problem={scope.problem} again={scope.again} />
        {!scope.isAnswered && !indexes.problem && <Loading what="the indexes" />}
        {scope.isAnswered &&
          (isFresh ? <FirstIndex /> : (indexes.data ?? !kNeedsIndex.has(route.view)) && <Page key={turn} />)}
      </main>
      <div class="hidden" role="status" aria-live="polite">
        {said}
      </div>
      {key.dialog}
    </AppContext.Provider>
  );
}
