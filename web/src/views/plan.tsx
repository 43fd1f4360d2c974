// Plans bands and rows for a threshold and a recall, and shows what they find and what they cost.
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem, isAbort, type Problem } from '../api/client';
import type { Alternative, Index, Plan, Similarities } from '../api/types';
import { bandsAndRows, canTellOf, expectedCandidates } from '../logic/curve';
import * as format from '../logic/format';
import { isFor, type Planned } from '../logic/planned';
import { routeHash } from '../logic/routes';
import { hasBands } from '../logic/schema';
import { go, settle, useApp, useLoad } from '../ui/app_state';
import { Empty, Loading, ProblemNote, Slider, Tile, Tiles } from '../ui/parts';
import { NewIndexForm } from './new_index';
import { CurveChart, SimilarityChart } from './plan_charts';

const kSliders = [
  {
    name: 'threshold',
    label: 'Threshold',
    min: 0.1,
    max: 0.99,
    step: 0.01,
    note: 'Pairs with this score or more are to be found.',
  },
  {
    name: 'recall',
    label: 'Recall',
    min: 0.5,
    max: 0.999,
    step: 0.001,
    note: 'The share to find of the pairs exactly at the threshold.',
  },
  {
    name: 'slots',
    label: 'Slots',
    min: 16,
    max: 1024,
    step: 16,
    note: 'The length of a signature: more slots find better, and take more room.',
  },
] as const;

// Fetches the plan. While a slider moves, the last plan stays visible, with the settings that it is for.
function usePlan(settings: calls.PlanSettings): {
  planned: Planned | null;
  problem: Problem | null;
  again: () => void;
} {
  const [state, setState] = useState<{ planned: Planned | null; problem: Problem | null }>({
    planned: null,
    problem: null,
  });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const wait = setTimeout(() => {
      calls
        .plan(settings, stop.signal)
        .then((plan) => setState({ planned: { settings, plan }, problem: null }))
        .catch((error: unknown) => {
          if (!isAbort(error)) setState((old) => ({ planned: old.planned, problem: asProblem(error) }));
        });
    }, 60);
    return () => {
      clearTimeout(wait);
      stop.abort();
    };
  }, [settings.threshold, settings.recall, settings.slots, settings.features, turn]);
  return { ...state, again: () => setTurn((old) => old + 1) };
}

const kMostWords = 1_000_000; // features of a document that the server takes
const kDefaults = { documents: 1_000_000, words: 300 };

const within = (least: number, value: unknown, most: number, otherwise: number): number => {
  const whole = Math.round(Number(value ?? NaN));
  return Number.isFinite(whole) ? Math.min(most, Math.max(least, whole)) : otherwise;
};
const documentsFrom = (value: unknown): number => within(2, value, Number.MAX_SAFE_INTEGER, kDefaults.documents);
const wordsFrom = (value: unknown): number => within(1, value, kMostWords, kDefaults.words);

