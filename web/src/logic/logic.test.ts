import { describe, expect, it } from 'vitest';
import { EventParser, LineSplitter } from '../api/streams';
import type { Index } from '../api/types';
import { bandsAndRows, expectedCandidates, foundProbability } from './curve';
import { about, beginning, bytes, count, percent, score, seconds, threshold, weight } from './format';
import { inWordsOfTheForm, sharesOf } from './guard_rails';
import { justBefore } from './ids';
import { parseRoute, routeHash } from './routes';
import {
  attributesOf,
  hasContainment,
  isEmpty,
  isWeighted,
  linesFrom,
  subjectOf,
  summaryOf,
  takesWeights,
  valuesFrom,
  weightsFrom,
  weightsText,
} from './schema';
import { settingsFor } from './search';
import { commandOf, cppOf, cppQuoted, curlOf, shellQuoted, type Search } from './snippets';

describe('curve', () => {
  it('is 1 - (1 - s^r)^b', () => {
    expect(foundProbability(0.8, 16, 6)).toBeCloseTo(0.9922812706923393, 12);
    expect(foundProbability(0, 16, 6)).toBe(0);
    expect(foundProbability(1, 16, 6)).toBe(1);
  });
  it('keeps its digits near 0', () => {
    expect(foundProbability(0.001, 1, 6)).toBeCloseTo(1e-18, 30);
  });
  it('expects all pairs of equal documents to meet', () => {
    expect(expectedCandidates([{ from: 1, to: 1, pairs: 5 }], 101, 16, 6)).toBe(5050);
    expect(expectedCandidates([], 100, 16, 6)).toBe(0);
  });
  it('reads bands', () => {
    expect(bandsAndRows('16x6')).toEqual({ bands: 16, rows: 6 });
    expect(bandsAndRows('none')).toBeNull();
  });
});

describe('numbers', () => {
  it('groups digits', () => expect(count(1234567)).toBe('1\u202f234\u202f567'));
  it('never rounds to certainty', () => {
    expect(percent(0.999999)).toBe('> 99.99 %');
    expect(percent(0.9923)).toBe('99.23 %');
    expect(percent(0.5)).toBe('50 %');
    expect(percent(1)).toBe('100 %');
    expect(percent(1e-9)).toBe('< 0.01 %');
    expect([0.29, 0.07, 0.79996, 0.98996, 0.0001].map(percent)).toEqual(['29 %', '7 %', '79.9 %', '98.9 %', '0.01 %']);
  });
  it('shows a threshold as it is, and a score on the right side of it', () => {
    expect([0.8, 0.756, 0.7578125].map(threshold)).toEqual(['0.8', '0.756', '0.7578125']);
    expect([1, 0.29, 0.757, 0.7558, 0.99999, 1e-7, 0].map((value) => score(value))).toEqual([
      '1.000',
      '0.290',
      '0.757',
      '0.755',
      '0.999',
      '0.000',
      '0.000',
    ]);
    expect([28 / 37, 0.756, 0.7559999].map((value) => score(value, 0.756))).toEqual(['0.756', '0.756', '0.755']);
    expect([0.7578125, 0.7578124].map((value) => score(value, 0.7578125))).toEqual(['0.7578125', '0.7578124']);
    // A mean of 0.7 and 0.9 may be off by its rounding.
    expect(score(0.7999999999999999, 0.8)).toBe('0.800');
  });
  it('has units', () => {
    expect(bytes(1)).toBe('1 byte');
    expect(bytes(1536)).toBe('1.5 KiB');
    expect(bytes(5 * 1024 * 1024)).toBe('5 MiB');
    expect(about(4950000)).toBe('4.95 million');
    expect(seconds(0.0421)).toBe('42 ms');
  });
  it('cuts at a word', () => expect(beginning('one two three four', 12)).toBe('one two …'));
});

describe('routes', () => {
  it('go both ways', () => {
    const hash = routeHash('compare', 'my texts', { a: 'id/1?', b: 'ü & x', c: '' });
    expect(parseRoute(hash)).toEqual({ view: 'compare', part: 'my texts', values: { a: 'id/1?', b: 'ü & x' } });
  });
  it('begin with trying it', () => {
    expect(parseRoute('').view).toBe('try');
    expect(parseRoute('#/nothing/%').part).toBe('%');
  });
});

