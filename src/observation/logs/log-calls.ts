/**
 * Writes a line for each call that has ended: which tool, how it went, how long it took, what it cost,
 * and the ids that lead to everything else about it. Never what it was given or what it returned.
 */
import type { CribEvents, Events } from '../../contract/events.ts';
import type { ProcessLogger } from './create-logger.ts';

const lineFields = ({ tool, userId, result }: CribEvents['call.finished']) => {
  const { status, error, metadata } = result;
  const { executionId, traceId, duration, cost, attempts, cached } = metadata;
  return {
    ...{ tool, status },
    ...(error && { code: error.code }),
    ms: Math.round(duration * 1000) / 1000,
    ...(cost > 0 && { costUsd: cost }),
    ...(attempts > 1 && { attempts }),
    ...(cached && { cached }),
    ...{ executionId, traceId, callerId: userId },
  };
};

/** Listens only while such lines are written: a crib without a listener pays nothing. Returns how to stop. */
export const logCalls = (
  events: Pick<Events, 'on'>,
  logger: Pick<ProcessLogger, 'log' | 'allows' | 'onLevel'>,
): (() => void) => {
  let stop: (() => void) | undefined;
  const adapt = (): void => {
    if (logger.allows('info')) {
      stop ??= events.on('call.finished', (call) =>
        logger.log.info('call finished', lineFields(call)),
      );
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
