// Says with which settings the page searches, for the page itself and for the same search by other clients, and how many
// documents a search has found.
import type { Index, SimilarAnswer } from '../api/types';
import * as format from './format';
import { hasBands } from './schema';

export interface SearchSettings {
  threshold: number;
  limit: number;
  where?: string[];
  allow_low_recall?: boolean;
  with_documents?: boolean;
  explain?: boolean;
}

export const settingsFor = (index: Index, threshold: number, limit: number, where: string[]): SearchSettings => ({
  threshold,
  limit,
  ...(where.length > 0 ? { where } : {}),
  ...(threshold < index.schema.min_threshold ? { allow_low_recall: true } : {}),
  ...(index.keep_documents ? { with_documents: true } : {}),
  explain: true,
});

// "3 similar documents", or "The 10 most similar of 1 513 documents": an answer has at most as many as were asked for.
export function foundInWords({ matches, work }: SimilarAnswer<unknown>): string {
  const { length } = matches;
  if (!work || work.similar <= length) return format.counted(length, 'similar document');
  const most = length === 1 ? 'The most similar' : `The ${format.count(length)} most similar`;
  return `${most} of ${format.counted(work.similar, 'document')}`;
}

// "12 candidates met in a band, 3 of them were compared"
export function workInWords({ schema }: Index, work: { candidates: number; compared: number }): string {
  const met = schema.keys !== undefined ? ' had a key in common' : schema.fields.some(hasBands) ? ' met in a band' : '';
  return (
    `${format.counted(work.candidates, 'candidate')}${met}, ` +
    `${format.count(work.compared)} of them ${work.compared === 1 ? 'was' : 'were'} compared`
  );
}