describe('streams', () => {
  it('splits lines wherever pieces end', () => {
    const splitter = new LineSplitter();
    expect(splitter.add('{"a"')).toEqual([]);
    expect(splitter.add(':1}\r\n{"b":2}\n{')).toEqual(['{"a":1}', '{"b":2}']);
    expect(splitter.end()).toEqual(['{']);
    expect(splitter.end()).toEqual([]);
  });
  it('reads events', () => {
    const parser = new EventParser();
    const got = [': hello', 'event: task', 'data: {"x":', 'data:1}', '', ''].map((line) => parser.line(line));
    expect(got.filter(Boolean)).toEqual([{ event: 'task', data: '{"x":\n1}' }]);
  });
});

const texts: Index = {
  name: 'texts',
  state: 'ready',
  documents: 3,
  durability: 'sync',
  schema: {
    fields: [{ name: 'text', features: 'text:word3', weight: 1 }],
    attributes: [],
    measure: 'jaccard',
    sketch: 'fss:128',
    bands: '16x6',
    min_threshold: 0.8,
    recall: 0.99,
    text: '',
  },
};

describe('the same call elsewhere', () => {
  const search: Search = {
    index: texts,
    subject: { text: `it's "so"` },
    threshold: 0.8,
    limit: 5,
    where: [],
    origin: 'http://h:1',
    withKey: false,
  };
  it('quotes for the shell and for C++', () => {
    expect(shellQuoted(`it's`)).toBe(`'it'\\''s'`);
    expect(cppQuoted('a"b\\\n')).toBe('"a\\"b\\\\\\n"');
  });
  it('is whole', () => {
    expect(curlOf(search)).toContain(`-d '{"text":"it'\\''s \\"so\\"","threshold":0.8,"limit":5,"explain":true}'`);
    expect(curlOf({ ...search, withKey: true })).toContain('$BENZER_KEY');
    expect(commandOf({ ...search, subject: { id: 'a' } })).toContain(`--id 'a'`);
    expect(cppOf(search)).toContain('benzer::Field::of_text("text", "it\'s \\"so\\"")');
    expect(cppOf({ ...search, subject: { id: 'a' } })).toContain(
      'find_similar_to("a", {.threshold = 0.8, .limit = 5, .explain = true})',
    );
    const limited = { ...search, where: ['lang = en', 'a = "x"'] };
    expect(curlOf(limited)).toContain('"where":["lang = en","a = \\"x\\""]');
    expect(commandOf(limited)).toContain(`--where 'lang = en' \\\n  --where 'a = "x"'`);
    expect(cppOf(limited)).toContain('benzer::Condition::parse("a = \\"x\\"")}, .explain');
  });
  it('has all settings of the search of the page', () => {
    const index = { ...texts, keep_documents: true };
    const low: Search = { ...search, index, threshold: 0.2, where: ['lang = en'] };
    const sent = { text: `it's "so"`, ...settingsFor(index, 0.2, 5, ['lang = en']) };
    expect(sent).toMatchObject({ allow_low_recall: true, with_documents: true, where: ['lang = en'], explain: true });
    expect(curlOf(low)).toContain(`-d ${shellQuoted(JSON.stringify(sent))}`);
    expect(commandOf(low)).toContain('--allow-low-recall \\\n  --explain');
    expect(cppOf(low)).toContain('.allow_low_recall = true, .explain = true}');
    for (const spell of [curlOf, commandOf, cppOf]) expect(spell(search)).not.toMatch(/low.recall/);
  });
});

