/** One step of a run: what it was given, what came out, what it took and cost. */
import type { RunStep } from '../../api/flow-records.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { duration, exactTime } from '../../components/format.ts';
import { JsonView } from '../../components/json-view.tsx';
import { Money } from '../../components/money.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { StageTimeline } from '../../components/stage-timeline.tsx';
import { hrefOf } from '../../router/route.ts';

const Links = ({ step }: { readonly step: RunStep }) => (
  <>
    {step.executionId !== undefined && (
      <a href={hrefOf(['activity', step.executionId])}>The call in the audit trail</a>
    )}
    {step.approvalId !== undefined && (
      <a href={hrefOf(['approvals', step.approvalId])}>The question to a person</a>
    )}
    {step.childId !== undefined && (
      <a href={hrefOf(['flows', 'run', step.childId])}>The run that it started</a>
    )}
  </>
);

export const StepView = ({ step }: { readonly step: RunStep }) => (
  <section className="stack step-view" aria-label={`Step ${step.key}`}>
    <header className="detail-head">
      <h3>
        <SafeText text={step.name} />
      </h3>
      <div className="badges">
        <Badge>{step.kind}</Badge>
        <StatusBadge status={step.state} />
        {step.error && <Badge tone="bad">{step.error.code}</Badge>}
      </div>
    </header>
    {step.error && (
      <p className="note note-bad">
        <SafeText text={step.error.message} />
      </p>
    )}
    <Facts
      of={[
        ['Began', exactTime(step.startedAt)],
        ['Took', step.finishedAt !== undefined && duration(step.finishedAt - step.startedAt)],
        ['Of that the call', step.callMs !== undefined && duration(step.callMs)],
        ['Cost', step.costUsd !== undefined && <Money key="cost" usd={step.costUsd} />],
        ['Until', step.wakeAt !== undefined && exactTime(step.wakeAt)],
        ['See also', <Links key="links" step={step} />],
      ]}
    />
    {step.input !== undefined && (
      <section className="stack">
        <h4>Input, as the trail keeps it</h4>
        <JsonView value={step.input} label="Input of the step" />
      </section>
    )}
    {step.value !== undefined && (
      <section className="stack">
        <h4>Result</h4>
        <JsonView value={step.value} label="Result of the step" />
      </section>
    )}
    {step.trace && step.trace.length > 0 && (
      <section className="stack">
        <h4>Stages</h4>
        <StageTimeline spans={step.trace} />
      </section>
    )}
  </section>
);
