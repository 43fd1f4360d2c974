// Stores the verdicts of a person about documents of clusters, one after the other, and takes them back.
import { useEffect, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem, type Problem } from '../api/client';
import type { Cluster, Decision, DecisionBody, Index } from '../api/types';
import { idsOf } from '../logic/clusters';
import {
  additionsFor,
  bodyOf,
  decideTheSame,
  isDecidedAnew,
  nameOfVerdict,
  objectionTo,
  plainSentence,
  sentenceFor,
  type SentencePart,
  type Verdict,
} from '../logic/review';
import { useApp, type Loaded } from '../ui/app_state';

// What one verdict has stored.
export interface Step {
  id: string;
  verdict: Verdict;
  sentence: SentencePart[];
  done: Decision[];
  note: string;
  noted: Decision | null; // the note, if it is a decision of its own
  cluster: string[]; // its documents, and which was the keeper until then
  keeper: string;
}

// What could not be stored. `why` is null if decisions about the same documents have changed meanwhile.
export interface Refusal {
  lead: 'Not stored' | 'Not taken back';
  what: SentencePart[];
  why: Problem | SentencePart[] | null;
  id: string | null; // that a verdict was about
}

export interface Review {
  decisions: readonly Decision[];
  said: ReadonlyMap<string, Verdict>; // verdicts that the list of clusters does not show yet
  last: Step | null;
  refusals: readonly Refusal[]; // until the person has closed them
  decide: (cluster: Cluster, id: string, verdict: Verdict) => void;
  undo: () => void;
  saveNote: (note: string) => void;
  forget: () => void;
  closeRefusals: () => void;
}

// An answer with clusters, and the decisions that were there before it was asked for; null if they are not known.
export interface ClustersWithDecisions {
  decisions: readonly Decision[] | null;
}

// What the clusters on screen were made with, and what the page has changed since.
interface Basis {
  decisions: readonly Decision[] | null;
  keepers: Map<string, string>; // by document, if it is not the keeper on screen
}

// Thrown to refuse a verdict before anything is stored.
class Refused extends Error {
  readonly why: SentencePart[] | null;
  constructor(why: SentencePart[] | null) {
    super('refused');
    this.why = why;
  }
}

const kPauseBeforeReload = 300;
const kChangedCodes = new Set(['changed_meanwhile', 'decision_not_found']);

function whyOf(error: unknown): Refusal['why'] {
  if (error instanceof Refused) return error.why;
  const problem = asProblem(error);
  return kChangedCodes.has(problem.code) ? null : problem;
}

