// Adds documents from files: JSON lines, JSON, tables, and folders of texts and pictures.
import type { JSX } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { Problem } from '../api/client';
import type { Index, Schema } from '../api/types';
import * as format from '../logic/format';
import { routeHash } from '../logic/routes';
import { kindOf } from '../logic/schema';
import { useAction, useApp } from '../ui/app_state';
import { DropZone } from '../ui/drop_zone';
import { ProblemNote } from '../ui/parts';
import { missingColumns, type MissingColumns } from '../upload/columns';
import { chosenSources, droppedSources, inWords, type Source } from '../upload/sources';
import { upload, type Progress } from '../upload/upload';

export function AddDocuments({ index, onDone }: { index: Index; onDone: () => void }): JSX.Element {
  const { announce } = useApp();
  const action = useAction();
  const [sources, setSources] = useState<Source[]>([]);
  const [columns, setColumns] = useState<Record<string, string>>({});
  const [missing, setMissing] = useState<MissingColumns | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const [wasStopped, setStopped] = useState(false);
  const [unreadableProblem, setUnreadable] = useState<Problem | null>(null);
  const stop = useRef<AbortController | null>(null);
  const choices = useRef(0);
  useEffect(() => () => stop.current?.abort(), []);

  // The files of a drop come later than the drop, and not at all if they cannot be read.
  const choose = (chosen: Source[] | Promise<Source[]>): void => {
    const last = ++choices.current;
    void Promise.resolve(chosen).then(
      (found) => {
        if (choices.current === last) take(found);
      },
      (error: unknown) => {
        if (choices.current !== last) return;
        take([]);
        setUnreadable(unreadable(error));
      },
    );
  };
  const take = (chosen: Source[]): void => {
    setSources(chosen);
    setUnreadable(null);
    setProgress(null);
    setStopped(false);
    setMissing(null);
    setColumns({});
    action.clear();
    missingColumns(chosen, index.schema)
      .then(setMissing)
      .catch(() => undefined); // the upload will say what is wrong with the table
  };
  const add = (): Promise<boolean> =>
    action.run(async () => {
      stop.current = new AbortController();
      setStopped(false);
      const { signal } = stop.current;
      let last: Progress | null = null;
      try {
        const onProgress = (now: Progress): void => setProgress((last = now));
        await upload({ index, sources, columns, signal, onProgress });
      } finally {
        setStopped(signal.aborted);
        if (last) announce(countsOf(last));
        onDone();
      }
    });
  const bytes = sources.reduce((sum, source) => sum + source.file.size, 0);
  const isColumnMissing = missing !== null && !missing.fields.some((field) => columns[field]);
  return (
    <section class="panel" aria-labelledby="add-documents">
      <h2 id="add-documents">Add documents</h2>
      <FileChoice disabled={action.busy} onChoose={choose} />
      <Formats schema={index.schema} />
      {sources.length > 0 && (
        <p class="said">
          Chosen: {inWords(sources)}, {format.bytes(bytes)}.
        </p>
      )}
      {missing && <ColumnChoice missing={missing} value={columns} onChange={setColumns} />}
      <div class="buttons">
        <button
          type="button"
          class={sources.length > 0 ? 'button primary' : 'button'}
          disabled={sources.length === 0 || action.busy || isColumnMissing}
          onClick={() => void add()}
        >
          {action.busy ? 'Adding …' : 'Add the documents'}
        </button>
        {action.busy && (
          <button type="button" class="button" onClick={() => stop.current?.abort()}>
            Stop
          </button>
        )}
      </div>
      {action.busy && (
        <progress
          {...(progress ? { max: Math.max(1, progress.allBytes), value: progress.bytes } : {})}
          aria-label="Share of the files that is read"
        />
      )}
      {progress && <Outcome progress={progress} wasStopped={wasStopped} />}
      {progress && !action.busy && progress.inserted + progress.replaced > 0 && (
        <p class="said">
          <a class="button small" href={routeHash('clusters', index.name)}>
            See the clusters
          </a>
        </p>
      )}
      <ProblemNote problem={unreadableProblem} />
      <ProblemNote problem={action.problem} />
    </section>
  );
}

