/** The period in four figures. */
import { count, money } from '../../components/format.ts';
import { failureRate, totalsOf } from './fill-buckets.ts';
import type { UsageBucket } from './usage-records.ts';

export const Totals = ({ buckets }: { readonly buckets: readonly UsageBucket[] }) => {
  const totals = totalsOf(buckets);
  const tiles = [
    ['Spent', money(totals.costUsd), ''],
    ['Calls', count(totals.calls), ''],
    ['Failed', count(totals.failures), failureRate(totals)],
    ['Tokens', count(totals.tokens), ''],
  ] as const;
  return (
    <dl className="tiles">
      {tiles.map(([term, value, note]) => (
        <div key={term} className="panel">
          <dt>{term}</dt>
          <dd>
            {value}
            {note !== '' && <span className="muted"> {note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
};
