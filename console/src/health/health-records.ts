/** Results of checks as the HTTP API sends them. */
import type { Tone } from '../components/badge.tsx';

export type HealthState = 'well' | 'limited' | 'unwell';

export interface Finding {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'broken';
  readonly message: string;
  readonly fix?: string;
  readonly notSetUp?: true;
}

export interface HealthResult {
  readonly subject: string;
  readonly kind: string;
  readonly name: string;
  readonly healthy: boolean;
  readonly state: HealthState;
  readonly checks: readonly Finding[];
  readonly timestamp: number;
  readonly durationMs: number;
}

export interface HealthOverview {
  /** Absent when nothing was checked yet. */
  readonly healthy?: boolean;
  readonly ready?: boolean;
  readonly timestamp?: number;
  readonly checks: readonly HealthResult[];
  readonly schedules: readonly { readonly subject: string; readonly cron: string }[];
}

export interface HealthHistory {
  readonly last?: HealthResult;
  readonly changes: readonly {
    readonly timestamp: number;
    readonly state: HealthState;
    readonly reason?: string;
  }[];
}

export const healthPath = (subject: string, action = ''): string =>
  `/v1/health/${encodeURIComponent(subject)}${action === '' ? '' : `/${action}`}`;

/** Tells whether all that is missing was never set up. */
export const isNotSetUp = ({ state, checks }: HealthResult): boolean =>
  state !== 'well' && checks.every((check) => check.state === 'ok' || check.notSetUp === true);

/** Gives the word for a state, and its colour. What was never set up is no alarm. */
export const healthWord = (result: HealthResult): readonly [Tone, string] => {
  if (isNotSetUp(result)) return ['neutral', 'not set up'];
  return STATE_WORDS[result.state];
};

export const STATE_WORDS: Readonly<Record<HealthState, readonly [Tone, string]>> = {
  well: ['good', 'well'],
  limited: ['warn', 'limited'],
  unwell: ['bad', 'unwell'],
};

const RANK: Readonly<Record<HealthState, number>> = { unwell: 0, limited: 2, well: 3 };

/** Sorts what fails first, then what is not set up, then what is limited. */
export const worstFirst = (results: readonly HealthResult[]): readonly HealthResult[] => {
  const rank = (result: HealthResult): number => (isNotSetUp(result) ? 1 : RANK[result.state]);
  return results.toSorted((one, other) => rank(one) - rank(other));
};
