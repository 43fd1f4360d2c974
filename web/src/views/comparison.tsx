// Shows the answer of a comparison: verdict, numbers, bands, curve, and the documents with their marks.
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { keptTurn } from '../api/kept';
import type { Index, ComparedField, Comparison, Mark, SchemaField, Side, Subject } from '../api/types';
import * as format from '../logic/format';
import { shownId, shownText } from '../logic/hidden';
import { hasBands, isWeighted, kindOf } from '../logic/schema';
import { useLoad } from '../ui/app_state';
import { BandGrid, Id, MarkedText, MarkKey, ScoreBar, Tile, Tiles } from '../ui/parts';
import { SmallCurve } from '../ui/small_curve';
import { keptValues } from './kept_document';

// An answer, and what was asked for.
export interface Compared {
  comparison: Comparison;
  a: Subject;
  b: Subject;
}

const nameOf = (subject: Subject, other: string): string => ('id' in subject ? shownId(subject.id) : other);

export function ComparisonResult({ index, compared }: { index: Index; compared: Compared }): JSX.Element {
  const { comparison } = compared;
  const fields = index.schema.fields.filter((field) => comparison.fields[field.name]);
  return (
    <section aria-label="Comparison">
      <div class="verdict">
        <p class="verdict-score">{format.score(comparison.score, comparison.threshold)}</p>
        <div>
          <h2>{comparison.similar ? 'Similar' : 'Not similar'}</h2>
          <p>
            The exact score is {comparison.similar ? 'at or above' : 'below'} the threshold of{' '}
            {format.threshold(comparison.threshold)}. A search finds a pair like this with a probability of{' '}
            {format.percent(comparison.found_probability)}.
          </p>
          <ScoreBar value={comparison.score} at={comparison.threshold} />
        </div>
      </div>
      {fields.map((field) => {
        const result = comparison.fields[field.name];
        return (
          result && (
            <FieldResult
              key={field.name}
              index={index}
              field={field}
              result={result}
              compared={compared}
              titled={fields.length > 1}
            />
          )
        );
      })}
    </section>
  );
}

function FieldResult(props: {
  index: Index;
  field: SchemaField;
  result: ComparedField;
  compared: Compared;
  titled: boolean;
}): JSX.Element {
  const { field, result, compared } = props;
  const a = nameOf(compared.a, 'First document');
  const b = nameOf(compared.b, 'Second document');
  const similarity = format.score(result.similarity, compared.comparison.threshold);
  const numbers = { field, result, similarity, a, b };
  return (
    <section class="field-result" aria-label={`Field ${field.name}`}>
      {props.titled && (
        <h3>
          {field.name} <span class="quiet">{similarity}</span>
        </h3>
      )}
      {result.keys !== undefined ? (
        <ContainmentNumbers {...numbers} />
      ) : hasBands(field) ? (
        <SetNumbers {...numbers} />
      ) : (
        <HashNumbers {...numbers} />
      )}
      {kindOf(field) === 'image' ? (
        <Pictures {...props} a={a} b={b} />
      ) : kindOf(field) === 'values' ? (
        <Values field={field} result={result} a={a} b={b} />
      ) : (
        <Texts field={field} result={result} a={a} b={b} />
      )}
    </section>
  );
}

interface FieldNumbers {
  field: SchemaField;
  result: ComparedField;
  similarity: string; // as it is shown
  a: string; // names of the documents
  b: string;
}

function SetNumbers({ field, result, similarity, a, b }: FieldNumbers): JSX.Element {
  const { bands = 0, rows = 0, equal_bands = [], intersection = 0, union = 0 } = result;
  const weighted = isWeighted(field);
  const size = weighted ? format.weight : format.count;
  return (
    <div class="numbers">
      <Tiles>
        <Tile
          value={similarity}
          label="exact similarity"
          note={
            weighted
              ? `a weight of ${size(intersection)} of ${size(union)} shared`
              : `${size(intersection)} of ${size(union)} features shared`
          }
        />
        {typeof result.estimate === 'number' && (
          <Tile
            value={format.score(result.estimate)}
            label="estimate by signatures"
            note={`standard error ${(result.standard_error ?? 0).toFixed(3)}`}
          />
        )}
        {result.only_a === undefined || result.only_b === undefined ? (
          <>
            <Tile
              value={size(union - intersection)}
              label={weighted ? 'weight in one only' : 'features in one only'}
              note={
                <>
                  <bdi>{a}</bdi> or <bdi>{b}</bdi>
                </>
              }
            />
            {typeof result.estimate === 'number' && <Off result={result} estimate={result.estimate} />}
          </>
        ) : (
          <>
            <Tile value={format.count(result.only_a)} label="only in the first" note={<bdi>{a}</bdi>} />
            <Tile value={format.count(result.only_b)} label="only in the second" note={<bdi>{b}</bdi>} />
          </>
        )}
      </Tiles>
      <div class="bands-box">
        <h3>
          {equal_bands.length} of {format.counted(bands, 'band')} met
        </h3>
        <BandGrid bands={bands} met={equal_bands} />
        <p class="field-note">
          A band of {format.counted(rows, 'row')} meets where all its slots agree. One band is enough to be found.
        </p>
      </div>
      <div class="curve-box">
        <h3>Found with {format.percent(result.found_probability ?? 0)}</h3>
        <SmallCurve bands={bands} rows={rows} similarity={result.similarity} />
      </div>
    </div>
  );
}

