/** Counts the calls that end in this process from now on: `crib.metrics.watch`. */
import type { Events, MeasuredCall } from '../contract/events.ts';
import type { CallFigures, MetricWatch } from '../contract/metrics.ts';
import type { Runtime } from '../contract/runtime.ts';
import { MICROS_PER_USD } from '../contract/tool-cost.ts';
import { uuidV7 } from '../kit/data/uuid-v7.ts';
import { type CountedRow, Counting } from './roll-up/count-rows.ts';
import { figuresOf } from './roll-up/figures-of.ts';

export interface WatchCallsDeps {
  readonly events: Pick<Events, 'on'>;
  readonly runtime: Pick<Runtime, 'now'>;
}

const rowOf = (call: MeasuredCall): CountedRow => {
  const { status, code = '', durationMs, costUsd, tokens, attempts, cached, usage } = call;
  return {
    status,
    code,
    durationMs,
    costMicros: Math.round(costUsd * MICROS_PER_USD),
    detail: { tokens, attempts, cached, ...usage },
  };
};

export const watchCalls = ({ events, runtime }: WatchCallsDeps, tool?: string): MetricWatch => {
  const since = runtime.now();
  const counting = new Counting();
  const end = events.on('call.measured', (call) => {
    if (tool === undefined || call.tool === tool) counting.note(rowOf(call));
  });
  const figures = (): CallFigures => figuresOf(counting.counts(), runtime.now() - since);
  let last: CallFigures | undefined;
  return {
    id: uuidV7(since),
    ...(tool !== undefined && { tool }),
    since,
    figures: () => last ?? figures(),
    stop: () => {
      end();
      last ??= figures();
      return last;
    },
  };
};
