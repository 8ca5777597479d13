/** What the metric of health says: 1 or 0 for each part and tool, as it was last checked. */
import type { HealthCheckResult, HealthStatus } from '../../contract/health.ts';

/** Each is a time series of its own: a crib with thousands of tools must not fill a database. */
const MAX_SUBJECTS = 500;

export interface HealthGauge {
  readonly labels: { readonly subject: string; readonly kind: string };
  readonly value: 0 | 1;
}

/** What was never set up is left out: it would look like an outage for ever. */
const isSetUp = ({ healthy, checks }: HealthCheckResult): boolean =>
  healthy || checks.some(({ state, notSetUp }) => state === 'broken' && notSetUp !== true);

/** What fails comes first, so that it is never what is cut off. */
export const healthGauges = ({ checks }: Pick<HealthStatus, 'checks'>): readonly HealthGauge[] =>
  checks
    .filter(isSetUp)
    .toSorted((one, other) => Number(one.healthy) - Number(other.healthy))
    .slice(0, MAX_SUBJECTS)
    .map(({ subject, kind, healthy }) => ({
      labels: { subject, kind },
      value: healthy ? 1 : 0,
    }));
