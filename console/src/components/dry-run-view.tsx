/** What a dry run found: the verdict, the price, what it would touch, and the conditions. */
import { isRecord } from '../api/is-record.ts';
import type { DryRunReport } from '../api/tool-records.ts';
import { Badge } from './badge.tsx';
import { Facts } from './facts.tsx';
import { count, duration, money } from './format.ts';
import { SafeText } from './safe-text.tsx';

const MICROS = 1_000_000;

/** Tells whether data has the shape of a report; a tool may answer a dry run with anything else. */
export const isDryRunReport = (data: unknown): data is DryRunReport =>
  isRecord(data) &&
  (data.verdict === 'allow' || data.verdict === 'ask') &&
  typeof data.rule === 'string' &&
  typeof data.reason === 'string' &&
  isRecord(data.estimate) &&
  typeof data.estimate.costMicros === 'number' &&
  Array.isArray(data.effects) &&
  Array.isArray(data.inspected) &&
  isRecord(data.preconditions) &&
  Array.isArray(data.preconditions.results);

const costText = ({ costMicros, mostMicros, confidence }: DryRunReport['estimate']): string => {
  if (confidence === 'unknown') return 'not known';
  const most = mostMicros !== undefined && mostMicros > costMicros ? mostMicros : undefined;
  const word = confidence === 'estimate' ? 'about ' : '';
  return `${word}${money(costMicros / MICROS)}${most === undefined ? '' : `, at most ${money(most / MICROS)}`}`;
};

const Conditions = ({ preconditions }: Pick<DryRunReport, 'preconditions'>) => (
  <ul className="plain-list">
    {preconditions.results.map(({ description, passed, critical }) => (
      <li key={description}>
        <Badge tone={passed ? 'good' : critical ? 'bad' : 'warn'}>
          {passed ? 'met' : critical ? 'not met' : 'degraded'}
        </Badge>{' '}
        <SafeText text={description} />
      </li>
    ))}
  </ul>
);

const listOf = (lines: readonly string[]) =>
  lines.length > 0 && (
    <ul className="plain-list">
      {lines.map((line) => (
        <li key={line}>
          <SafeText text={line} />
        </li>
      ))}
    </ul>
  );

export const DryRunView = ({ report }: { readonly report: DryRunReport }) => {
  const { verdict, rule, reason, estimate, approvalsNeeded, effects, inspected } = report;
  const isAllowed = verdict === 'allow';
  return (
    <>
      <div className={isAllowed ? 'note note-good' : 'note note-warn'}>
        <h3>{isAllowed ? 'The call would run' : 'A person would be asked'}</h3>
        <p>
          Decided by{' '}
          <strong>
            <SafeText text={rule} />
          </strong>
          : <SafeText text={reason} />
        </p>
        <p className="muted">Nothing was run.</p>
      </div>
      <Facts
        of={[
          ['Cost', costText(estimate)],
          ['Tokens', estimate.tokens > 0 && count(estimate.tokens)],
          ['Time', estimate.timeMs !== undefined && `about ${duration(estimate.timeMs)}`],
          ['Approvals', approvalsNeeded > 0 && count(approvalsNeeded)],
          ['Effects', listOf(effects)],
          ['Looks odd', listOf(inspected)],
          [
            'Conditions',
            report.preconditions.results.length > 0 && (
              <Conditions preconditions={report.preconditions} />
            ),
          ],
        ]}
      />
    </>
  );
};
