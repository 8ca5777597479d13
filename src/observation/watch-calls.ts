/** Counts the calls that end in this process from now on: `crib.metrics.watch`. */
import type { Events } from '../contract/events.ts';
import type { CallFigures, MetricWatch } from '../contract/metrics.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import { uuidV7 } from '../kit/data/uuid-v7.ts';
import { type CountedRow, Counting } from './roll-up/count-rows.ts';
import { figuresOf } from './roll-up/figures-of.ts';

export interface WatchCallsDeps {
  readonly events: Pick<Events, 'on'>;
  readonly runtime: Pick<Runtime, 'now'>;
}

const MICROS_PER_USD = 1_000_000;

const rowOf = ({ status, error, metadata }: ToolResult): CountedRow => {
  const { duration, cost, tokensUsed, attempts, cached } = metadata;
  return {
    status,
    code: error?.code ?? '',
    durationMs: duration,
    costMicros: Math.round(cost * MICROS_PER_USD),
    detail: { tokens: tokensUsed, attempts, cached },
  };
};

export const watchCalls = ({ events, runtime }: WatchCallsDeps, tool?: string): MetricWatch => {
  const since = runtime.now();
  const counting = new Counting();
  const end = events.on('call.finished', ({ tool: called, result }) => {
    if (tool === undefined || called === tool) counting.note(rowOf(result));
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