describe('documents', () => {
  it('take the short name of the only text', () => {
    expect(subjectOf({ text: 'x' }, texts.schema)).toEqual({ text: 'x' });
  });
  it('may have attributes', () => {
    const schema = { ...texts.schema, attributes: ['lang=string', 'expires_at=time;ttl=30d'] };
    expect(attributesOf(schema)).toEqual([
      { name: 'lang', kind: 'string' },
      { name: 'expires_at', kind: 'time' },
    ]);
    expect(linesFrom(' a = b \n\nc\n')).toEqual(['a = b', 'c']);
  });
  const gear: Index = {
    ...texts,
    schema: { ...texts.schema, fields: [{ name: 'gear', features: 'values+weights', weight: 1 }] },
  };
  it('have values with weights', () => {
    expect(weightsFrom('tent: 2.5, rope\nrope:1,, size: XL , map:1e-3, odd: -, : 3')).toEqual({
      tent: 2.5,
      rope: 2,
      'size: XL': 1,
      map: 0.001,
      'odd: -': 1,
    });
    expect(weightsText({ tent: 2.5, rope: 1 })).toBe('tent: 2.5, rope: 1');
    expect(weightsText(['tent', 'rope'])).toBe('tent, rope');
    expect(weightsFrom(weightsText({ 'a:b': 0.25, c: 3 }))).toEqual({ 'a:b': 0.25, c: 3 });
  });
  it('may be weighed by the index, without weights of their own', () => {
    const weightsOf = (features: string): boolean[] => {
      const field = { name: 'gear', features, weight: 1 };
      return [takesWeights(field), isWeighted(field), hasContainment(features)];
    };
    expect(weightsOf('values')).toEqual([false, false, true]);
    expect(weightsOf('values+weights+seed:7')).toEqual([true, true, false]);
    expect(weightsOf('values+tf-idf')).toEqual([false, true, false]);
    expect(weightsOf('text:word1+html+tf-idf@0123456789abcdef+seed:7')).toEqual([false, true, false]);
    expect(weightsOf('text:word3+bag')).toEqual([false, false, true]);
  });
  it('are shown and sent with their weights', () => {
    const document = { gear: { tent: 2.5, rope: 1 } };
    expect(summaryOf(document, gear.schema)).toBe('tent: 2.5, rope: 1');
    expect(subjectOf(document, gear.schema)).toEqual({ document });
    expect(isEmpty({ gear: {} }, gear.schema)).toBe(true);
    expect(weight(4.5)).toBe('4.5');
    expect(weight(1 / 3)).toBe('0.333333');
    expect(
      cppOf({ index: gear, subject: { document }, threshold: 0.5, limit: 1, where: [], origin: '', withKey: false }),
    ).toContain('benzer::Field::of_weighted_values("gear", {"tent", "rope"}, {2.5, 1})');
  });
  it('have values without repeats', () => expect(valuesFrom('a, b\n\n b ,c,')).toEqual(['a', 'b', 'c']));
});

describe('guard rails', () => {
  it('are shares, and only those that are filled in', () => {
    expect(sharesOf({ largest_cluster: '', largest_loss: ' ' })).toEqual({});
    const shares = { largest_cluster: 0.29, largest_loss: 1 };
    expect(sharesOf({ largest_cluster: '29', largest_loss: '100' })).toEqual(shares);
  });
  it('are named as in the form', () => {
    const problem = { title: 'Conflict', status: 409, detail: 'x', code: 'guard_rail', where: '/largest_loss' };
    expect(inWordsOfTheForm(problem)).toMatchObject({ title: 'Stopped by a guard rail', detail: 'x' });
    expect(inWordsOfTheForm(problem).hint).toContain('“Largest loss”');
    expect(inWordsOfTheForm(problem).where).toBeUndefined();
    expect(inWordsOfTheForm({ ...problem, where: '/remove' }).hint).not.toContain('“');
    expect(inWordsOfTheForm({ ...problem, code: 'busy' }).title).toBe('Conflict');
  });
});

describe('ids', () => {
  const bytesOf = (id: string) => String.fromCharCode(...new TextEncoder().encode(id));
  const isBefore = (a: string, b: string) => bytesOf(a) < bytesOf(b);
  it('stand behind what is just before their beginning', () => {
    for (const beginning of ['doc-001', 'ü', '\ue000', '😀']) {
      expect(isBefore(justBefore(beginning), beginning)).toBe(true);
      expect(isBefore(justBefore(beginning), `${beginning}-1`)).toBe(true);
    }
    expect(isBefore('doc-000-copy', justBefore('doc-001'))).toBe(true);
  });
});