export function useReview(
  index: Index,
  loaded: Loaded<Decision[]>,
  clusters: Loaded<ClustersWithDecisions>,
  reload: (clustersToo: boolean) => void,
  onUndone: (id: string) => void,
): Review {
  const { announce } = useApp();
  const [decisions, setDecisions] = useState<readonly Decision[]>([]);
  const [steps, setSteps] = useState<Step[]>([]);
  const [said, setSaid] = useState<ReadonlyMap<string, Verdict>>(new Map());
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  // The state for work that waits in the queue, which must see what the work before it has done.
  const now = useRef<{ decisions: readonly Decision[]; steps: Step[]; basis: Basis }>({
    decisions: [],
    steps: [],
    basis: { decisions: null, keepers: new Map() },
  });
  // The basis of each verdict that waits: other clusters may be on screen when its turn comes.
  const waiting = useRef<Basis[]>([]);
  const queue = useRef<Promise<void>>(Promise.resolve());
  const wait = useRef<{ timer: ReturnType<typeof setTimeout> | undefined; clustersToo: boolean }>({
    timer: undefined,
    clustersToo: false,
  });

  const show = (next: { decisions?: readonly Decision[]; steps?: Step[] }): void => {
    Object.assign(now.current, next);
    setDecisions(now.current.decisions);
    setSteps(now.current.steps);
  };
  // If others have decided meanwhile, the clusters are asked for again, once for each list of decisions.
  const askedWith = useRef<readonly Decision[] | null>(null);
  const showTheSame = (): void => {
    const { basis, decisions } = now.current;
    if (clusters.loading || loaded.loading || !basis.decisions || decideTheSame(basis.decisions, decisions)) return;
    if (askedWith.current && decideTheSame(askedWith.current, decisions)) return;
    askedWith.current = decisions;
    reload(true);
  };
  // An answer that was asked for before the last verdict is ignored: another one follows.
  useEffect(() => {
    if (!loaded.data || wait.current.timer !== undefined) return;
    const ids = new Set(loaded.data.map((one) => one.id));
    // What has been removed elsewhere cannot be undone.
    const steps = now.current.steps
      .filter((step) => step.done.every((one) => ids.has(one.id)))
      .map((step) => (step.noted && !ids.has(step.noted.id) ? { ...step, noted: null, note: '' } : step));
    show({ decisions: loaded.data, steps });
    showTheSame();
  }, [loaded.data]);
  useEffect(() => {
    if (!clusters.data || wait.current.clustersToo) return;
    now.current.basis = { decisions: clusters.data.decisions, keepers: new Map() };
    setSaid(new Map());
    showTheSame();
  }, [clusters.data]);
  useEffect(() => () => clearTimeout(wait.current.timer), []);

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
  const bases = (): Basis[] => [now.current.basis, ...waiting.current];
  // A decision that the page has stored, or with null removed.
  const changed = (id: Decision['id'], stored: Decision | null): void => {
    const applied = (all: readonly Decision[]): Decision[] => [
      ...all.filter((one) => one.id !== id),
      ...(stored ? [stored] : []),
    ];
    for (const basis of new Set(bases())) basis.decisions = basis.decisions && applied(basis.decisions);
    show({ decisions: applied(now.current.decisions) });
  };
  const keeperIs = (keeper: string, documents: readonly string[]): void => {
    for (const basis of bases()) for (const id of documents) basis.keepers.set(id, keeper);
  };
  const replace = async (old: Decision, body: DecisionBody): Promise<Decision> => {
    const stored = await calls.changeDecision(index.name, old.id, old.etag, body);
    changed(stored.id, stored);
    return stored;
  };
  const add = async (body: DecisionBody): Promise<Decision> => {
    const stored = await calls.addDecision(index.name, body);
    changed(stored.id, stored);
    return stored;
  };
  const remove = async (old: Decision): Promise<void> => {
    await calls.undoDecision(index.name, old.id, old.etag);
    changed(old.id, null);
  };

  const refuse = (lead: Refusal['lead'], what: SentencePart[], error: unknown, id: string | null): void => {
    const why = whyOf(error);
    const isSame = (one: Refusal): boolean =>
      id === null ? one.lead === lead && plainSentence(one.what) === plainSentence(what) : one.id === id;
    setRefusals((old) => [...old.filter((one) => !isSame(one)), { lead, what, why, id }]);
    if (why === null) reloadSoon(true);
  };
  const setStep = (old: Step, next: Step): Step => {
    show({ steps: now.current.steps.map((one) => (one === old ? next : one)) });
    return next;
  };
  const inTurn = (work: () => Promise<void>): void => {
    queue.current = queue.current.then(work).catch(reportError);
  };

  const decide = (cluster: Cluster, id: string, verdict: Verdict): void => {
    const { basis } = now.current;
    waiting.current.push(basis);
    inTurn(async () => {
      const keeper = basis.keepers.get(cluster.keeper) ?? cluster.keeper;
      const sentence = sentenceFor(keeper, id, verdict);
      const done: Decision[] = [];
      try {
        const known = await calls.decisions(index.name);
        if (basis.decisions === null || isDecidedAnew(cluster, basis.decisions, known)) throw new Refused(null);
        const objection = objectionTo(keeper, id, verdict, known);
        if (objection) throw new Refused(objection);
        for (const body of additionsFor(cluster, keeper, id, verdict, known)) done.push(await add(body));
        setRefusals((old) => old.filter((one) => one.id !== id));
        if (verdict !== 'remove') setSaid((old) => new Map(old).set(id, verdict));
        announce(`${plainSentence(sentence)}.`);
      } catch (error) {
        refuse('Not stored', nameOfVerdict(keeper, id, verdict), error, id);
      } finally {
        waiting.current.splice(waiting.current.indexOf(basis), 1);
      }
      if (done.length === 0) return;
      if (verdict === 'keep') keeperIs(id, idsOf(cluster));
      // If the second of two fails, the first can be taken back.
      const step = { id, verdict, sentence, done, note: '', noted: null, cluster: idsOf(cluster), keeper };
      show({ steps: [...now.current.steps, step] });
      reloadSoon(verdict !== 'remove');
    });
  };

  const undo = (): void =>
    inTurn(async () => {
      let step = now.current.steps.at(-1);
      if (!step) {
        announce('There is nothing to undo.');
        return;
      }
      const { id } = step;
      try {
        for (let last = step.noted ?? step.done.at(-1); last; last = step.done.at(-1)) {
          await remove(last);
          step = setStep(step, { ...step, noted: null, done: step.done.filter((one) => one !== last) });
        }
        if (step.verdict === 'keep') keeperIs(step.keeper, step.cluster);
        announce(`Taken back: ${plainSentence(step.sentence)}.`);
        onUndone(id);
        reloadSoon(step.verdict !== 'remove');
      } catch (error) {
        refuse('Not taken back', nameOfVerdict(step.keeper, id, step.verdict), error, null);
        if (whyOf(error) !== null) return; // it can be tried again
      }
      setSaid((old) => new Map([...old].filter(([other]) => other !== id)));
      show({ steps: now.current.steps.filter((one) => one !== step) });
    });

  // A change of the decision that names the keeper would choose it once more, after what others have chosen since.
  const noteOfItsOwn = async ({ id, noted, verdict, keeper }: Step, note: string): Promise<Decision | null> => {
    const body = { members: verdict === 'keep' ? [id] : [keeper, id], note };
    if (!noted) return add(body);
    if (note !== '') return replace(noted, body);
    await remove(noted);
    return null;
  };
  const saveNote = (note: string): void =>
    inTurn(async () => {
      let step = now.current.steps.at(-1);
      if (!step) return;
      try {
        if (step.verdict !== 'apart') {
          const noted = await noteOfItsOwn(step, note);
          step = setStep(step, { ...step, noted });
        } else {
          for (const old of step.done) {
            const stored = await replace(old, { ...bodyOf(old), note });
            step = setStep(step, { ...step, done: step.done.map((one) => (one === old ? stored : one)) });
          }
        }
        setStep(step, { ...step, note });
        announce('The note is stored.');
        reloadSoon(false);
      } catch (error) {
        refuse('Not stored', ['the note about ', { id: step.id }], error, null);
      }
    });

  return {
    decisions,
    said,
    last: steps.at(-1) ?? null,
    refusals,
    decide,
    undo,
    saveNote,
    forget: () => show({ steps: [] }),
    closeRefusals: () => setRefusals([]),
  };
}
