/** What each stage took by itself: stages lie one inside the other, and a span covers all within. */
import type { TraceSpan } from '../api/call-records.ts';

export interface OwnTime extends TraceSpan {
  readonly ownMs: number;
}

const endOf = ({ startMs, durationMs }: TraceSpan): number => startMs + durationMs;

/** Spans come in the order in which they began. */
export const ownTimes = (spans: readonly TraceSpan[]): readonly OwnTime[] =>
  spans.map((span, index) => {
    let inner = 0;
    let covered = span.startMs;
    for (const later of spans.slice(index + 1)) {
      if (later.startMs > endOf(span)) break;
      // What lies inside a child that was counted already is part of it.
      if (later.startMs < covered) continue;
      inner += later.durationMs;
      covered = endOf(later);
    }
    return { ...span, ownMs: Math.max(0, span.durationMs - inner) };
  });
