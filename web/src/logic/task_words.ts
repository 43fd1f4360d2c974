// Says in words what a deduplication has found. Members that are not listed are for programs.
import * as format from './format';

type Result = Record<string, unknown>;

const asIs = (value: unknown): string => String(value);
const plain = (value: unknown): string => (typeof value === 'number' ? format.count(value) : asIs(value));
const score = (value: unknown, { threshold }: Result): string =>
  typeof value === 'number' ? format.score(value, Number(threshold ?? 0)) : asIs(value);

const kWords: readonly [member: string, words: string, write: (value: unknown, result: Result) => string][] = [
  ['documents', 'documents', plain],
  ['clusters', 'clusters', plain],
  ['would_remove', 'would be removed', plain],
  ['removed', 'removed', plain],
  ['kept', 'kept', plain],
  ['largest_cluster', 'in the largest cluster', plain],
  ['weakest', 'lowest score', score],
  ['pairs', 'similar pairs', plain],
  ['set_apart', 'further pairs set apart by decisions', plain],
  ['chosen_keepers', 'keepers chosen by decisions', plain],
  ['candidates', 'candidates', plain],
  ['threshold', 'threshold', asIs],
  [
    'cluster',
    'in a cluster is',
    (value) => (value === 'components' ? 'what a chain connects' : 'what is similar to its keeper'),
  ],
];

const kOfClusters = new Set(['weakest', 'largest_cluster']);
const kOfDecisions = new Set(['set_apart', 'chosen_keepers']);

export const resultInWords = (result: Result): { words: string; value: string }[] =>
  kWords
    .filter(([member]) => result[member] !== undefined && result[member] !== null)
    // Without clusters there is no lowest score, and no largest cluster.
    .filter(([member]) => result['clusters'] !== 0 || !kOfClusters.has(member))
    // Most indexes have no decisions.
    .filter(([member]) => result[member] !== 0 || !kOfDecisions.has(member))
    .map(([member, words, write]) => ({ words, value: write(result[member], result) }));
