// Lists the indexes, with the contents and the maintenance of each.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Index } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { go, useApp } from '../ui/app_state';
import { Empty, StateTag } from '../ui/parts';
import { IndexDetail } from './index_detail';
import { NewIndexForm } from './new_index';

export function IndexesView(): JSX.Element {
  const { route, indexes } = useApp();
  const all = indexes.data ?? [];
  const chosen = all.find((one) => one.name === route.part);
  if (route.part !== null) {
    if (chosen) return <IndexDetail key={chosen.name} index={chosen} />;
    if (indexes.loading) return <p class="loading">Reading the indexes …</p>;
    return (
      <Empty isView title={`There is no index ${route.part}`}>
        <p>
          It may have been deleted. <a href="#/indexes">See all indexes.</a>
        </p>
      </Empty>
    );
  }
  return <List all={all} />;
}

function List({ all }: { all: Index[] }): JSX.Element {
  const { may } = useApp();
  const [isNew, setNew] = useState(false);
  return (
    <>
      <div class="title with-action">
        <div>
          <h1>Indexes</h1>
          <p class="quiet">{format.counted(all.length, 'index', 'indexes')} on this server.</p>
        </div>
        {may('admin') && (
          <button type="button" class="button" aria-expanded={isNew} onClick={() => setNew(!isNew)}>
            New index
          </button>
        )}
      </div>
      {isNew && <NewIndexForm onDone={(name) => go(routeHash('indexes', name))} />}
      <ul class="index-list">
        {all.map((one) => (
          <li key={one.name} class="card">
            <h2>
              <a href={routeHash('indexes', one.name)}>
                <bdi>{one.name}</bdi>
              </a>
              <StateTag state={one.state} />
            </h2>
            {one.state !== 'ready' ? (
              <p>{one.problem ?? 'It cannot be opened.'}</p>
            ) : (
              <>
                <p class="index-count">{format.counted(one.documents, 'document')}</p>
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
                  <a href={routeHash('plan', null, { index: one.name })}>Plan</a>
                </p>
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
