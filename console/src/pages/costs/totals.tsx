/** The period in four figures; each leads to the calls behind it. */
import { FAILED_STATUSES } from '../../api/metric-records.ts';
import type { Span } from '../../charts/period.ts';
import { count, money } from '../../components/format.ts';
import { callsHref } from '../../figures/call-links.ts';
import { totalsOf } from './fill-buckets.ts';
import type { UsageBucket } from './usage-records.ts';

interface TotalsProps {
  readonly buckets: readonly UsageBucket[];
  readonly span: Pick<Span, 'from' | 'to'>;
  readonly tool: string;
}

export const Totals = ({ buckets, span: { from, to }, tool }: TotalsProps) => {
  const { costUsd, calls, failures, tokens } = totalsOf(buckets);
  const all = callsHref({ from, to, tool });
  const failed = callsHref({ from, to, tool, status: FAILED_STATUSES.join(',') });
  const tiles = [
    ['Spent', money(costUsd), costUsd, all],
    ['Calls', count(calls), calls, all],
    ['Failed', count(failures), failures, failed],
    ['Tokens', count(tokens), tokens, all],
  ] as const;
  return (
    <dl className="tiles">
      {tiles.map(([term, text, value, href]) => (
        <div key={term} className="panel">
          <dt>{term}</dt>
          <dd>
            {value > 0 ? (
              <a href={href} aria-label={`${term}: ${text}. Show the calls`}>
                {text}
              </a>
            ) : (
              text
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
};
