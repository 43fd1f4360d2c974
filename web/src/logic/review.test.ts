import { describe, expect, it } from 'vitest';
import type { Cluster, Decision, DecisionBody, Index } from '../api/types';
import {
  clusterSort,
  countSentence,
  countsOf,
  currentOf,
  hasDocument,
  needsOthers,
  noneSentence,
  weakestOf,
} from './clusters';
import { documentDifferences, isCopy, type FieldDifference } from './document_differences';
import { documentIn, parsedDocument, type ParsedDocument } from './document_json';
import {
  additionsFor,
  byDocument,
  confirmsCopies,
  isConfirmed,
  isDecided,
  isDecidedAnew,
  nameOfVerdict,
  noteAbout,
  objectionTo,
  plainSentence,
  sentenceFor,
  type Verdict,
} from './review';

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
  const add = (id: string, verdict: Verdict, decisions: Decision[] = [], keeper = 'k'): DecisionBody[] =>
    additionsFor(cluster, keeper, id, verdict, decisions);
  it('choose a keeper by a decision of its own, so that undoing it leaves the earlier ones as they are', () => {
    expect(add('a', 'keep')).toEqual([{ members: ['a', 'k', 'b'], keeper: 'a' }]);
    const old = decision({ members: ['k', 'x'], keeper: 'k', note: 'why' });
    expect(add('a', 'keep', [old])).toEqual([{ members: ['a', 'k', 'b'], keeper: 'a' }]);
    expect(add('k', 'keep', [decision({ members: ['k', 'a', 'b'], keeper: 'k' })])).toEqual([]);
  });
  it('choose a keeper again if another was chosen since', () => {
    const first = decision({ members: ['k', 'a', 'b'], keeper: 'a' });
    const last = decision({ id: '2', members: ['k', 'a', 'b'], keeper: 'b', at: '2026-11-22T11:00:00Z' });
    expect(add('a', 'keep', [first, last], 'b')).toHaveLength(1);
    expect(add('b', 'keep', [last, first], 'b')).toEqual([]);
  });
  it('name as many documents as the server takes', () => {
    const members = Array.from({ length: 12_000 }, (_, at) => ({ id: `m${at}`, score: 0.9 }));
    const [body] = additionsFor({ ...cluster, members }, 'k', 'm11999', 'keep', []);
    expect(body?.members).toHaveLength(10_000);
    expect(body?.members).toContain(body?.keeper);
  });
  it('confirm a copy once, without a keeper: the last one that names a keeper would count', () => {
    expect(add('a', 'remove')).toEqual([{ members: ['k', 'a'] }]);
    const old = decision({ members: ['k', 'a'] });
    expect(isConfirmed('k', 'a', [old])).toBe(true);
    expect(add('a', 'remove', [old])).toEqual([]);
    expect(add('b', 'remove', [old])).toEqual([{ members: ['k', 'b'] }]);
    expect(isConfirmed('k', 'a', [decision({ members: ['k', 'a', 'b'], keeper: 'k' })])).toBe(true);
    expect(isConfirmed('k', 'a', [decision({ members: ['k', 'a', 'b'], keeper: 'b' })])).toBe(false);
  });
  it('are not seen in a note about several documents', () => {
    const note = decision({ members: ['k', 'a'], note: 'ask the authors' });
    expect(confirmsCopies(note)).toBe(false);
    expect(isDecided(cluster, [note])).toBe(false);
    expect(noteAbout(cluster, [note])).toBe('ask the authors');
    expect(isDecided(cluster, [decision({ members: ['k', 'a'] })])).toBe(true);
    expect(isDecided(cluster, byDocument([decision({ members: ['k'], keeper: 'k' })]).get('k') ?? [])).toBe(true);
  });
  it('take a document out of a cluster, also from the one that connects it', () => {
    expect(add('b', 'apart')).toEqual([
      { members: ['k', 'b'], not_duplicates: true },
      { members: ['a', 'b'], not_duplicates: true },
    ]);
    expect(add('b', 'apart', [decision({ members: ['b', 'k'], not_duplicates: true })])).toEqual([
      { members: ['a', 'b'], not_duplicates: true },
    ]);
  });
  it('are about the keeper that was chosen a moment ago, and not the one that is still on screen', () => {
    expect(add('b', 'remove', [], 'a')).toEqual([{ members: ['a', 'b'] }]);
    expect(add('b', 'apart', [], 'a').map((body) => body.members)).toEqual([
      ['a', 'b'],
      ['k', 'b'],
    ]);
    expect(plainSentence(sentenceFor('a', 'b', 'remove'))).toBe('b is a copy of a, to be removed');
    expect(plainSentence(nameOfVerdict('a', 'b', 'apart'))).toBe('b as not a copy of a');
    expect(objectionTo('a', 'a', 'remove', [])).not.toBeNull();
    expect(objectionTo('a', 'b', 'remove', [])).toBeNull();
  });
  it('cannot hold against a decision that sets documents apart', () => {
    const apart = decision({ members: ['k', 'a'], not_duplicates: true });
    expect(objectionTo('k', 'a', 'remove', [apart])).not.toBeNull();
    expect(objectionTo('k', 'a', 'keep', [apart])).not.toBeNull();
    expect(objectionTo('k', 'a', 'apart', [apart])).toBeNull();
  });
});

