// Shows the matches of a search, best first, each with its explanation.
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { asProblem } from '../api/client';
import type {
  Attributes,
  Index,
  ExplainedField,
  ExplainedMatch,
  FieldKind,
  SimilarAnswer,
  Subject,
} from '../api/types';
import * as format from '../logic/format';
import { shownId, shownText } from '../logic/hidden';
import { isPartial, markPassages, type Piece } from '../logic/passages';
import { routeHash } from '../logic/routes';
import { hasBands, isWeighted, kindOf } from '../logic/schema';
import { foundInWords, workInWords } from '../logic/search';
import { useLoad } from '../ui/app_state';
import { addressOfSide, store, type SideAddress } from '../ui/pasted';
import { BandGrid, Id, MarkedText, ProblemNote, ScoreBar } from '../ui/parts';
import { KeptDocument } from './kept_document';

// An answer, its query, and how long it took.
export interface Asked {
  subject: Subject;
  answer: SimilarAnswer<ExplainedMatch>;
  milliseconds: number;
  threshold: number;
  limit: number;
}

export function SimilarResults({ index, asked }: { index: Index; asked: Asked }): JSX.Element {
  const { matches, work } = asked.answer;
  const [chosen, setChosen] = useState(0);
  // Once for all matches, since the query may be a picture of some megabytes.
  const address = useMemo(() => addressOfSide('a', asked.subject, textField(index) ?? undefined), [asked]);
  useEffect(() => setChosen(0), [asked]);
  const match = matches[chosen];
  if (matches.length === 0) {
    return (
      <div class="empty">
        <h2>No similar document</h2>
        <p>
          None of {format.counted(index.documents, 'document')} reaches {format.threshold(asked.threshold)}
          {work ? `; ${workInWords(index, work)}` : ''}. A lower threshold may find weaker resemblance.
        </p>
      </div>
    );
  }
  return (
    <>
      <div class="result-head">
        <h2>{foundInWords(asked.answer)}</h2>
        <p class="quiet">
          at {format.threshold(asked.threshold)} or above, in {format.seconds(asked.milliseconds / 1000)}
          {work
            ? `; ${format.counted(work.candidates, 'candidate')}, ${format.count(work.compared)} compared exactly`
            : ''}
        </p>
      </div>
      {match && <MarkedQuery index={index} asked={asked} match={match} />}
      <ol class="matches">
        {matches.map((one, place) => (
          <MatchCard
            key={one.id}
            index={index}
            asked={asked}
            match={one}
            address={address}
            isChosen={place === chosen}
            onChoose={() => setChosen(place)}
          />
        ))}
      </ol>
    </>
  );
}

// The text field to show: of several, the one that shares most with the match.
function textField(index: Index, match?: ExplainedMatch): string | null {
  const shared = (name: string): number => match?.fields[name]?.intersection ?? 0;
  const texts = index.schema.fields.filter((field) => kindOf(field) === 'text').map((field) => field.name);
  return texts.sort((a, b) => shared(b) - shared(a))[0] ?? null;
}

// Whether there is a text in which shared passages can be marked.
const isMarkable = (index: Index, asked: Asked): boolean =>
  textField(index) !== null && (!('id' in asked.subject) || index.keep_documents === true);

function textOf(subject: Subject, field: string): string | null {
  if ('text' in subject) return subject.text;
  const value = 'document' in subject ? subject.document[field] : undefined;
  return typeof value === 'string' ? value : null;
}

interface Marked {
  asked: Asked;
  match: ExplainedMatch;
  field: string;
  pieces: readonly Piece[];
  isPartial: boolean;
}

// A comparison has all that is shared. It needs a kept document. Without one there are the passages of the answer, which
// are the first ones, with long ones cut.
async function marked(index: Index, asked: Asked, match: ExplainedMatch): Promise<Marked | null> {
  const { subject } = asked;
  const field = textField(index, match);
  if (field === null) return null;
  if (index.keep_documents) {
    try {
      const compared = await calls.compare(index.name, subject, { id: match.id });
      const pieces = compared.fields[field]?.a?.pieces;
      return pieces ? { asked, match, field, pieces, isPartial: false } : null;
    } catch (error) {
      if (asProblem(error).code !== 'document_not_kept') throw error;
    }
  }
  const text = textOf(subject, field);
  if (text === null) return null;
  const { passages, more } = match.fields[field] ?? {};
  const { features = '' } = index.schema.fields.find((one) => one.name === field) ?? {};
  const pieces = markPassages(text, passages ?? [], features);
  return { asked, match, field, pieces, isPartial: isPartial(passages ?? [], more) };
}

// The query with shared passages marked.
function MarkedQuery(props: { index: Index; asked: Asked; match: ExplainedMatch }): JSX.Element | null {
  const { index, asked, match } = props;
  const { subject } = asked;
  const loaded = useLoad(
    () => (isMarkable(index, asked) ? marked(index, asked, match) : Promise.resolve(null)),
    [index.name, subject, match.id],
    asked,
  );
  // The marks of the last match stay while those of another one load, so that the list below does not jump.
  const last = useRef<Marked | null>(null);
  if (loaded.data) last.current = loaded.data;
  else if (!loaded.loading) last.current = null;
  const shown = last.current?.asked === asked ? last.current : null;
  if (!shown) return <ProblemNote problem={loaded.problem} again={loaded.reload} />;
  return (
    <figure class="marked-query">
      <figcaption>
        {'id' in subject ? <Id>{subject.id}</Id> : 'Your text'}
        {index.schema.fields.length > 1 && ` (${shown.field})`}, with {shown.isPartial && 'a part of '}what{' '}
        <Id>{shown.match.id}</Id> shares <mark class="shared">marked</mark>
        {shown.isPartial &&
          '. Without the document itself, which is not kept, only the beginning of what is long is known'}
      </figcaption>
      <div class="marked-scroll" tabIndex={0} role="region" aria-label="The text with its marks">
        <MarkedText
          pieces={shown.pieces.map((piece) => (piece.mark === 'shared' ? piece : { ...piece, mark: 'none' }))}
        />
      </div>
    </figure>
  );
}

