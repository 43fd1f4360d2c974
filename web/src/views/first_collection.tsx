// A fresh server: what to do first.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { kSampleCollection, kSampleQuery, kSamples, sampleLines } from '../logic/samples';
import { routeHash } from '../logic/routes';
import { go, useAction, useApp } from '../ui/app_state';
import { Empty, ProblemNote } from '../ui/parts';
import { NewCollectionForm } from './new_collection';

export function FirstCollection(): JSX.Element {
  const { collections, announce } = useApp();
  const action = useAction();
  const [isOwn, setOwn] = useState(false);
  const loadSamples = (): Promise<boolean> =>
    action.run(async () => {
      await calls.createCollection(kSampleCollection, {
        fields: ['text=text:word2'],
        min_threshold: 0.4,
        keep_documents: true,
      });
      await calls.addDocuments(kSampleCollection, sampleLines());
      announce(`The collection ${kSampleCollection} with ${kSamples.length} documents is there.`);
      collections.reload();
      go(routeHash('try', kSampleCollection, { text: kSampleQuery }));
    });
  return (
    <Empty isView title="There is no collection yet">
      <p>
        A collection holds the documents that are searched for similar ones. Begin with ten short texts, some of them
        near-copies of one another, or make a collection for your own documents.
      </p>
      <div class="buttons">
        <button type="button" class="button primary" disabled={action.busy} onClick={() => void loadSamples()}>
          Load ten sample documents
        </button>
        <button type="button" class="button" aria-expanded={isOwn} onClick={() => setOwn(!isOwn)}>
          Make a collection of my own
        </button>
      </div>
      <ProblemNote problem={action.problem} />
      {isOwn && <NewCollectionForm onDone={(name) => go(routeHash('collections', name))} />}
    </Empty>
  );
}
