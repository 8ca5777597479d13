/** The stages of the last calls, by execution. Calls are timed only while somebody watches. */
import type { Events, StageTrace } from '../contract/events.ts';
import { BoundedMap } from '../kit/data/bounded-map.ts';

export interface TraceRing {
  of(executionId: string): readonly StageTrace[] | undefined;
  /** From now on calls are timed, or are no longer. What is kept stays. */
  watch(on: boolean): void;
  close(): void;
}

const MOST = 1000;

export const createTraceRing = (events: Events, most = MOST): TraceRing => {
  const traces = new BoundedMap<string, readonly StageTrace[]>(most);
  let stop: (() => void) | undefined;
  const listen = (): (() => void) =>
    events.on('call.traced', ({ executionId, stages }) => {
      traces.set(executionId, stages);
    });
  const watch = (on: boolean): void => {
    if (on) stop ??= listen();
    else {
      stop?.();
      stop = undefined;
    }
  };
  return {
    of: (executionId) => traces.get(executionId),
    watch,
    close: () => {
      watch(false);
      traces.clear();
    },
  };
};
