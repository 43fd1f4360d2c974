// Collections: what there is, what is in each, and its upkeep.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Collection } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { go, useApp } from '../ui/app_state';
import { Empty, StateTag } from '../ui/parts';
import { CollectionDetail } from './collection_detail';
import { NewCollectionForm } from './new_collection';

export function CollectionsView(): JSX.Element {
  const { route, collections } = useApp();
  const all = collections.data ?? [];
  const chosen = all.find((one) => one.name === route.part);
  if (route.part !== null) {
    if (chosen) return <CollectionDetail key={chosen.name} collection={chosen} />;
    if (collections.loading) return <p class="loading">Reading the collections …</p>;
    return (
      <Empty isView title={`There is no collection ${route.part}`}>
        <p>
          It may have been deleted. <a href="#/collections">See all collections.</a>
        </p>
      </Empty>
    );
  }
  return <List all={all} />;
}

function List({ all }: { all: Collection[] }): JSX.Element {
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="title with-action">
        <div>
          <h1>Collections</h1>
          <p class="quiet">{format.counted(all.length, 'collection')} on this server.</p>
        </div>
        <button type="button" class="button" aria-expanded={isNew} onClick={() => setNew(!isNew)}>
          New collection
        </button>
      </div>
      {isNew && <NewCollectionForm onDone={(name) => go(routeHash('collections', name))} />}
      <ul class="collection-list">
        {all.map((one) => (
          <li key={one.name} class="card">
            <h2>
              <a href={routeHash('collections', one.name)}>{one.name}</a>
              <StateTag state={one.state} />
            </h2>
            {one.state !== 'ready' ? (
              <p>{one.problem ?? 'It cannot be opened.'}</p>
            ) : (
              <>
                <p class="collection-count">{format.counted(one.documents, 'document')}</p>
                <ul class="chips" aria-label="Fields">
                  {one.schema.fields.map((field) => (
                    <li key={field.name}>
                      {field.name} <code>{field.features}</code>
                    </li>
                  ))}
                </ul>
                <p class="card-links">
                  <a href={routeHash('try', one.name)}>Search</a>
                  <a href={routeHash('compare', one.name)}>Compare</a>
                  <a href={routeHash('clusters', one.name)}>Clusters</a>
                  <a href={routeHash('plan', null, { collection: one.name })}>Plan</a>
                </p>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
