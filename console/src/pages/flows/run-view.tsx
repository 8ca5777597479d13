/** One run, live: its graph, its steps, and what can be done with it. */
import { useEffect } from 'react';
import { isOver, type RunDetail, type RunStep } from '../../api/flow-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { duration, exactTime } from '../../components/format.ts';
import { JsonView } from '../../components/json-view.tsx';
import { Money } from '../../components/money.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { WaitsFor } from '../../components/waits-for.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf, replaceRoute } from '../../router/route.ts';
import { RunActions } from './run-actions.tsx';
import { RunGraph } from './run-graph.tsx';
import { StepView } from './step-view.tsx';

/** A run that another process works on sends no events here. */
const LOOK_AGAIN_MS = 1500;

/** A step for many items has a row for each; the rest are in the list. */
const MAX_ROWS = 10;

const RunFacts = ({ run }: { readonly run: RunDetail }) => (
  <Facts
    of={[
      [
        'Waits for',
        run.waitsFor !== undefined && run.waitsFor.length > 0 && <WaitsFor waits={run.waitsFor} />,
      ],
      ['Missing', run.missingVersion && 'a server that has this version of the flow'],
      ['Until', run.wakeAt !== undefined && exactTime(run.wakeAt)],
      ['Started', exactTime(run.createdAt)],
      ['Took', isOver(run) && duration(run.updatedAt - run.createdAt)],
      ['Steps', run.stepCount],
      ['Cost', <Money key="cost" usd={run.costUsd} />],
      ['Version', <SafeText key="version" text={run.version} />],
      ['User', <SafeText key="user" text={run.caller.userId} />],
      [
        'Started by',
        run.parent && <a href={hrefOf(['flows', 'run', run.parent.runId])}>another run</a>,
      ],
      ['Run', <code key="id">{run.id}</code>],
    ]}
  />
);

const StepList = (props: {
  readonly steps: readonly RunStep[];
  readonly selected: string;
  hrefOf(key: string): string;
}) => (
  <details>
    <summary>All steps as a list</summary>
    <ol className="step-list">
      {props.steps.map((step) => (
        <li key={step.key}>
          <a href={props.hrefOf(step.key)} aria-current={step.key === props.selected || undefined}>
            <SafeText text={/^\d+$/.test(step.key) ? step.name : `${step.key}: ${step.name}`} />
          </a>{' '}
          <StatusBadge status={step.state} />{' '}
          <span className="muted">
            {step.finishedAt === undefined ? '' : duration(step.finishedAt - step.startedAt)}
          </span>
        </li>
      ))}
    </ol>
  </details>
);

const Values = ({ run }: { readonly run: RunDetail }) =>
  run.withheld ? (
    <p className="note">Only its owner and admins see what a run was given and what came out.</p>
  ) : (
    <>
      {run.output !== undefined && (
        <section className="stack">
          <h3>Output</h3>
          <JsonView value={run.output} label="Output of the run" />
        </section>
      )}
      <section className="stack">
        <h3>Input</h3>
        <JsonView value={run.input ?? null} label="Input of the run" />
      </section>
    </>
  );

interface ContentProps {
  readonly run: RunDetail;
  readonly step: string;
  onDone(): void;
}

const Content = ({ run, step, onDone }: ContentProps) => {
  const hrefOfStep = (key: string): string => hrefOf(['flows', 'run', run.id], { step: key });
  // A step of a declared flow may have several rows: attempts, and one for each item.
  const rows = run.steps.filter(({ key }) => key === step || key.startsWith(`${step}.`));
  return (
    <>
      <header className="detail-head">
        <h2>
          <SafeText text={run.flow} />
        </h2>
        <div className="badges">
          <StatusBadge status={run.status} />
        </div>
      </header>
      <RunActions run={run} onDone={onDone} />
      {run.error && (
        <p className="note note-bad">
          <code>{run.error.code}</code> <SafeText text={run.error.message} />
        </p>
      )}
      {run.graph.nodes.length === 0 ? (
        <p className="muted">It has made no step yet.</p>
      ) : (
        <RunGraph
          graph={run.graph}
          label="Steps of the run"
          selected={step}
          onSelect={(key) => replaceRoute(hrefOfStep(key))}
        />
      )}
      {run.graph.leftOut && (
        <p className="muted">
          Too large to be drawn whole: without {run.graph.leftOut.nodes} steps and{' '}
          {run.graph.leftOut.edges} arrows.
        </p>
      )}
      {run.isCut && <p className="muted">Only the first {run.steps.length} steps are shown.</p>}
      <div className="stack" aria-live="polite">
        {step !== '' && rows.slice(0, MAX_ROWS).map((row) => <StepView key={row.key} step={row} />)}
        {step !== '' && rows.length === 0 && <p className="muted">This step has not begun.</p>}
      </div>
      <StepList steps={run.steps} selected={step} hrefOf={hrefOfStep} />
      <RunFacts run={run} />
      <Values run={run} />
    </>
  );
};

const NoSuchRun = () => (
  <EmptyState icon="search" title="There is no such run">
    <p>It was never started here, it is forgotten, or it belongs to somebody else.</p>
    <a href={hrefOf(['flows'])}>Show all runs</a>
  </EmptyState>
);

export const RunView = ({ id, step }: { readonly id: string; readonly step: string }) => {
  const { api } = useServices();
  const run = useLoad(id, () => api.get<RunDetail>(`/v1/flows/runs/${encodeURIComponent(id)}`));
  useReloadOn(['flow.changed', 'flow.stepped', 'approval.decided'], run.reload);
  const isLive = run.data !== undefined && !isOver(run.data);
  const { reload } = run;
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(reload, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isLive, reload]);
  return (
    <WhenLoaded of={run} missing={<NoSuchRun />}>
      {(flowRun) => <Content run={flowRun} step={step} onDone={run.reload} />}
    </WhenLoaded>
  );
};
