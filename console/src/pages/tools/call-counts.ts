/** How often each tool was called, as far as the answer of the server tells. */
import type { MetricLine } from '../../api/metric-records.ts';

/** The most lines that the server gives: those with the most calls. */
export const MAX_LINES = 1_000;

export interface CallCounts {
  readonly from: number;
  /** Gives the calls of a tool; `undefined` where the list was full before its line came. */
  callsOf(tool: string): number | undefined;
}

export const callCounts = (
  from: number,
  lines: readonly Pick<MetricLine, 'name' | 'calls'>[],
): CallCounts => {
  const calls = new Map(lines.map((line) => [line.name, line.calls]));
  const otherwise = lines.length < MAX_LINES ? 0 : undefined;
  return { from, callsOf: (tool) => calls.get(tool) ?? otherwise };
};
