// The matches of a search, best first, each with its reasons.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Collection, ExplainedField, ExplainedMatch } from '../api/types';
import * as format from '../logic/format';
import { markPassages } from '../logic/passages';
import { routeHash } from '../logic/routes';
import { hasBands } from '../logic/schema';
import { BandGrid, MarkedText, ScoreBar } from '../ui/parts';
import { KeptDocument } from './kept_document';
import type { Asked } from './try';

export function SimilarResults({ collection, asked }: { collection: Collection; asked: Asked }): JSX.Element {
  const { matches, work } = asked.answer;
  const [chosen, setChosen] = useState(0);
  useEffect(() => setChosen(0), [asked]);
  const match = matches[chosen];
  const passages = match ? Object.values(match.fields).flatMap((field) => field.passages ?? []) : [];
  if (matches.length === 0) {
    return (
      <div class="empty">
        <h2>No similar document</h2>
        <p>
          None of {format.counted(collection.documents, 'document')} reaches {asked.threshold.toFixed(2)}
          {work ? `; ${format.counted(work.candidates, 'candidate')} met in a band, ${format.count(work.compared)} of them were compared` : ''}.
          A lower threshold may find weaker resemblance.
        </p>
      </div>
    );
  }
  return (
    <>
      <div class="result-head">
        <h2>{format.counted(matches.length, 'similar document')}</h2>
        <p class="quiet">
          at {asked.threshold.toFixed(2)} or above, in {format.seconds(asked.milliseconds / 1000)}
          {work ? `; ${format.counted(work.candidates, 'candidate')}, ${format.count(work.compared)} compared exactly` : ''}
        </p>
      </div>
      {asked.text !== null && match && (
        <figure class="marked-query">
          <figcaption>
            Your text, with what <span class="id">{match.id}</span> shares <mark class="shared">marked</mark>
          </figcaption>
          <MarkedText pieces={markPassages(asked.text, passages)} />
        </figure>
      )}
      <ol class="matches">
        {matches.map((one, index) => (
          <MatchCard
            key={one.id}
            collection={collection}
            asked={asked}
            match={one}
            isChosen={index === chosen}
            onChoose={() => setChosen(index)}
          />
        ))}
      </ol>
    </>
  );
}

function MatchCard(props: {
  collection: Collection;
  asked: Asked;
  match: ExplainedMatch;
  isChosen: boolean;
  onChoose: () => void;
}): JSX.Element {
  const { collection, asked, match } = props;
  const { subject } = asked;
  const a = 'id' in subject ? { a: subject.id } : 'text' in subject && subject.text.length < 1500 ? { at: subject.text } : {};
  const canCompare = 'a' in a || 'at' in a;
  const several = collection.schema.fields.length > 1;
  return (
    <li class={props.isChosen && asked.text !== null ? 'match chosen' : 'match'}>
      <div class="match-head">
        <h3 class="id">{match.id}</h3>
        <ScoreBar value={match.score} at={asked.threshold} />
        <span class="score">
          {format.score(match.score)}
          <span class="quiet small"> {match.exact ? 'exact' : 'estimated'}</span>
        </span>
      </div>
      <KeptDocument collection={collection} id={match.id} length={170} />
      <dl class="why">
        {collection.schema.fields.map((field) => {
          const why = match.fields[field.name];
          if (!why) return null;
          return (
            <div key={field.name}>
              {several && (
                <dt>
                  {field.name} <span class="score">{format.score(why.similarity)}</span>
                </dt>
              )}
              <dd>
                <Why field={why} bands={hasBands(field)} />
              </dd>
            </div>
          );
        })}
      </dl>
      <div class="match-foot">
        <span class="quiet">Found with a probability of {format.percent(match.found_probability)}</span>
        <span class="buttons">
          {asked.text !== null && (
            <button type="button" class="button small" aria-pressed={props.isChosen} onClick={props.onChoose}>
              Mark in my text
            </button>
          )}
          {canCompare && (
            <a class="button small" href={routeHash('compare', collection.name, { ...a, b: match.id, threshold: asked.threshold })}>
              Compare
            </a>
          )}
        </span>
      </div>
    </li>
  );
}

function Why({ field, bands }: { field: ExplainedField; bands: boolean }): JSX.Element {
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
        <span>
          {format.count(field.intersection ?? 0)} of {format.counted(field.union ?? 0, 'feature')} shared
        </span>
        <span>
          {field.equal_bands.length} of {format.counted(field.bands, 'band')} met
        </span>
        <BandGrid bands={field.bands} met={field.equal_bands} small />
      </p>
      {passages.length > 0 && (
        <ul class="passages" aria-label="Shared passages">
          {passages.slice(0, 3).map((passage, index) => (
            <li key={index}>
              <q>
                {format.beginning(passage.text, 160)}
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
