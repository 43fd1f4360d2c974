// Says with which settings the page searches, for the page itself and for the same search by other clients.
import type { Index } from '../api/types';

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
