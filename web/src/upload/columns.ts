// Reads the names of the columns of tables, so that people can say which one is a field of the index.
import type { Schema } from '../api/types';
import { CsvReader } from './csv';
import { kindOfSource, type Source } from './sources';

const kHeader = 100_000;

export interface MissingColumns {
  fields: string[]; // without a column of their name
  columns: string[]; // that the tables have
}

// Null if no table is among the files, or if they name a field.
export async function missingColumns(sources: readonly Source[], schema: Schema): Promise<MissingColumns | null> {
  const table = sources.find((source) => kindOfSource(source.path) === 'csv');
  if (!table) return null;
  const reader = new CsvReader();
  const text = new TextDecoder().decode(await table.file.slice(0, kHeader).arrayBuffer());
  const [header] = [...reader.add(text), ...reader.end()];
  const columns = (header?.cells ?? []).map((name) => name.trim()).filter((name) => name !== '');
  const fields = schema.fields.map((field) => field.name).filter((name) => !columns.includes(name));
  return fields.length < schema.fields.length ? null : { fields, columns };
}
