/** Makes the findings of checks, and derives the health of a subject and of the crib from them. */
import { ToolFailure } from '../../contract/errors.ts';
import {
  HEALTH_KINDS,
  type HealthCheck,
  type HealthCheckResult,
  type HealthState,
  type HealthStatus,
  isOutage,
} from '../../contract/health.ts';

export const ok = (name: string, message: string): HealthCheck => ({ name, state: 'ok', message });

const finding =
  (state: 'warning' | 'broken') =>
  (name: string, message: string, fix?: string): HealthCheck => ({
    name,
    state,
    message,
    ...(fix !== undefined && fix !== '' && { fix }),
  });

export const warning = finding('warning');
export const broken = finding('broken');

/** Marks a finding about something that was never set up here: that is no outage. */
export const notSetUp = (check: HealthCheck): HealthCheck => ({ ...check, notSetUp: true });

/** Returns the first suggestion of a failure. */
export const adviceOf = (error: unknown): string | undefined =>
  error instanceof ToolFailure ? error.extras?.suggestions?.[0] : undefined;

export const stateOf = (checks: readonly HealthCheck[]): HealthState => {
  if (checks.some(({ state }) => state === 'broken')) return 'unwell';
  return checks.some(({ state }) => state === 'warning') ? 'limited' : 'well';
};

/** Derives the status of the crib. Only this function decides what is healthy and what is ready. */
export const statusOf = (
  checks: readonly HealthCheckResult[],
  timestamp: number,
): HealthStatus => ({
  healthy: !checks.some(isOutage),
  ready: !checks.some(({ kind, healthy }) => HEALTH_KINDS[kind] === 'fatal' && !healthy),
  checks,
  timestamp,
});