export function PlanView(): JSX.Element {
  const { route, indexes, may } = useApp();
  const { values } = route;
  const banded = (indexes.data ?? []).filter(
    (one) => one.state === 'ready' && one.schema.measure !== 'containment' && one.schema.fields.some(hasBands),
  );
  const [name, setName] = useState(values['index'] ?? '');
  // The default is the largest index, whose figures are the most reliable.
  const index =
    banded.find((one) => one.name === name) ?? [...banded].sort((a, b) => b.documents - a.documents)[0] ?? null;
  const isMissing = name !== '' && !indexes.loading && index?.name !== name;
  const [settings, setSettings] = useState<calls.PlanSettings>({
    threshold: Number(values['threshold'] ?? 0.8),
    recall: Number(values['recall'] ?? 0.99),
    slots: Number(values['slots'] ?? 128),
    features: wordsFrom(values['words']),
  });
  const [documents, setDocuments] = useState(documentsFrom(values['documents']));
  const { planned, problem, again } = usePlan(settings);
  const plan = planned?.plan;
  const isCurrent = planned !== null && isFor(planned, settings);
  const picker = useId();
  const form = useRef<HTMLDivElement>(null);
  const [isMaking, setMaking] = useState(false);
  const similarities = useLoad<Similarities | null>(
    () => (index && index.documents > 1 ? calls.similarities(index.name) : Promise.resolve(null)),
    [index?.name, index?.documents],
  );
  useEffect(() => {
    const { features, ...others } = settings;
    settle(routeHash('plan', null, { ...others, documents, words: features, index: name || undefined }));
  }, [settings, documents, name]);
  useEffect(() => {
    if (isMaking) form.current?.scrollIntoView({ block: 'nearest' });
  }, [isMaking]);
  const shown = plan ? worthDrawing(plan) : [];
  return (
    <>
      <div class="title with-action">
        <div>
          <h1>Plan bands and rows</h1>
          <p class="quiet">How likely a pair is found, by its similarity, and what that costs.</p>
        </div>
        {may('admin') && (
          <button
            type="button"
            class="button"
            aria-expanded={isMaking}
            disabled={!isCurrent && !isMaking}
            onClick={() => setMaking(!isMaking)}
          >
            Create an index with this
          </button>
        )}
      </div>
      <div ref={form}>
        {isMaking && planned && (
          <NewIndexForm
            planned={{ ...planned.settings, bands: `${planned.plan.bands}x${planned.plan.rows}`, isCurrent }}
            onDone={(made) => go(routeHash('indexes', made))}
          />
        )}
      </div>
      <div class="plan">
        <section class="panel plan-controls" aria-label="Settings">
          {kSliders.map(({ name, ...slider }) => (
            <Slider
              key={name}
              {...slider}
              value={settings[name]}
              onInput={(value) => setSettings({ ...settings, [name]: name === 'slots' ? Math.round(value) : value })}
            />
          ))}
          <WholeNumber
            label="Documents"
            least={2}
            value={documents}
            note={`To say what it will cost: ${format.about(documents)}.`}
            onChange={(value) => setDocuments(documentsFrom(value))}
          />
          <WholeNumber
            label="Words of a document"
            least={1}
            most={kMostWords}
            value={settings.features}
            note="On average. A text has about as many features as words."
            onChange={(value) => setSettings({ ...settings, features: wordsFrom(value) })}
          />
          <ProblemNote problem={problem} again={again} />
        </section>
        <div class="stack">
          {!plan && !problem && <Loading what="the plan" />}
          {planned && plan && (
            <>
              {!isCurrent && problem && (
                <p class="note">
                  This is the plan for threshold {format.threshold(planned.settings.threshold)}, recall{' '}
                  {format.percent(planned.settings.recall)} and {format.counted(planned.settings.slots, 'slot')}.
                </p>
              )}
              <PlanTiles
                plan={plan}
                settings={planned.settings}
                index={index}
                similarities={similarities.data}
                documents={documents}
              />
              <section class="panel" aria-labelledby="curve">
                <h2 id="curve">Probability of being found</h2>
                <CurveChart plan={plan} threshold={planned.settings.threshold} shown={shown} />
                <p class="axis-name">Similarity</p>
                <ul class="chart-key">
                  <li>
                    <span class="key-line first" />
                    this plan, {plan.bands} bands of {plan.rows} rows
                  </li>
                  {shown.some((one) => !plan.rules_of_others.includes(one)) && (
                    <li>
                      <span class="key-line thin" />
                      one or two rows more or less
                    </li>
                  )}
                  {plan.rules_of_others.length > 0 && (
                    <li>
                      <span class="key-line dashed" />
                      rules of others
                    </li>
                  )}
                  <li>
                    <span class="key-line second" />
                    threshold
                  </li>
                </ul>
              </section>
              <section class="panel" aria-labelledby="measured">
                <div class="with-action">
                  <h2 id="measured">Similarities that were measured</h2>
                  {banded.length > 0 && (
                    <div class="inline-field">
                      <label for={picker}>Index</label>
                      <select
                        id={picker}
                        value={index?.name ?? ''}
                        onChange={(event) => setName(event.currentTarget.value)}
                      >
                        {banded.map((one) => (
                          <option key={one.name} value={one.name}>
                            {one.name}
                          </option>
                        ))}
                      </select>
                    </div>
                  )}
                </div>
                {index && isMissing && (
                  <p class="note note-problem">
                    There is no index <bdi>{name}</bdi> with bands. These are the similarities of{' '}
                    <bdi>{index.name}</bdi>.
                  </p>
                )}
                <ProblemNote problem={similarities.problem} again={similarities.reload} />
                {similarities.loading && <Loading what="a sample of pairs" />}
                {index && similarities.data ? (
                  <>
                    <SimilarityChart
                      name={index.name}
                      similarities={similarities.data}
                      threshold={planned.settings.threshold}
                    />
                    <p class="axis-name">Similarity</p>
                    <p class="field-note">
                      {format.counted(similarities.data.sampled, 'document')} of {index.name}, each with each:{' '}
                      {format.counted(similarities.data.pairs, 'pair')} by score, on a logarithmic scale. Pairs left of
                      the threshold that meet all the same are work for nothing; pairs right of it are what is wanted.
                      {!canTellOf(documents, index.documents) &&
                        ` How many pairs would meet among ${format.about(documents)} documents cannot be told from ${format.about(index.documents)}.`}
                    </p>
                  </>
                ) : (
                  !similarities.loading &&
                  !similarities.problem && (
                    <p class="quiet">
                      An index with a few documents is needed to measure.{' '}
                      <a href="#/indexes">Make one, or add documents.</a>
                    </p>
                  )
                )}
              </section>
              <Tables plan={plan} shown={shown} settings={planned.settings} current={index?.schema.bands ?? ''} />
            </>
          )}
        </div>
      </div>
    </>
  );
}

function WholeNumber(props: {
  label: string;
  least: number;
  most?: number;
  value: number;
  note: string;
  onChange: (value: string) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{props.label}</label>
      <input
        id={id}
        type="number"
        min={props.least}
        max={props.most}
        step="1"
        value={props.value}
        onChange={(event) => {
          const { value } = event.currentTarget;
          props.onChange(value === '' ? String(props.least) : value);
        }}
      />
      <p class="field-note">{props.note}</p>
    </div>
  );
}

