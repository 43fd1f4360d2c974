// A plan with the settings that it is for. The settings of the view may have changed since it was asked for.
import type { PlanSettings } from '../api/calls';
import type { Plan } from '../api/types';

export interface Planned {
  settings: PlanSettings;
  plan: Plan;
}

const kNames = ['threshold', 'recall', 'slots', 'features'] as const;

export const isFor = ({ settings }: Planned, wanted: PlanSettings): boolean =>
  kNames.every((name) => settings[name] === wanted[name]);
