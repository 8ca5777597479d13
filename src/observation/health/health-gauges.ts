/** The values of the health metric: 1 or 0 for each part and tool, as last checked. */
import { type HealthCheckResult, type HealthStatus, isOutage } from '../../contract/health.ts';

/** Limited, because each subject is a time series: thousands of tools would fill a database. */
const MAX_SUBJECTS = 500;

export interface HealthGauge {
  readonly labels: { readonly subject: string; readonly kind: string };
  readonly value: 0 | 1;
}

/** Leaves out what was never set up: it would look like a permanent outage. */
const isSetUp = (result: HealthCheckResult): boolean => result.healthy || isOutage(result);

/** Lists unhealthy subjects first, so that the limit never removes them. */
export const healthGauges = ({ checks }: Pick<HealthStatus, 'checks'>): readonly HealthGauge[] =>
  checks
    .filter(isSetUp)
    .toSorted((one, other) => Number(one.healthy) - Number(other.healthy))
    .slice(0, MAX_SUBJECTS)
    .map(({ subject, kind, healthy }) => ({
      labels: { subject, kind },
      value: healthy ? 1 : 0,
    }));
