/**
 * Logs each call that has ended: tool, status, duration, cost, and the ids that lead to its record. Never
 * logs its input or result.
 */
import type { Events, MeasuredCall } from '../../contract/events.ts';
import type { ProcessLogger } from './create-logger.ts';

const lineFields = (call: MeasuredCall) => {
  const { executionId, traceId, tool, userId, status, code, costUsd, attempts, cached } = call;
  return {
    tool,
    status,
    ...(code && { code }),
    ms: Math.round(call.durationMs * 1000) / 1000,
    ...(costUsd > 0 && { costUsd }),
    ...(attempts > 1 && { attempts }),
    ...(cached && { cached }),
    executionId,
    traceId,
    callerId: userId,
  };
};

/** Statuses of calls that ran and did not succeed. */
const FAILED: ReadonlySet<string> = new Set(['failure', 'timeout', 'unknown']);

export interface LogCallsOptions {
  /** Writes calls that failed as warnings. */
  readonly reportErrors?: boolean;
}

/**
 * Listens only while such lines are written, because a crib without listeners has no cost. Returns a
 * function that stops it.
 */
export const logCalls = (
  events: Pick<Events, 'on'>,
  logger: Pick<ProcessLogger, 'log' | 'allows' | 'onLevel'>,
  { reportErrors = false }: LogCallsOptions = {},
): (() => void) => {
  let stop: (() => void) | undefined;
  const write = (call: MeasuredCall): void => {
    if (reportErrors && FAILED.has(call.status)) {
      logger.log.warn('call failed', lineFields(call));
    } else logger.log.info('call finished', lineFields(call));
  };
  const adapt = (): void => {
    if (logger.allows(reportErrors ? 'warn' : 'info')) {
      stop ??= events.on('call.measured', write);
      return;
    }
    stop?.();
    stop = undefined;
  };
  adapt();
  const stopAdapting = logger.onLevel(adapt);
  return () => {
    stopAdapting();
    stop?.();
  };
};
