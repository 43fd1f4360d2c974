// Adds documents from an NDJSON file, in parts that the server accepts.
import type { JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import * as calls from '../api/calls';
import { LineSplitter } from '../api/streams';
import type { Index, LoadLine } from '../api/types';
import * as format from '../logic/format';
import { kindOf } from '../logic/schema';
import { useAction, useApp } from '../ui/app_state';
import { ProblemNote } from '../ui/parts';
import { forgetKept } from './kept_document';

const kLinesAtOnce = 1000;
const kBytesAtOnce = 900_000;

interface Progress {
  readBytes: number;
  inserted: number;
  replaced: number;
  refused: number;
  problems: LoadLine[];
}

async function* partsOf(file: File): AsyncGenerator<{ text: string; readBytes: number }> {
  const splitter = new LineSplitter();
  const decoder = new TextDecoder();
  let lines: string[] = [];
  let size = 0;
  let read = 0;
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (value) read += value.length;
    const fresh = done ? splitter.end() : splitter.add(decoder.decode(value, { stream: true }));
    for (const line of fresh) {
      if (line.trim() === '') continue;
      lines.push(line);
      size += line.length;
      if (lines.length >= kLinesAtOnce || size >= kBytesAtOnce) {
        yield { text: lines.join('\n') + '\n', readBytes: read };
        lines = [];
        size = 0;
      }
    }
    if (done) break;
  }
  if (lines.length > 0) yield { text: lines.join('\n') + '\n', readBytes: read };
}

function exampleOf(index: Index): string {
  const fields = index.schema.fields.map((field) => {
    const kind = kindOf(field);
    return [
      field.name,
      kind === 'values' ? ['one', 'two'] : kind === 'image' ? 'data:image/jpeg;base64,...' : 'A text.',
    ] as const;
  });
  return JSON.stringify({ id: 'a-1', ...Object.fromEntries(fields) });
}

export function AddFile({ index, onDone }: { index: Index; onDone: () => void }): JSX.Element {
  const { announce } = useApp();
  const action = useAction();
  const id = useId();
  const [file, setFile] = useState<File | null>(null);
  const [progress, setProgress] = useState<Progress | null>(null);
  const load = (): Promise<boolean> =>
    action.run(async () => {
      if (!file) return;
      let state: Progress = { readBytes: 0, inserted: 0, replaced: 0, refused: 0, problems: [] };
      setProgress(state);
      for await (const part of partsOf(file)) {
        const { summary, refused } = await calls.addDocuments(index.name, part.text);
        state = {
          readBytes: part.readBytes,
          inserted: state.inserted + (summary?.inserted ?? 0),
          replaced: state.replaced + (summary?.replaced ?? 0),
          refused: state.refused + (summary?.refused ?? 0),
          problems: [...state.problems, ...refused].slice(0, 5),
        };
        setProgress(state);
      }
      announce(`${format.counted(state.inserted + state.replaced, 'document')} of ${file.name} are in.`);
      forgetKept();
      onDone();
    });
  return (
    <section class="panel" aria-labelledby="add-file">
      <h2 id="add-file">Add documents</h2>
      <div class="field">
        <label for={id}>File with one JSON object a line (NDJSON)</label>
        <input
          id={id}
          type="file"
          accept=".jsonl,.ndjson,.json,application/x-ndjson"
          onChange={(event) => {
            setFile(event.currentTarget.files?.[0] ?? null);
            setProgress(null);
          }}
        />
        <p class="field-note">
          A line: <code>{exampleOf(index)}</code>
        </p>
      </div>
      <button type="button" class="button" disabled={!file || action.busy} onClick={() => void load()}>
        {action.busy ? 'Adding …' : 'Add the file'}
      </button>
      {progress && file && (
        <>
          {action.busy && (
            <progress max={file.size} value={progress.readBytes} aria-label="Share of the file that is in" />
          )}
          <p class="said">
            {format.count(progress.inserted)} added, {format.count(progress.replaced)} replaced,{' '}
            {format.count(progress.refused)} refused.
          </p>
          {progress.problems.length > 0 && (
            <ul class="note note-problem plain">
              {progress.problems.map((line, place) => (
                <li key={place}>
                  {line.id ? <span class="id">{line.id}: </span> : `Line ${line.line}: `}
                  {line.problem?.detail}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <ProblemNote problem={action.problem} />
    </section>
  );
}