// The browser's sentence says which file or folder, or why.
const unreadable = (error: unknown): Problem =>
  new Problem({
    status: 0,
    code: 'unreadable',
    title: 'Cannot be read',
    detail: `What was dropped cannot be read (${error instanceof Error ? error.message : String(error)}).`,
    hint: 'Is it still there, and may this user read it? Then drop it again, or choose the files.',
  });

function FileChoice(props: {
  disabled: boolean;
  onChoose: (sources: Source[] | Promise<Source[]>) => void;
}): JSX.Element {
  const take = (event: Event & { currentTarget: HTMLInputElement }): void => {
    const chosen = chosenSources(event.currentTarget.files ?? []);
    // So that the same files can be chosen again, after they have changed.
    event.currentTarget.value = '';
    if (chosen.length > 0) props.onChoose(chosen);
  };
  return (
    <DropZone
      class="files"
      onDropped={(data) => {
        if (!props.disabled) props.onChoose(droppedSources(data));
      }}
    >
      <label class="button file-button">
        Choose files
        <input type="file" multiple disabled={props.disabled} onChange={take} />
      </label>
      <label class="button file-button">
        Choose a folder
        <input
          type="file"
          ref={(input) => input?.setAttribute('webkitdirectory', '')}
          disabled={props.disabled}
          onChange={take}
        />
      </label>
      <p class="quiet">or drop them here</p>
    </DropZone>
  );
}

function exampleOf(schema: Schema): string {
  const fields = schema.fields.map((field) => {
    const kind = kindOf(field);
    return [
      field.name,
      kind === 'values' ? ['one', 'two'] : kind === 'image' ? 'data:image/jpeg;base64,...' : 'A text.',
    ] as const;
  });
  return JSON.stringify({ id: 'a-1', ...Object.fromEntries(fields) });
}

function Formats({ schema }: { schema: Schema }): JSX.Element {
  const kinds = schema.fields.map((field) => kindOf(field));
  return (
    <details class="formats">
      <summary>What the files may be</summary>
      <ul class="plain-list">
        <li>
          JSON lines, or a JSON array of such objects: <code>{exampleOf(schema)}</code>
        </li>
        <li>
          CSV or TSV whose first row names the columns: <code>id</code>
          {schema.fields.map((field) => (
            <>
              , <code>{field.name}</code>
            </>
          ))}
          . Without a column <code>id</code> it is the name of the file with the line.
        </li>
        {kinds.includes('text') && <li>Any other file of text in UTF-8: one document, whose id is its path.</li>}
        {kinds.includes('image') && (
          <li>JPEG, PNG, WebP and GIF: one document for each picture, whose id is its path.</li>
        )}
      </ul>
    </details>
  );
}

function ColumnChoice(props: {
  missing: MissingColumns;
  value: Record<string, string>;
  onChange: (columns: Record<string, string>) => void;
}): JSX.Element {
  const id = useId();
  return (
    <div class="row-end columns">
      {props.missing.fields.map((field) => (
        <div class="field" key={field}>
          <label for={`${id}-${field}`}>Column with the field {field}</label>
          <select
            id={`${id}-${field}`}
            value={props.value[field] ?? ''}
            onChange={(event) => props.onChange({ ...props.value, [field]: event.currentTarget.value })}
          >
            <option value="">Choose …</option>
            {props.missing.columns.map((column) => (
              <option key={column} value={column}>
                {column}
              </option>
            ))}
          </select>
        </div>
      ))}
    </div>
  );
}

const countsOf = (progress: Progress): string =>
  `${format.count(progress.inserted)} added, ${format.count(progress.replaced)} replaced, ` +
  `${format.count(progress.refused)} refused.`;

function Outcome({ progress, wasStopped }: { progress: Progress; wasStopped: boolean }): JSX.Element {
  return (
    <>
      <p class="said">
        {countsOf(progress)}
        {wasStopped && ' It was stopped; what was added stays.'}
      </p>
      {progress.reasons.length > 0 && (
        <ul class="note note-problem plain">
          {progress.reasons.map(({ reason, count, places }) => (
            <li key={reason}>
              <bdi>{places.join('; ')}</bdi>
              {count > places.length && ` and ${format.count(count - places.length)} more`}: {reason}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
