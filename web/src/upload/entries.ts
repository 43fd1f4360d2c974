// Turns files into the lines that the server takes, one after the other, without reading a whole file of records.
import { LineSplitter } from '../api/streams';
import type { Schema } from '../api/types';
import { inOneLine } from '../logic/json_text';
import { kindOf } from '../logic/schema';
import { columnsOf, CsvReader, documentOf, type Columns, type CsvRow } from './csv';
import { JsonSplitter, type JsonValue } from './json_values';
import { kindOfSource, pictureType, type Source } from './sources';

// A document to send, or why there is none. `place` says where, for people.
export type Entry = { place: string; line: string } | { place: string; reason: string };

// Of the server: a line of many documents.
export const kLongestLine = 8 * 1024 * 1024;

const kUtf8 = 'the file is not UTF-8';

async function* piecesOf(file: File, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const reader = file.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      let text: string;
      try {
        text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      } catch {
        throw new Error(kUtf8);
      }
      if (text !== '') yield text;
      if (done) return;
      onRead(value.length);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

export interface ReadSettings {
  schema: Schema;
  columns: Record<string, string>; // column of a table by field, where they differ
  onRead: (bytes: number) => void;
}

export async function* entriesOf(source: Source, settings: ReadSettings): AsyncGenerator<Entry> {
  const { path } = source;
  let at = path;
  try {
    for await (const entry of readers[kindOfSource(path)](source, settings)) {
      at = entry.place;
      yield 'line' in entry && tooLong(entry.line)
        ? { place: at, reason: 'it is longer than 8 MiB, which is the most for one document' }
        : entry;
    }
  } catch (error) {
    const after = at === path ? '' : `; what comes after ${at} was not read`;
    yield { place: path, reason: `${error instanceof Error ? error.message : String(error)}${after}` };
  }
}

const tooLong = (line: string): boolean =>
  line.length > kLongestLine || (3 * line.length > kLongestLine && new Blob([line]).size > kLongestLine);

type Reader = (source: Source, settings: ReadSettings) => AsyncGenerator<Entry>;

async function* lines({ file, path }: Source, { onRead }: ReadSettings): AsyncGenerator<Entry> {
  const splitter = new LineSplitter();
  let number = 0;
  const entries = function* (some: string[]): Generator<Entry> {
    for (const line of some) {
      number++;
      if (line.trim() !== '') yield { place: `${path}, line ${number}`, line };
    }
  };
  for await (const piece of piecesOf(file, onRead)) yield* entries(splitter.add(piece));
  yield* entries(splitter.end());
}

function fromValue({ text, line }: JsonValue, path: string): Entry {
  const place = `${path}, line ${line}`;
  try {
    const value: unknown = JSON.parse(text);
    // The text itself is sent, since the parsed numbers may have lost digits.
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { place, line: inOneLine(text) };
    return { place, reason: 'it is not an object, such as {"id": "a-1", …}' };
  } catch (error) {
    return { place, reason: `it is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function* values({ file, path }: Source, { onRead }: ReadSettings): AsyncGenerator<Entry> {
  const splitter = new JsonSplitter();
  for await (const piece of piecesOf(file, onRead)) {
    for (const value of splitter.add(piece)) yield fromValue(value, path);
    if (splitter.waiting > 4 * kLongestLine) throw new Error('a bracket or a quote is not closed');
  }
  const rest = splitter.end();
  if (rest) yield fromValue(rest, path);
}

const kPeek = 200_000;

// A file with a whole object in its first line has an object in each line.
async function* json(source: Source, settings: ReadSettings): AsyncGenerator<Entry> {
  const first = (await source.file.slice(0, kPeek).text()).trimStart();
  const end = first.indexOf('\n');
  let isLines = false;
  try {
    isLines = first.startsWith('{') && end > 0 && typeof JSON.parse(first.slice(0, end)) === 'object';
  } catch {
    // The object goes on in the next line.
  }
  yield* (isLines ? lines : values)(source, settings);
}

async function* csv({ file, path }: Source, settings: ReadSettings): AsyncGenerator<Entry> {
  const reader = new CsvReader();
  let columns: Columns | null = null;
  const entries = function* (rows: CsvRow[]): Generator<Entry> {
    for (const row of rows) {
      if (!columns) {
        columns = columnsOf(row.cells, settings.schema, settings.columns);
        continue;
      }
      const place = `${path}, line ${row.line}`;
      const document = documentOf(row, columns, settings.schema, `${path}:${row.line}`);
      yield typeof document === 'string' ? { place, reason: document } : { place, line: JSON.stringify(document) };
    }
  };
  for await (const piece of piecesOf(file, settings.onRead)) yield* entries(reader.add(piece));
  yield* entries(reader.end());
}

const fieldFor = (schema: Schema, kind: 'text' | 'image'): string | undefined =>
  schema.fields.find((field) => kindOf(field) === kind)?.name;

async function* text({ file, path }: Source, { schema, onRead }: ReadSettings): AsyncGenerator<Entry> {
  const field = fieldFor(schema, 'text');
  if (field === undefined) throw new Error('the index has no field for texts');
  if (file.size > kLongestLine) throw new Error('it is longer than 8 MiB, which is the most for one document');
  let content = '';
  for await (const piece of piecesOf(file, onRead)) content += piece;
  if (content.trim() === '') throw new Error('the file is empty');
  yield { place: path, line: JSON.stringify({ id: path, [field]: content }) };
}

async function* picture({ file, path }: Source, { schema, onRead }: ReadSettings): AsyncGenerator<Entry> {
  const field = fieldFor(schema, 'image');
  if (field === undefined) throw new Error('the index has no field for pictures');
  if (file.size > (kLongestLine * 3) / 4 - 4096) throw new Error('the picture is larger than 6 MiB');
  const url = await asDataUrl(file.slice(0, file.size, pictureType(path) ?? file.type));
  onRead(file.size);
  yield { place: path, line: JSON.stringify({ id: path, [field]: url }) };
}

export const asDataUrl = (blob: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(blob);
  });

const readers: Record<ReturnType<typeof kindOfSource>, Reader> = { lines, json, csv, text, picture };
