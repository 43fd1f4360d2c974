// Converts the guard rails of a deduplication: the form has percent, the API shares of all documents.
import type { ProblemBody } from '../api/types';

export type GuardRail = 'largest_cluster' | 'largest_loss';

export const kGuardRails: Record<GuardRail, { label: string; percent: number }> = {
  largest_cluster: { label: 'Largest cluster', percent: 10 },
  largest_loss: { label: 'Largest loss', percent: 90 },
};

export const kRailNames = Object.keys(kGuardRails) as GuardRail[];

export type GuardRails = Record<GuardRail, string>;

// The shares of the fields that are filled in. For the others the server has defaults.
export function sharesOf(rails: GuardRails): Partial<Record<GuardRail, number>> {
  const filled = kRailNames.filter((name) => rails[name].trim() !== '');
  return Object.fromEntries(filled.map((name) => [name, Number(rails[name]) / 100]));
}

// Replaces the names of request members in a problem by those of the form's fields.
export function inWordsOfTheForm(problem: ProblemBody): ProblemBody {
  if (problem.code !== 'guard_rail') return problem;
  const { where, ...rest } = problem;
  const rail = kRailNames.find((name) => where === `/${name}`);
  return {
    ...rest,
    title: 'Stopped by a guard rail',
    hint:
      'Look at what it found in its report' +
      (rail ? `; if that is right, give a higher “${kGuardRails[rail].label}” among the guard rails.` : '.'),
  };
}