function ContainmentNumbers({ result, similarity, a, b }: FieldNumbers): JSX.Element {
  const { keys = 0, equal_keys = 0, intersection = 0 } = result;
  return (
    <div class="numbers">
      <Tiles>
        <Tile value={similarity} label="exact containment" note={`${format.counted(intersection, 'feature')} shared`} />
        <Tile value={format.percent(result.share_of_a ?? 0)} label="of the first" note={<bdi>{a}</bdi>} />
        <Tile value={format.percent(result.share_of_b ?? 0)} label="of the second" note={<bdi>{b}</bdi>} />
        <Tile
          value={format.percent(result.found_probability ?? 0)}
          label="found with this probability"
          note={`${format.count(equal_keys)} of ${format.counted(keys, 'key')} met`}
        />
      </Tiles>
    </div>
  );
}

function Off({ result, estimate }: { result: ComparedField; estimate: number }): JSX.Element {
  const off = Math.abs(estimate - result.similarity);
  const error = result.standard_error ?? 0;
  return (
    <Tile
      value={off.toFixed(3)}
      label="between estimate and score"
      {...(error > 0 ? { note: `${(off / error).toFixed(1)} standard errors` } : {})}
    />
  );
}

function HashNumbers({ result, similarity }: FieldNumbers): JSX.Element {
  return (
    <Tiles>
      <Tile value={similarity} label="similarity" />
      {result.distance !== undefined && result.distance !== null && (
        <Tile
          value={`${result.distance} of ${result.bits ?? 256}`}
          label="bits differ"
          note="Pictures are compared bit by bit: no pair is missed."
        />
      )}
    </Tiles>
  );
}

interface Sides {
  field: SchemaField;
  result: ComparedField;
  a: string; // names of the documents
  b: string;
}

function Panes(
  props: Sides & { children: (name: string, side: Side | null | undefined, place: 0 | 1) => JSX.Element },
): JSX.Element {
  const { result, a, b, children } = props;
  return (
    <>
      <MarkKey />
      <div class="pair">
        <article class="pane">
          <h3>
            <Id>{a}</Id>
          </h3>
          {children(a, result.a, 0)}
        </article>
        <article class="pane">
          <h3>
            <Id>{b}</Id>
          </h3>
          {children(b, result.b, 1)}
        </article>
      </div>
    </>
  );
}

// The two texts. Both panes scroll to the same share of their length.
function Texts(sides: Sides): JSX.Element {
  const { field, result } = sides;
  const panes = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)] as const;
  const leader = useRef<number | null>(null);
  const follow = (from: 0 | 1): void => {
    // Scrolling the other pane fires its event, too, which is ignored.
    if (leader.current !== null && leader.current !== from) return;
    const source = panes[from].current;
    const target = panes[from === 0 ? 1 : 0].current;
    if (!source || !target) return;
    leader.current = from;
    const room = source.scrollHeight - source.clientHeight;
    target.scrollTop = room === 0 ? 0 : (source.scrollTop / room) * (target.scrollHeight - target.clientHeight);
    requestAnimationFrame(() => requestAnimationFrame(() => (leader.current = null)));
  };
  if (!result.a?.pieces && !result.b?.pieces) return <NotKept />;
  return (
    <Panes {...sides}>
      {(name, side, place) => (
        <div
          class="pane-text"
          ref={panes[place]}
          tabIndex={0}
          role="region"
          aria-label={`${field.name} of ${name}`}
          onScroll={() => follow(place)}
        >
          {side?.pieces ? <MarkedText pieces={side.pieces} /> : <NotKept />}
        </div>
      )}
    </Panes>
  );
}

const kOrder: Record<Mark, number> = { shared: 0, none: 1, own: 2 };

function Values(sides: Sides): JSX.Element {
  return (
    <Panes {...sides}>
      {(_, side) =>
        side?.pieces ? (
          <ul class="value-list">
            {[...side.pieces]
              .sort((x, y) => kOrder[x.mark] - kOrder[y.mark] || x.text.localeCompare(y.text))
              .map((one) => (
                <li key={one.text}>
                  <mark class={one.mark} dir="auto">
                    {shownText(one.text)}
                  </mark>
                  {one.weight !== undefined && <span class="quiet"> {format.weight(one.weight)}</span>}
                </li>
              ))}
          </ul>
        ) : (
          <NotKept />
        )
      }
    </Panes>
  );
}

const NotKept = (): JSX.Element => (
  <p class="quiet pad">The index does not keep this document, so that only its numbers are known.</p>
);

function Pictures(props: { index: Index; field: SchemaField; compared: Compared; a: string; b: string }): JSX.Element {
  const { compared } = props;
  return (
    <div class="pair">
      <Picture {...props} subject={compared.a} name={props.a} />
      <Picture {...props} subject={compared.b} name={props.b} />
    </div>
  );
}

function Picture(props: { index: Index; field: SchemaField; subject: Subject; name: string }): JSX.Element {
  const { index, field, subject } = props;
  const loaded = useLoad(
    () =>
      'id' in subject
        ? keptValues(index, subject.id)
        : Promise.resolve('document' in subject ? subject.document : null),
    [index.name, subject],
    keptTurn(),
  );
  const url = loaded.data?.[field.name];
  return (
    <article class="pane">
      <h3>
        <Id>{props.name}</Id>
      </h3>
      {typeof url === 'string' ? <img src={url} alt={`The picture ${props.name}`} /> : !loaded.loading && <NotKept />}
    </article>
  );
}
