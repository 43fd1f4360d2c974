import { expect, it } from 'vitest';
import { resultInWords } from './task_words';

it('says what a deduplication found, and leaves out what is for programs', () => {
  const result = { removals_applied: true, threshold: '0.8', cluster: 'leader', documents: 1234, would_remove: 3 };
  expect(resultInWords(result).map(({ words, value }) => `${words}: ${value}`)).toEqual([
    'documents: 1\u202f234',
    'would be removed: 3',
    'threshold: 0.8',
    'in a cluster is: what is similar to its keeper',
  ]);
  expect(resultInWords({ weakest: 0.7578125, threshold: '0.7578125' }).map(({ value }) => value)).toEqual([
    '0.7578125',
    '0.7578125',
  ]);
});

it('has no lowest score where there are no clusters', () => {
  const result = { documents: 1, clusters: 0, would_remove: 0, largest_cluster: 0, weakest: 1, threshold: '0.8' };
  expect(resultInWords(result).map(({ words }) => words)).toEqual([
    'documents',
    'clusters',
    'would be removed',
    'threshold',
  ]);
});

it('says what decisions have changed, if there were any', () => {
  const words = (result: Record<string, unknown>): string[] =>
    resultInWords(result).map(({ words, value }) => `${words}: ${value}`);
  expect(words({ pairs: 2, set_apart: 0, chosen_keepers: 0 })).toEqual(['similar pairs: 2']);
  expect(words({ pairs: 2, set_apart: 1, chosen_keepers: 3 })).toEqual([
    'similar pairs: 2',
    'further pairs set apart by decisions: 1',
    'keepers chosen by decisions: 3',
  ]);
});
