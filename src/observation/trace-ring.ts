/** Keeps the timed stages of the last calls, by execution. Calls are timed only while it is switched on. */
import type { Events, StageTrace } from '../contract/events.ts';
import { BoundedMap } from '../kit/data/bounded-map.ts';

export interface TraceRing {
  of(executionId: string): readonly StageTrace[] | undefined;
  /** Switches timing on or off. Traces that were kept before stay. */
  watch(on: boolean): void;
  close(): void;
}

const MAX_TRACES = 1000;

export const createTraceRing = (events: Events, max = MAX_TRACES): TraceRing => {
  const traces = new BoundedMap<string, readonly StageTrace[]>(max);
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
