// The guard rails of a deduplication: shares of all documents, which people give in percent.
import type { ProblemBody } from '../api/types';

export type GuardRail = 'largest_cluster' | 'largest_loss';

export const kGuardRails: Record<GuardRail, { label: string; percent: number }> = {
  largest_cluster: { label: 'Largest cluster', percent: 10 },
  largest_loss: { label: 'Largest loss', percent: 90 },
};

export const kRailNames = Object.keys(kGuardRails) as GuardRail[];

export type GuardRails = Record<GuardRail, string>;

// Of those that are filled in; the server knows the others.
export function sharesOf(rails: GuardRails): Partial<Record<GuardRail, number>> {
  const filled = kRailNames.filter((name) => rails[name].trim() !== '');
  return Object.fromEntries(filled.map((name) => [name, Number(rails[name]) / 100]));
}

// The server names members of a request; whoever reads this has a form.
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
