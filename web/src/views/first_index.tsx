// Shows what to do first on a server without indexes.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { kSampleIndex, kSampleQuery, kSamples, sampleLines } from '../logic/samples';
import { routeHash } from '../logic/routes';
import { go, useAction, useApp } from '../ui/app_state';
import { Empty, ProblemNote } from '../ui/parts';
import { NewIndexForm } from './new_index';

export function FirstIndex(): JSX.Element {
  const { indexes, announce, may, isScopeKnown } = useApp();
  const action = useAction();
  const [isOwn, setOwn] = useState(false);
  const loadSamples = (): Promise<boolean> =>
    action.run(async (isLast) => {
      await calls.createIndex(kSampleIndex, {
        fields: ['text=text:word2'],
        min_threshold: 0.4,
        keep_documents: true,
      });
      await calls.addDocuments(kSampleIndex, sampleLines());
      announce(`The index ${kSampleIndex} with ${kSamples.length} documents is there.`);
      indexes.reload();
      if (isLast()) go(routeHash('try', kSampleIndex, { text: kSampleQuery }));
    });
  if (!may('admin')) {
    return (
      <Empty isView title="There is no index yet">
        <p>A key with the scope admin can make one.{isScopeKnown && ' The key in use has another scope.'}</p>
      </Empty>
    );
  }
  return (
    <Empty isView title="There is no index yet">
      <p>
        An index holds the documents that are searched for similar ones. Begin with ten short texts, some of them
        near-copies of one another, or make an index for your own documents.
      </p>
      <div class="buttons">
        <button type="button" class="button primary" disabled={action.busy} onClick={() => void loadSamples()}>
          Load ten sample documents
        </button>
        <button type="button" class="button" aria-expanded={isOwn} onClick={() => setOwn(!isOwn)}>
          Make an index of my own
        </button>
      </div>
      <ProblemNote problem={action.problem} />
      {isOwn && <NewIndexForm onDone={(name) => go(routeHash('indexes', name))} />}
    </Empty>
  );
}
