// Searches the documents that are similar to one, and shows why they are.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import type { Index, Document, Subject } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { attributesOf, isEmpty, kindOf, linesFrom, subjectOf, type SchemaAttribute } from '../logic/schema';
import { foundInWords, settingsFor } from '../logic/search';
import { go, inIndex, settle, useAction, useApp, type InIndex } from '../ui/app_state';
import { DocumentForm } from '../ui/document_form';
import { IdPicker } from '../ui/id_picker';
import { IndexPicker, Empty, ProblemNote, Segments, Slider } from '../ui/parts';
import { kAddressLength } from '../ui/pasted';
import { AddDocument } from './add_document';
import { SameCall } from './same_call';
import { SimilarResults, type Asked } from './similar_results';

const onlyText = (index: Index): string | null => {
  const [field] = index.schema.fields;
  return index.schema.fields.length === 1 && field && kindOf(field) === 'text' ? field.name : null;
};

export const TryView = inIndex(TryIndex);

function TryIndex({ index, all }: InIndex): JSX.Element {
  const { route, indexes, announce, may } = useApp();
  const action = useAction();
  const { min_threshold } = index.schema;
  const textName = onlyText(index);
  const [mode, setMode] = useState<'content' | 'id'>(route.values['id'] !== undefined ? 'id' : 'content');
  const [id, setId] = useState(route.values['id'] ?? '');
  const [document, setDocument] = useState<Document>(
    textName !== null && route.values['text'] ? { [textName]: route.values['text'] } : {},
  );
  const [threshold, setThreshold] = useState(Number(route.values['threshold'] ?? min_threshold));
  const [limit, setLimit] = useState(Number(route.values['limit'] ?? 10));
  const [conditions, setConditions] = useState(route.values['where'] ?? '');
  const where = linesFrom(conditions);
  const [asked, setAsked] = useState<Asked | null>(null);

  const isReady = mode === 'id' ? id !== '' : !isEmpty(document, index.schema);
  const subject: Subject | null = !isReady ? null : mode === 'id' ? { id } : subjectOf(document, index.schema);
  const address = (): string => {
    const text = subject && 'text' in subject && subject.text.length <= kAddressLength ? subject.text : undefined;
    return routeHash('try', index.name, {
      id: mode === 'id' ? id : undefined,
      text,
      threshold,
      limit,
      where: where.join('\n'),
    });
  };

  const search = async (): Promise<void> => {
    if (!subject) return;
    await action.run(async (isLast) => {
      const began = performance.now();
      const answer = await calls.similar(index.name, subject, settingsFor(index, threshold, limit, where));
      if (!isLast()) return;
      setAsked({ subject, answer, milliseconds: performance.now() - began, threshold, limit });
      announce(answer.matches.length === 0 ? 'No similar document was found.' : `${foundInWords(answer)} found.`);
      // So that the number of documents in the sentence is the one of now.
      if (answer.matches.length === 0) indexes.reload();
      settle(address());
    });
  };
  // If the address contains a query, the search runs at once.
  useEffect(() => {
    if (isReady && (route.values['id'] !== undefined || route.values['text'] !== undefined)) void search();
  }, []);

  const kinds = index.schema.fields.map((field) => kindOf(field));
  const contentName =
    kinds.length > 1 ? 'A document' : kinds[0] === 'image' ? 'A picture' : kinds[0] === 'values' ? 'Values' : 'A text';
  return (
    <>
      <div class="title">
        <h1>Find similar documents</h1>
        <p class="quiet">Give a document, and see which ones are similar to it, how much, and why.</p>
      </div>
      <div class="split">
        <section class="panel" aria-label="Question">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void search();
            }}
          >
            <IndexPicker all={all} value={index.name} onChange={(name) => go(routeHash('try', name))} />
            <Segments
              label="What to ask with"
              value={mode}
              options={{ content: contentName, id: 'From the index' }}
              onChange={setMode}
            />
            {mode === 'id' ? (
              <IdPicker index={index} value={id} onInput={setId} />
            ) : (
              <DocumentForm index={index} value={document} onInput={setDocument} />
            )}
            <Slider
              label="Threshold"
              value={threshold}
              min={0.05}
              max={1}
              onInput={setThreshold}
              note={
                threshold < min_threshold
                  ? `Below ${min_threshold}, for which this index was planned: pairs down there are found less often.`
                  : undefined
              }
            />
            <Conditions index={index} value={conditions} onInput={setConditions} />
            <div class="row-end">
              <div class="field narrow">
                <label for="limit">At most</label>
                <input
                  id="limit"
                  type="number"
                  min="1"
                  max="1000"
                  value={limit}
                  onChange={(event) => setLimit(Math.max(1, Number(event.currentTarget.value) || 10))}
                />
              </div>
              <button type="submit" class="button primary wide" disabled={!isReady || action.busy}>
                {action.busy ? 'Searching …' : 'Find similar documents'}
              </button>
            </div>
          </form>
          <ProblemNote problem={action.problem} />
          {may('write') && mode === 'content' && !isEmpty(document, index.schema) && (
            <AddDocument index={index} document={document} threshold={threshold} />
          )}
        </section>
        <section class="results" aria-label="Results">
          {asked ? <SimilarResults index={index} asked={asked} /> : <Hint index={index} />}
          {subject && <SameCall index={index} subject={subject} threshold={threshold} limit={limit} where={where} />}
        </section>
      </div>
    </>
  );
}

function Conditions(props: { index: Index; value: string; onInput: (text: string) => void }): JSX.Element | null {
  const attributes = attributesOf(props.index.schema);
  if (attributes.length === 0) return null;
  return (
    <div class="field">
      <label for="where">Only documents with</label>
      <textarea
        id="where"
        rows={2}
        spellcheck={false}
        value={props.value}
        placeholder={`One condition a line, such as ${exampleOf(attributes)}`}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
      <p class="field-note">
        {attributes.map(({ name, kind }) => `${name} (${kind})`).join(', ')}; with = != &lt; &lt;= &gt; &gt;= and in.
      </p>
    </div>
  );
}

const kExamples: Record<string, string> = {
  string: ' in en,de',
  number: ' < 10',
  time: ' >= 2026-11-01',
  boolean: ' = true',
};
const exampleOf = ([first]: SchemaAttribute[]): string => (first ? first.name + (kExamples[first.kind] ?? '') : '');

function Hint({ index }: { index: Index }): JSX.Element {
  return (
    <Empty title={index.documents === 0 ? 'This index is empty' : 'Results will be here'}>
      {index.documents === 0 ? (
        <p>
          Add documents to it <a href={routeHash('indexes', index.name)}>from a file</a>, or type one at the side and
          add it.
        </p>
      ) : (
        <p>
          {format.counted(index.documents, 'document')} can be searched. Every result comes with its exact score, the
          passages that are shared, the bands that met, and the probability that a pair like it is found.
        </p>
      )}
    </Empty>
  );
}
