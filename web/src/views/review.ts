// Stores the verdicts of a person about documents of clusters, one after the other, and takes them back.
import { useEffect, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem, type Problem } from '../api/client';
import type { Cluster, Decision, Index } from '../api/types';
import { bodyOf, changesFor, plainSentence, sentenceFor, type SentencePart, type Verdict } from '../logic/review';
import { useApp, type Loaded } from '../ui/app_state';

// What one verdict has done, and what takes it back: the decision as it was, or null for a new one.
export interface Step {
  id: string;
  verdict: Verdict;
  sentence: SentencePart[];
  done: { now: Decision; before: Decision | null }[];
  note: string;
}

export interface Review {
  decisions: readonly Decision[];
  said: ReadonlyMap<string, Verdict>; // verdicts that the list of clusters does not show yet
  last: Step | null;
  problem: Problem | null;
  isConflict: boolean;
  decide: (cluster: Cluster, id: string, verdict: Verdict) => void;
  undo: () => void;
  saveNote: (note: string) => void;
  forget: () => void;
}

const kPauseBeforeReload = 300;

export function useReview(
  index: Index,
  loaded: Loaded<Decision[]>,
  clusters: unknown, // the answer that shows all verdicts so far
  reload: (clustersToo: boolean) => void,
  onUndone: (id: string) => void,
): Review {
  const { announce } = useApp();
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  const [steps, setSteps] = useState<Step[]>([]);
  const [said, setSaid] = useState<ReadonlyMap<string, Verdict>>(new Map());
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isConflict, setConflict] = useState(false);
  // The state for work that waits in the queue, which must see what the work before it has done.
  const now = useRef<{ decisions: readonly Decision[]; steps: Step[] }>({ decisions: [], steps: [] });
  const queue = useRef<Promise<void>>(Promise.resolve());
  const wait = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; clustersToo: boolean }>({
    timer: undefined,
    clustersToo: false,
  });

  useEffect(() => {
    // An answer that was asked for before the last verdict is ignored: another one follows.
    if (!loaded.data || wait.current.timer !== undefined) return;
    now.current.decisions = loaded.data;
    setDecisions(loaded.data);
  }, [loaded.data]);
  useEffect(() => setSaid(new Map()), [clusters]);
  useEffect(() => () => clearTimeout(wait.current.timer), []);

  const show = (next: Partial<typeof now.current>): void => {
    Object.assign(now.current, next);
    setDecisions(now.current.decisions);
    setSteps(now.current.steps);
  };
  // Several verdicts in a row cause one question to the whole index.
  const reloadSoon = (clustersToo: boolean): void => {
    clearTimeout(wait.current.timer);
    wait.current.clustersToo ||= clustersToo;
    wait.current.timer = setTimeout(() => {
      const both = wait.current.clustersToo;
      wait.current = { timer: undefined, clustersToo: false };
      reload(both);
    }, kPauseBeforeReload);
  };
  const put = (decision: Decision): void => {
    const others = now.current.decisions.filter((one) => one.id !== decision.id);
    show({ decisions: [...others, decision] });
  };
  const etagOf = (decision: Decision): string =>
    now.current.decisions.find((one) => one.id === decision.id)?.etag ?? decision.etag;
  const inTurn = (work: () => Promise<void>): void => {
    queue.current = queue.current.then(async () => {
      setProblem(null);
      setConflict(false);
      try {
        await work();
      } catch (error) {
        const found = asProblem(error);
        if (found.status === 412 || found.status === 404) {
          setConflict(true);
          setSaid(new Map());
          show({ steps: [] });
          reloadSoon(true);
        } else {
          setProblem(found);
        }
      }
    });
  };

  const decide = (cluster: Cluster, id: string, verdict: Verdict): void =>
    inTurn(async () => {
      const sentence = sentenceFor(cluster, id, verdict);
      const changes = changesFor(cluster, id, verdict, now.current.decisions);
      announce(plainSentence(sentence));
      if (changes.length === 0) return;
      const done: Step['done'] = [];
      try {
        for (const change of changes) {
          const before = change.kind === 'replace' ? change.old : null;
          const stored = before
            ? await calls.changeDecision(index.name, before.id, before.etag, change.body)
            : await calls.addDecision(index.name, change.body);
          put(stored);
          done.push({ now: stored, before });
        }
      } finally {
        // If the second of two fails, the first can be taken back.
        if (done.length > 0) show({ steps: [...now.current.steps, { id, verdict, sentence, done, note: '' }] });
      }
      if (verdict !== 'remove') setSaid((old) => new Map(old).set(id, verdict));
      reloadSoon(verdict !== 'remove');
    });

  const undo = (): void =>
    inTurn(async () => {
      const step = now.current.steps.at(-1);
      if (!step) {
        announce('There is nothing to undo.');
        return;
      }
      for (const { now: stored, before } of [...step.done].reverse()) {
        if (before) {
          put(await calls.changeDecision(index.name, stored.id, etagOf(stored), bodyOf(before)));
        } else {
          await calls.undoDecision(index.name, stored.id, etagOf(stored));
          show({ decisions: now.current.decisions.filter((one) => one.id !== stored.id) });
        }
      }
      show({ steps: now.current.steps.slice(0, -1) });
      setSaid((old) => new Map([...old].filter(([id]) => id !== step.id)));
      announce(`Taken back: ${plainSentence(step.sentence)}`);
      onUndone(step.id);
      reloadSoon(step.verdict !== 'remove');
    });

  const saveNote = (note: string): void =>
    inTurn(async () => {
      const step = now.current.steps.at(-1);
      if (!step) return;
      for (const { now: stored } of step.done)
        put(await calls.changeDecision(index.name, stored.id, etagOf(stored), { ...bodyOf(stored), note }));
      show({ steps: [...now.current.steps.slice(0, -1), { ...step, note }] });
      announce('The note is stored.');
      reloadSoon(false);
    });

  return {
    decisions,
    said,
    last: steps.at(-1) ?? null,
    problem,
    isConflict,
    decide,
    undo,
    saveNote,
    forget: () => show({ steps: [] }),
  };
}
