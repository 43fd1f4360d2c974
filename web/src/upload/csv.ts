// Reads CSV (RFC 4180) and TSV that arrive in pieces, by Papa Parse, and makes documents of the rows.
import Papa from 'papaparse';
import type { FieldValue, Schema } from '../api/types';
import { kindOf, takesWeights, valuesFrom, weightsFrom } from '../logic/schema';

export interface CsvRow {
  cells: string[];
  line: number; // in the file, of its first character
  problem?: string;
}

const kSeparators = [',', ';', '\t'];

// Without a row in so many characters a quote is not closed.
const kLongestRow = 16_000_000;

export class CsvReader {
  private text = '';
  private wanted = 0; // characters to wait for, before it is tried again
  private line = 1;
  private parser: { delimiter: string; newline: '\n' | '\r\n' | '\r' } | null = null;

  add(piece: string): CsvRow[] {
    this.text += piece;
    // The separator and the line end are taken from the header.
    if (this.text.length < this.wanted || (!this.parser && !/[\r\n]./s.test(this.text))) return [];
    return this.read(true);
  }

  end(): CsvRow[] {
    return this.text === '' ? [] : this.read(false);
  }

  private read(isMoreToCome: boolean): CsvRow[] {
    this.parser ??= this.guessed();
    const parser = new Papa.Parser(this.parser);
    const parsed = parser.parse(this.text, 0, isMoreToCome) as Papa.ParseResult<string[]>;
    this.text = isMoreToCome ? this.text.slice(parsed.meta.cursor) : '';
    this.wanted = parsed.data.length === 0 ? 2 * this.text.length : 0;
    if (this.text.length > kLongestRow) throw new Error('a quote is not closed');
    const problems = new Map(parsed.errors.map((error) => [error.row, error]));
    const rows = parsed.data.map((cells, place) => {
      const line = this.line;
      this.line += 1 + cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0);
      const problem = problems.get(place);
      return { cells, line, ...(problem ? { problem: kProblems[problem.code] ?? problem.message } : {}) };
    });
    return rows.filter((row) => !isBlank(row));
  }

  // The separator is the one that makes the most columns of the header.
  private guessed(): NonNullable<CsvReader['parser']> {
    const head = this.text.slice(0, 100_000);
    const found = kSeparators.map((delimiter) => {
      const { data, meta } = Papa.parse<string[]>(head, { delimiter, preview: 1 });
      return { delimiter, columns: data[0]?.length ?? 0, newline: meta.linebreak };
    });
    const best = found.reduce((most, one) => (one.columns > most.columns ? one : most));
    return { delimiter: best.delimiter, newline: best.newline as '\n' | '\r\n' | '\r' };
  }
}

const isBlank = (row: CsvRow): boolean => row.cells.length <= 1 && (row.cells[0] ?? '').trim() === '';

const kProblems: Record<string, string> = {
  MissingQuotes: 'a quote is not closed',
  InvalidQuotes: 'a quote is in the middle of a value; inside a quoted value it must be doubled',
};

// Which column is the id, and which a field of the index. Other columns are kept under their own names.
export interface Columns {
  names: string[];
  id: string | null;
  fields: Record<string, string>; // column by field
}

export function columnsOf(header: readonly string[], schema: Schema, chosen: Record<string, string>): Columns {
  const names = header.map((name) => name.trim());
  const twice = names.find((name, place) => name !== '' && names.indexOf(name) !== place);
  if (twice !== undefined) throw new Error(`two columns are named “${twice}”`);
  const fields: Record<string, string> = {};
  for (const { name } of schema.fields) {
    const column = chosen[name] ?? name;
    if (names.includes(column)) fields[name] = column;
  }
  if (Object.keys(fields).length === 0) {
    throw new Error(
      `the columns are ${names.join(', ')}; none is named as a field of the index: ` +
        schema.fields.map((field) => field.name).join(', '),
    );
  }
  const id = names.find((name) => name.toLowerCase() === 'id') ?? null;
  return { names, id, fields };
}

// The document of a row, or the reason why there is none.
export function documentOf(row: CsvRow, columns: Columns, schema: Schema, withoutId: string): object | string {
  const { names } = columns;
  if (row.problem !== undefined) return row.problem;
  if (row.cells.length !== names.length)
    return `there are ${row.cells.length} values for ${names.length} columns of the header`;
  const cell = (name: string): string => row.cells[names.indexOf(name)] ?? '';
  const out: Record<string, FieldValue> = {};
  const used = new Set(Object.values(columns.fields));
  for (const name of names) {
    if (name !== '' && name !== columns.id && !used.has(name) && cell(name) !== '') out[name] = cell(name);
  }
  for (const field of schema.fields) {
    const column = columns.fields[field.name];
    const value = column === undefined ? '' : cell(column);
    if (value.trim() === '') continue;
    const isSet = kindOf(field) === 'values';
    out[field.name] = !isSet ? value : takesWeights(field) ? weightsFrom(value) : valuesFrom(value);
  }
  return { id: columns.id === null ? withoutId : cell(columns.id), ...out };
}
