import { describe, expect, it } from 'vitest';
import type { Schema } from '../api/types';
import { CsvReader } from './csv';
import { entriesOf } from './entries';
import { JsonSplitter } from './json_values';
import { chosenSources, inWords, kindOfSource } from './sources';

const schema = {
  fields: [
    { name: 'text', features: 'text:word3', weight: 1 },
    { name: 'tags', features: 'values', weight: 1 },
  ],
  attributes: [],
} as unknown as Schema;

async function read(name: string, content: BlobPart, columns = {}): Promise<string[]> {
  const out: string[] = [];
  const source = { file: new File([content], name), path: name };
  for await (const entry of entriesOf(source, { schema, columns, onRead: () => undefined }))
    out.push('line' in entry ? entry.line : `${entry.place}: ${entry.reason}`);
  return out;
}

// Gives a text to a reader in pieces of every size.
function inPieces<T>(text: string, reader: () => { add: (piece: string) => T[]; end: () => T[] }): T[][] {
  return [1, 2, 3, 7, 1000].map((size) => {
    const one = reader();
    const out: T[] = [];
    for (let at = 0; at < text.length; at += size) out.push(...one.add(text.slice(at, at + size)));
    return [...out, ...one.end()];
  });
}

describe('sources', () => {
  it('are told apart by their names', () => {
    expect(['a.JSONL', 'a.json', 'a.tsv', 'b/a.JPG', 'a.txt', 'README'].map(kindOfSource)).toEqual([
      'lines',
      'json',
      'csv',
      'picture',
      'text',
      'text',
    ]);
  });
  it('have paths within the chosen folder, in order, without hidden files', () => {
    const file = (path: string): File =>
      Object.defineProperty(new File([''], path.split('/').at(-1) ?? ''), 'webkitRelativePath', { value: path });
    const sources = chosenSources(['top/b.txt', 'top/.git/x', 'top/a/c.txt', 'top/.DS_Store'].map(file));
    expect(sources.map((source) => source.path)).toEqual(['a/c.txt', 'b.txt']);
    expect(inWords(sources)).toBe('2 texts');
    const mixed = chosenSources(['t/a.txt', 't/b.csv', 't/c.png', 't/d.txt'].map(file));
    expect(inWords(mixed)).toBe('2 texts, 1 table and 1 picture');
  });
});

describe('JSON', () => {
  const split = (text: string): string[][] =>
    inPieces(text, () => {
      const splitter = new JsonSplitter();
      return {
        add: (piece) => splitter.add(piece).map((value) => `${value.line}:${value.text}`),
        end: () => [splitter.end()].flatMap((value) => (value ? [`${value.line}>${value.text}`] : [])),
      };
    });
  it('gives the objects of an array, wherever it is cut', () => {
    for (const found of split('[\n {"a": "}]\\""},\n{"b": [1, {"c": 2}]} , 7, "x,y"]'))
      expect(found).toEqual(['2:{"a": "}]\\""}', '3:{"b": [1, {"c": 2}]}', '3:7', '3:"x,y"']);
  });
  it('gives objects that follow one another, and what is not complete', () => {
    for (const found of split('{"a":\n1}\n{"b":2}{"c"')) expect(found).toEqual(['1:{"a":\n1}', '3:{"b":2}', '3>{"c"']);
  });
  it('is read by its content', async () => {
    expect(await read('a.json', '[{"id": 1,\n "text": "x"}, 5]')).toEqual([
      '{"id": 1,"text": "x"}',
      'a.json, line 2: it is not an object, such as {"id": "a-1", …}',
    ]);
    expect(await read('a.json', '{"id":1}\n\n{"id":2}')).toEqual(['{"id":1}', '{"id":2}']);
    expect(await read('a.json', '{"a" :\r\n  [1,\n\n\t2],\n"b": "c \\n d"\n}')).toEqual([
      '{"a" :[1,2],"b": "c \\n d"}',
    ]);
    expect((await read('a.json', '[{"id":1}, {x}]')).at(-1)).toContain('a.json, line 1: it is not JSON');
  });
});

describe('numbers of JSON', () => {
  it('keep their digits, and members their order', async () => {
    const exact = '{"id":9007199254740993,"b":12345678901234567890,"7":1.0,"c":1e999,"c":-0}';
    expect(await read('a.json', `[${exact},\n${exact}]`)).toEqual([exact, exact]);
    expect(await read('a.jsonl', exact)).toEqual([exact]);
  });
});

describe('CSV', () => {
  const rows = (text: string): string[][] =>
    inPieces(text, () => new CsvReader()).map((found) => found.map((row) => `${row.line}:${row.cells.join('|')}`));
  it('has quotes, line ends in values, and line numbers, wherever it is cut', () => {
    const text = 'id,text,more\n1,"a, ""b""\nc",x\n\n2,d,y\n';
    for (const found of rows(text)) expect(found).toEqual(['1:id|text|more', '2:1|a, "b"\nc|x', '5:2|d|y']);
  });
  it('becomes documents', async () => {
    expect(await read('a.csv', 'ID;text;tags;lang\r\n7;"one; two";"a,b";en\r\n8;x;;\r\n9;x\r\n')).toEqual([
      '{"id":"7","lang":"en","text":"one; two","tags":["a","b"]}',
      '{"id":"8","text":"x"}',
      'a.csv, line 4: there are 2 values for 4 columns of the header',
    ]);
    expect(await read('a.tsv', 'text\tlang\nhello\ten\n')).toEqual(['{"id":"a.tsv:2","lang":"en","text":"hello"}']);
  });
  it('says which columns it has, and takes another one for a field', async () => {
    expect(await read('a.csv', 'id,body\n1,x')).toEqual([
      'a.csv: the columns are id, body; none is named as a field of the index: text, tags',
    ]);
    expect(await read('a.csv', 'id,body\n1,x', { text: 'body' })).toEqual(['{"id":"1","text":"x"}']);
    expect(await read('a.csv', 'text,text\n1,x')).toEqual(['a.csv: two columns are named “text”']);
    expect((await read('a.csv', 'id,text\n1,"x')).at(-1)).toBe('a.csv, line 2: a quote is not closed');
  });
});

describe('texts', () => {
  it('have their path as id', async () => {
    expect(await read('notes/a.txt', '\ufeffHello')).toEqual(['{"id":"notes/a.txt","text":"Hello"}']);
  });
  it('are refused with the reason', async () => {
    expect(await read('a.txt', ' \n')).toEqual(['a.txt: the file is empty']);
    expect(await read('a.bin', new Uint8Array([0x41, 0xff, 0xfe]))).toEqual(['a.bin: the file is not UTF-8']);
    expect(await read('a.png', 'x')).toEqual(['a.png: the index has no field for pictures']);
    const long = 'x'.repeat(9 * 1024 * 1024);
    expect((await read('a.txt', long))[0]).toContain('longer than 8 MiB');
    expect((await read('a.jsonl', `{"id":1}\n{"text":"${long}"}\n{"id":2}`))[1]).toContain(
      'a.jsonl, line 2: it is longer',
    );
  });
});