function MatchCard(props: {
  index: Index;
  asked: Asked;
  match: ExplainedMatch;
  address: SideAddress; // of the query, in a comparison
  isChosen: boolean;
  onChoose: () => void;
}): JSX.Element {
  const { index, asked, match, address } = props;
  const several = index.schema.fields.length > 1;
  const isText = isMarkable(index, asked);
  const isPicture = index.schema.fields.every((field) => kindOf(field) === 'image');
  return (
    <li class={`match${props.isChosen && isText ? ' chosen' : ''}${isPicture ? ' picture' : ''}`}>
      <div class="match-head">
        <h3>
          <Id>{match.id}</Id>
        </h3>
        <ScoreBar value={match.score} at={asked.threshold} />
        <span class="score">
          {format.score(match.score, asked.threshold)}
          <span class="quiet small"> {match.exact ? 'exact' : 'estimated'}</span>
        </span>
      </div>
      <KeptDocument index={index} id={match.id} length={170} known={match.document ?? null} />
      <Kept attributes={match.attributes} />
      <dl class={several ? 'why several' : 'why'}>
        {index.schema.fields.map((field) => {
          const why = match.fields[field.name];
          if (!why) return null;
          return (
            <div key={field.name}>
              {several && (
                <dt>
                  {field.name} <span class="score">{format.score(why.similarity, asked.threshold)}</span>
                </dt>
              )}
              <dd>
                <Why field={why} kind={kindOf(field)} bands={hasBands(field)} weighted={isWeighted(field)} />
              </dd>
            </div>
          );
        })}
      </dl>
      <div class="match-foot">
        <span class="quiet">Found with a probability of {format.percent(match.found_probability)}</span>
        <span class="buttons">
          {isText && (
            <button type="button" class="button small" aria-pressed={props.isChosen} onClick={props.onChoose}>
              Mark in the text
            </button>
          )}
          <a
            class="button small"
            href={routeHash('compare', index.name, {
              ...address.values,
              b: match.id,
              threshold: asked.threshold,
            })}
            onClick={() => store(address)}
          >
            Compare<span class="hidden"> with {shownId(match.id)}</span>
          </a>
        </span>
      </div>
    </li>
  );
}

function Kept({ attributes }: { attributes: Attributes | undefined }): JSX.Element | null {
  const all = Object.entries(attributes ?? {});
  if (all.length === 0) return null;
  return (
    <ul class="chips attributes" aria-label="Attributes">
      {all.map(([name, value]) => (
        <li key={name}>
          <code>{name}</code> <bdi>{shownText(String(value))}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Why(props: { field: ExplainedField; kind: FieldKind; bands: boolean; weighted: boolean }): JSX.Element {
  const { field, kind, bands, weighted } = props;
  if (!bands) {
    return (
      <p>
        {format.counted(field.distance ?? 0, 'bit')} of {field.bits ?? 256} differ.
      </p>
    );
  }
  const passages = field.passages ?? [];
  return (
    <>
      <p class="why-line">
        {field.keys === undefined ? (
          <>
            <span>
              {weighted
                ? `a weight of ${format.weight(field.intersection ?? 0)} of ${format.weight(field.union ?? 0)}`
                : `${format.count(field.intersection ?? 0)} of ${format.counted(field.union ?? 0, 'feature')}`}{' '}
              shared
            </span>
            <span>
              {field.equal_bands?.length ?? 0} of {format.counted(field.bands ?? 0, 'band')} met
            </span>
            <BandGrid bands={field.bands ?? 0} met={field.equal_bands ?? []} small />
          </>
        ) : (
          <>
            <span>
              {format.counted(field.intersection ?? 0, 'feature')} shared: {format.percent(field.share_of_query ?? 0)}{' '}
              of the query, {format.percent(field.share_of_match ?? 0)} of the match
            </span>
            <span>
              {field.equal_keys ?? 0} of {format.counted(field.keys, 'key')} met
            </span>
          </>
        )}
      </p>
      {passages.length > 0 && kind === 'values' && (
        <ul class="chips shared-values" aria-label="Shared values">
          {passages.map((passage) => (
            <li key={passage.text}>
              <mark class="shared" dir="auto">
                {shownText(passage.text)}
              </mark>
            </li>
          ))}
          {field.more ? <li class="quiet">and {format.count(field.more)} more</li> : null}
        </ul>
      )}
      {passages.length > 0 && kind === 'text' && (
        <ul class="passages" aria-label="Shared passages">
          {passages.slice(0, 3).map((passage, place) => (
            <li key={place}>
              <q dir="auto">
                {format.beginning(shownText(passage.text), 160)}
                {passage.cut ? ' …' : ''}
              </q>{' '}
              <span class="quiet small">{format.counted(passage.features, 'shingle')}</span>
            </li>
          ))}
          {passages.length > 3 && <li class="quiet">and {format.counted(passages.length - 3, 'more passage')}</li>}
        </ul>
      )}
    </>
  );
}
