/** The stages a call went through, one inside the other, each with the time it took by itself. */
import type { CSSProperties } from 'react';
import type { TraceSpan } from '../api/call-records.ts';
import { duration } from './format.ts';
import { ownTimes } from './own-times.ts';

const share = (part: number, whole: number): string =>
  `${Math.min(100, Math.max(0, (part / whole) * 100)).toFixed(2)}%`;

const words = (stage: string): string =>
  stage
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[-_]/g, ' ')
    .toLowerCase();

export const StageTimeline = ({ spans }: { readonly spans: readonly TraceSpan[] }) => {
  const whole = Math.max(...spans.map(({ startMs, durationMs }) => startMs + durationMs), 0.001);
  return (
    <ol className="timeline" aria-label="Stages">
      {ownTimes(spans).map(({ stage, startMs, durationMs, ownMs, outcome }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stage may come twice, its place does not move
        <li key={index} className={`timeline-${outcome}`}>
          <span className="timeline-stage">{words(stage)}</span>
          <span
            className="timeline-bar"
            aria-hidden="true"
            style={
              {
                '--from': share(startMs, whole),
                '--size': share(durationMs, whole),
                '--own': share(ownMs, whole),
              } as CSSProperties
            }
          />
          <span className="timeline-time">{duration(ownMs)}</span>
          <span className="timeline-outcome">{outcome}</span>
        </li>
      ))}
    </ol>
  );
};
