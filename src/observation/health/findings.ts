/** What checks find, and what it makes of a subject. */
import { ToolFailure } from '../../contract/errors.ts';
import {
  HEALTH_KINDS,
  type HealthCheck,
  type HealthCheckResult,
  type HealthState,
  type HealthStatus,
} from '../../contract/health.ts';

export const ok = (name: string, message: string): HealthCheck => ({ name, state: 'ok', message });

const found =
  (state: 'warning' | 'broken') =>
  (name: string, message: string, fix?: string): HealthCheck => ({
    name,
    state,
    message,
    ...(fix !== undefined && fix !== '' && { fix }),
  });

export const warning = found('warning');
export const broken = found('broken');

/** Marks what was never set up here: it is missing, but it is no outage. */
export const notSetUp = (check: HealthCheck): HealthCheck => ({ ...check, notSetUp: true });

/** Gives the first suggestion of a failure. */
export const adviceOf = (error: unknown): string | undefined =>
  error instanceof ToolFailure ? error.extras?.suggestions?.[0] : undefined;

export const stateOf = (checks: readonly HealthCheck[]): HealthState => {
  if (checks.some(({ state }) => state === 'broken')) return 'unwell';
  return checks.some(({ state }) => state === 'warning') ? 'limited' : 'well';
};

/** Says whether something fails that was set up. */
const isOutage = ({ checks }: HealthCheckResult): boolean =>
  checks.some(({ state, notSetUp: isMissing }) => state === 'broken' && isMissing !== true);

/** Says what the results mean together: the one place that decides what is healthy and what is ready. */
export const statusOf = (
  checks: readonly HealthCheckResult[],
  timestamp: number,
): HealthStatus => ({
  healthy: !checks.some(isOutage),
  ready: !checks.some(({ kind, healthy }) => HEALTH_KINDS[kind] === 'fatal' && !healthy),
  checks,
  timestamp,
});
