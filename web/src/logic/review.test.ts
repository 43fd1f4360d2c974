import { describe, expect, it } from 'vitest';
import type { Cluster, Decision, Index } from '../api/types';
import { currentOf, needsOthers, weakestOf } from './clusters';
import { documentDifferences, isCopy, type FieldDifference } from './document_differences';
import { documentIn, parsedDocument, type ParsedDocument } from './document_json';
import { changesFor, isConfirmed } from './review';

const cluster: Cluster = {
  keeper: 'k',
  weakest: 0.8,
  members: [
    { id: 'a', score: 0.9 },
    { id: 'b', score: 0.8, link: { id: 'a', score: 0.95 } },
  ],
};

const decision = (part: Partial<Decision>): Decision => ({
  id: '1',
  etag: '"1.1"',
  members: [],
  keeper: null,
  not_duplicates: false,
  note: '',
  at: '2026-11-22T10:00:00Z',
  ...part,
});

describe('verdicts', () => {
  it('choose a keeper', () => {
    expect(changesFor(cluster, 'a', 'keep', [])).toEqual([
      { kind: 'add', body: { members: ['k', 'a', 'b'], keeper: 'a' } },
    ]);
    const old = decision({ members: ['k', 'x'], keeper: 'k', note: 'why' });
    expect(changesFor(cluster, 'a', 'keep', [old])).toEqual([
      { kind: 'replace', old, body: { members: ['k', 'x', 'a', 'b'], keeper: 'a', note: 'why' } },
    ]);
    expect(changesFor(cluster, 'k', 'keep', [decision({ members: ['k', 'a', 'b'], keeper: 'k' })])).toEqual([]);
  });
  it('confirm a copy, once', () => {
    expect(changesFor(cluster, 'a', 'remove', [])).toEqual([
      { kind: 'add', body: { members: ['k', 'a'], keeper: 'k' } },
    ]);
    const old = decision({ members: ['k', 'a'], keeper: 'k' });
    expect(isConfirmed(cluster, 'a', [old])).toBe(true);
    expect(changesFor(cluster, 'a', 'remove', [old])).toEqual([]);
    expect(changesFor(cluster, 'b', 'remove', [old])).toEqual([
      { kind: 'replace', old, body: { members: ['k', 'a', 'b'], keeper: 'k' } },
    ]);
    expect(changesFor(cluster, 'k', 'remove', [])).toEqual([]);
  });
  it('use the last decision about the keeper', () => {
    const first = decision({ members: ['k', 'a'], keeper: 'k' });
    const last = decision({ id: '2', members: ['k', 'b'], keeper: 'k', at: '2026-11-22T11:00:00Z' });
    expect(changesFor(cluster, 'a', 'remove', [last, first])).toMatchObject([{ old: { id: '2' } }]);
  });
  it('take a document out of a cluster, also from the one that connects it', () => {
    expect(changesFor(cluster, 'b', 'apart', []).map((change) => change.body.members)).toEqual([
      ['k', 'b'],
      ['a', 'b'],
    ]);
  });
});

describe('the cluster to show', () => {
  const other: Cluster = { keeper: 'o', weakest: 0.7, members: [{ id: 'p', score: 0.7 }] };
  it('is that of the chosen document', () => expect(currentOf([other, cluster], 'b', 0)).toBe(cluster));
  it('is the next one when the chosen one is gone', () => {
    expect(currentOf([other, cluster], 'gone', 1)).toBe(cluster);
    expect(currentOf([other], 'gone', 5)).toBe(other);
    expect(currentOf([], 'gone', 0)).toBeNull();
  });
  it('may not be among those that were asked for in another order', () => {
    const summary = { rows: 1000, truncated: true, documents: 9, candidates: 9, pairs: 9, clusters: 1001 };
    expect(needsOthers({ sort: 'size', summary }, 'weakest')).toBe(true);
    expect(needsOthers({ sort: 'weakest', summary }, 'weakest')).toBe(false);
    expect(needsOthers({ sort: 'size', summary: { ...summary, truncated: false } }, 'weakest')).toBe(false);
    expect(needsOthers({ sort: 'size', summary: null }, 'weakest')).toBe(true);
    expect(needsOthers(null, 'weakest')).toBe(false);
  });
  it('has a weakest member', () => expect(weakestOf(cluster)).toBe('b'));
});

describe('differences of documents', () => {
  const index = {
    schema: {
      fields: [
        { name: 'text', features: 'text:word3', weight: 1 },
        { name: 'tags', features: 'values', weight: 1 },
        { name: 'picture', features: 'image:pdq', weight: 1 },
      ],
      attributes: ['price=number', 'lang=string', 'expires_at=time;ttl=30d'],
    },
  } as unknown as Index;
  it('are named field by field, with what is not compared', () => {
    const kept = { id: 'k', text: 'one two', tags: ['a'], picture: 'data:,1', source: 'letters' };
    const differences = (own: object): FieldDifference[] =>
      documentDifferences(index, parsedDocument(JSON.stringify(kept)), parsedDocument(JSON.stringify(own)));
    expect(differences({ ...kept, id: 'a' }).every((one) => one.isEqual)).toBe(true);
    const found = differences({ ...kept, id: 'a', tags: ['a', 'b'], source: 'web' });
    expect(found.filter((one) => !one.isEqual).map((one) => `${one.kind} ${one.name}`)).toEqual([
      'values tags',
      'other source',
    ]);
    expect(isCopy(found)).toBe(false);
    expect(isCopy(differences({ ...kept, source: 'web' }))).toBe(true);
  });
  it('are those of the attributes as they are now, and not as they were sent', () => {
    const answer = (id: string, attributes: object): ParsedDocument => {
      const document = { id, text: 'one two', price: 12, lang: 'en', kept: 'x' };
      const found = documentIn(JSON.stringify({ id, document, attributes }));
      if (!found) throw new Error('no document');
      return found;
    };
    const found = (kept: object, own: object): object[] =>
      documentDifferences(index, answer('m1', kept), answer('m2', own)).filter((one) => !one.isEqual);
    const sent = { price: 12, lang: 'en' };
    expect(found(sent, sent)).toEqual([]);
    expect(found(sent, { price: 99, lang: 'en' })).toEqual([
      { name: 'price', kind: 'other', isEqual: false, kept: '12', own: '99' },
    ]);
    expect(found({ price: 12 }, { ...sent, expires_at: '2100-01-01T00:00:00Z' })).toEqual([
      { name: 'lang', kind: 'other', isEqual: false, kept: '', own: 'en' },
      { name: 'expires_at', kind: 'other', isEqual: false, kept: '', own: '2100-01-01T00:00:00Z' },
    ]);
  });
  it('are seen in the last digit of a long number, and not in how JSON is spelled', () => {
    const kept = parsedDocument('{"text":"x","account":12345678901234567890,"more":{"a":["\u00e9",1e3]}}');
    const own = parsedDocument('{"text": "x", "account": 12345678901234567891, "more": {"a": ["é", 1e3]} }');
    expect(documentDifferences(index, kept, own).filter((one) => !one.isEqual)).toEqual([
      { name: 'account', kind: 'other', isEqual: false, kept: '12345678901234567890', own: '12345678901234567891' },
    ]);
  });
});