// The alternatives to draw: a few neighbours of the plan, and the rules of other tools. More lines would hide the curve.
function worthDrawing(plan: Plan): Alternative[] {
  const near = plan.alternatives.filter(
    (one) => one.fits && one.rows !== plan.rows && Math.abs(one.rows - plan.rows) <= 2,
  );
  return [...near, ...plan.rules_of_others];
}

function PlanTiles(props: {
  plan: Plan;
  settings: calls.PlanSettings;
  index: Index | null;
  similarities: Similarities | null;
  documents: number;
}): JSX.Element {
  const { plan, index, similarities, documents } = props;
  return (
    <Tiles>
      <Tile
        value={`${plan.bands} × ${plan.rows}`}
        label="bands × rows"
        note={`${format.count(plan.bands * plan.rows)} of ${format.counted(plan.slots, 'slot')} used`}
      />
      <Tile
        value={format.percent(plan.recall_at_threshold)}
        label={`found at ${format.threshold(props.settings.threshold)}`}
        note={`wanted: ${format.percent(props.settings.recall)}`}
      />
      {plan.bytes_per_document !== undefined && (
        <Size keys={plan.bytes_per_document} features={plan.feature_bytes_per_document} documents={documents} />
      )}
      {index && similarities && canTellOf(documents, index.documents) && (
        <Tile
          value={format.about(expectedCandidates(similarities.histogram, documents, plan.bands, plan.rows))}
          label="candidate pairs expected"
          note={`extrapolated from ${format.counted(similarities.pairs, 'pair')} of ${index.name}`}
        />
      )}
    </Tiles>
  );
}

// What the documents take. A server may not say it of their features.
function Size(props: { keys: number; features: number | undefined; documents: number }): JSX.Element {
  const { keys, features, documents } = props;
  if (features === undefined) {
    return (
      <Tile
        value={format.count(keys)}
        label="bytes a document"
        note={`${format.bytes(keys * documents)} for ${format.about(documents)}`}
      />
    );
  }
  return (
    <Tile
      value={format.bytes((keys + features) * documents)}
      label={`for ${format.about(documents)} documents`}
      note={
        `${format.bytes(keys * documents)} of keys and slots, which every search reads from memory, and ` +
        `${format.bytes(features * documents)} of features on the disk, read to compare exactly.`
      }
    />
  );
}

function Tables(props: {
  plan: Plan;
  shown: Alternative[];
  settings: calls.PlanSettings;
  current: string;
}): JSX.Element {
  const { plan } = props;
  const current = bandsAndRows(props.current);
  const fitting = plan.alternatives.filter((one) => one.fits || one.bands * one.rows <= plan.slots * 4);
  return (
    <div class="two">
      <section class="panel" aria-labelledby="alternatives">
        <h2 id="alternatives">Alternatives</h2>
        <PlanTable
          caption={`For each number of rows the fewest bands that find ${format.percent(props.settings.recall)} at ${format.threshold(props.settings.threshold)}`}
          rows={fitting}
          note={(one) =>
            one.bands === plan.bands && one.rows === plan.rows
              ? 'chosen: the most rows that fit'
              : !one.fits
                ? `needs ${format.count(one.bands * one.rows)} slots`
                : current && one.bands === current.bands && one.rows === current.rows
                  ? 'the index has this'
                  : ''
          }
          chosen={(one) => one.bands === plan.bands && one.rows === plan.rows}
        />
      </section>
      <section class="panel" aria-labelledby="others">
        <h2 id="others">Rules of others</h2>
        {plan.rules_of_others.length === 0 ? (
          <Empty title="None for these settings">
            <p>No other rule is known for this number of slots.</p>
          </Empty>
        ) : (
          <PlanTable
            caption={`What other programs and papers would take for ${format.counted(plan.slots, 'slot')}`}
            rows={plan.rules_of_others}
            named
            note={(one) => (one.recall_at_threshold + 1e-9 < props.settings.recall ? 'too few' : '')}
            chosen={() => false}
          />
        )}
      </section>
    </div>
  );
}

function PlanTable(props: {
  caption: string;
  rows: Alternative[];
  named?: boolean;
  note: (row: Alternative) => string;
  chosen: (row: Alternative) => boolean;
}): JSX.Element {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={props.caption}>
      <table>
        <caption>{props.caption}</caption>
        <thead>
          <tr>
            {props.named && <th scope="col">Rule</th>}
            <th scope="col">Bands × rows</th>
            <th scope="col" class="number">
              Found
            </th>
            <th scope="col">
              <span class="hidden">Remark</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.name} class={props.chosen(row) ? 'chosen-row' : undefined}>
              {props.named && <th scope="row">{row.name}</th>}
              <td class="nowrap">
                {row.bands} × {row.rows}
              </td>
              <td class="number">{format.percent(row.recall_at_threshold)}</td>
              <td class={props.named ? 'quiet nowrap' : 'quiet'}>{props.note(row)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