describe('decisions of others', () => {
  const known = [decision({ members: ['k', 'a'], keeper: 'k' })];
  const isAnew = (now: Decision[]): boolean => isDecidedAnew(cluster, known, now);
  it('count if they say what is in the cluster', () => {
    expect(isAnew(known)).toBe(false);
    expect(isAnew([...known, decision({ id: '2', members: ['a'], keeper: 'a' })])).toBe(true);
    expect(isAnew([...known, decision({ id: '2', members: ['x', 'b'], not_duplicates: true })])).toBe(true);
    expect(isAnew([decision({ members: ['k', 'a'], keeper: 'k', etag: '"1.2"' })])).toBe(true);
    expect(isAnew([])).toBe(true);
  });
  it('do not if they are notes, confirm copies, or are about other documents', () => {
    expect(isAnew([...known, decision({ id: '2', members: ['k', 'b'] })])).toBe(false);
    expect(isAnew([...known, decision({ id: '2', members: ['k'], note: 'why' })])).toBe(false);
    expect(isAnew([...known, decision({ id: '2', members: ['x', 'y'], keeper: 'x' })])).toBe(false);
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
  it('is asked for in the order that its address names', () => {
    expect([clusterSort('weakest'), clusterSort('keeper'), clusterSort('x'), clusterSort(undefined)]).toEqual([
      'weakest',
      'keeper',
      'size',
      'size',
    ]);
  });
  it('is one of all, of which the answer may have the first', () => {
    const summary = { rows: 2, truncated: true, documents: 9, candidates: 9, pairs: 9, clusters: 1500 };
    const cut = countsOf({ clusters: [cluster, other], summary });
    expect(countSentence(cut, null)).toBe('1\u202f500 clusters, of which the first 2 are shown');
    expect(countSentence(cut, 0)).toBe('0 of the first 2 clusters; there are 1\u202f500');
    expect(noneSentence(cut)).toBe('None of the first 2 clusters has such an id in it; there are 1\u202f500.');
    const all = countsOf({ clusters: [cluster, other], summary: { ...summary, clusters: 2 } });
    expect(countSentence(all, null)).toBe('2 clusters');
    expect(countSentence(all, 1)).toBe('1 of 2 clusters');
    expect(noneSentence(all)).toBe('No cluster has such an id in it.');
    expect(hasDocument([other], 'p')).toBe(true);
    expect(hasDocument([other], 'k')).toBe(false);
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
