/** The figures of a period, of all tools or of one, brought up to date while calls end. */
import type { MetricHistory, MetricLine } from '../api/metric-records.ts';
import { useServices } from '../api/services.tsx';
import { type Loaded, useLoad } from '../api/use-load.ts';
import { type Period, type Span, spanOf } from '../charts/period.ts';
import { useReloadOn } from '../live/use-live.ts';

/** Tools that are compared; those that were called most. */
const MAX_TOOLS = 200;

/** Calls may end many times a second; nobody reads that fast, and each answer is work for the server. */
export const CALM_MS = 5_000;

export interface Figures {
  readonly period: Period;
  readonly span: Span;
  readonly history: MetricHistory;
  /** None when one tool is looked at. */
  readonly tools: readonly MetricLine[];
}

export const useFigures = (period: Period, tool: string): Loaded<Figures> => {
  const { api, now } = useServices();
  const figures = useLoad<Figures>(`figures ${period.id} ${tool}`, async () => {
    const span = spanOf(period, now());
    const { from, to, bucket: step } = span;
    const [history, { lines }] = await Promise.all([
      api.get<MetricHistory>('/v1/metrics', { from, to, step, tool }),
      tool === ''
        ? api.get<{ readonly lines: readonly MetricLine[] }>('/v1/metrics/tool', {
            ...{ from, to, limit: MAX_TOOLS },
          })
        : { lines: [] },
    ]);
    return { period, span, history, tools: lines };
  });
  useReloadOn(['call.finished'], figures.reload, CALM_MS);
  return figures;
};
