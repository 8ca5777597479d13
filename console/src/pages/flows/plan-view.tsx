/** What a run would do, cost and ask, before it is started. */
import type { FlowPlan } from '../../api/flow-records.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { duration } from '../../components/format.ts';
import { Money } from '../../components/money.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { type Column, Table } from '../../components/table.tsx';

type PlanStep = FlowPlan['steps'][number];

const VERDICTS: Readonly<Record<PlanStep['verdict'], Tone>> = {
  allow: 'good',
  ask: 'warn',
  deny: 'bad',
  unknown: 'neutral',
};

const COLUMNS: readonly Column<PlanStep>[] = [
  { id: 'level', title: 'Level', cell: ({ level }) => level + 1, isNumber: true },
  {
    id: 'step',
    title: 'Step',
    cell: ({ id, tool, type }) => (
      <>
        <SafeText text={id} />
        <span className="row-note">
          <SafeText text={tool ?? type} />
        </span>
      </>
    ),
  },
  {
    id: 'verdict',
    title: 'Verdict',
    cell: ({ verdict }) => <Badge tone={VERDICTS[verdict]}>{verdict}</Badge>,
  },
  {
    id: 'time',
    title: 'Time',
    cell: ({ estimatedMs, timeFrom }) => (timeFrom === 'none' ? '?' : duration(estimatedMs)),
    isNumber: true,
    isSecondary: true,
  },
  {
    id: 'cost',
    title: 'At most',
    cell: ({ maxUsd }) => <Money usd={maxUsd} />,
    isNumber: true,
    isSecondary: true,
  },
];

const Reasons = (props: {
  readonly items: readonly { readonly step: string; readonly reason: string }[];
}) => (
  <ul className="plain-list">
    {props.items.map(({ step, reason }) => (
      <li key={`${step} ${reason}`}>
        <code>
          <SafeText text={step} />
        </code>{' '}
        <SafeText text={reason} />
      </li>
    ))}
  </ul>
);

const Faults = ({ of: faults }: { readonly of: FlowPlan['faults'] }) => (
  <ul className="plain-list" aria-label="Faults">
    {faults.map(({ path, message, severity }) => (
      <li key={`${path.join('.')} ${message}`}>
        <Badge tone={severity === 'error' ? 'bad' : 'warn'}>{severity}</Badge>{' '}
        <code>
          <SafeText text={path.join('.')} />
        </code>{' '}
        <SafeText text={message} />
      </li>
    ))}
  </ul>
);

const Forecast = ({ plan }: { readonly plan: FlowPlan }) => {
  const lacks = plan.missingCredentials.map(({ step, key }) => ({ step, reason: key }));
  return (
    <>
      <Facts
        of={[
          ['Time', `about ${duration(plan.estimatedMs)}`],
          ['Slowest way', <SafeText key="path" text={plan.criticalPath.join(' → ')} />],
          [
            'Cost',
            <span key="cost">
              <Money usd={plan.cost.maxUsd} /> at most
              {plan.cost.isOpen && ', and what is not known before'}
            </span>,
          ],
          ['Asks a person', plan.approvals.length > 0 && <Reasons items={plan.approvals} />],
          ['Denied', plan.denied.length > 0 && <Reasons items={plan.denied} />],
          ['Lacks', lacks.length > 0 && <Reasons items={lacks} />],
        ]}
      />
      <Table label="Steps of the plan" columns={COLUMNS} rows={plan.steps} keyOf={({ id }) => id} />
    </>
  );
};

export const PlanView = ({ plan }: { readonly plan: FlowPlan }) => {
  const { faults } = plan;
  const isGood = !faults.some(({ severity }) => severity === 'error');
  return (
    <section className="stack" aria-label="Plan">
      <h3>Plan</h3>
      {faults.length > 0 && <Faults of={faults} />}
      {isGood ? <Forecast plan={plan} /> : <p className="note">The flow cannot be run.</p>}
      <p className="muted">Nothing was run.</p>
    </section>
  );
};
