/** One call in detail: how it went, through which stages, on which input, and what it touched. */
import type { AuditRow, ExecutionDetail } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Badge, StatusBadge, TierBadge } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { duration, exactTime } from '../../components/format.ts';
import { JsonView } from '../../components/json-view.tsx';
import { Money } from '../../components/money.tsx';
import { ReplayView } from '../../components/replay-view.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { StageTimeline } from '../../components/stage-timeline.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf } from '../../router/route.ts';
import { ExecutionActions } from './execution-actions.tsx';

/** Joins the details of the rows of a call; later rows win. */
const detailOf = (rows: readonly AuditRow[]): Readonly<Record<string, unknown>> =>
  Object.assign({}, ...[...rows].sort((a, b) => a.seq - b.seq).map(({ detail }) => detail));

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Tools that have no page: those of the server itself, such as an undo, and those that nobody knows. */
const OWN_TOOL = /^toolcrib:|^\(unknown\)$/;

const EFFECTS: ReadonlyMap<string, string> = new Map([
  ['none', 'None: the call changes nothing'],
  ['done', 'Done'],
  ['not_done', 'Not done'],
  ['unknown', 'Unknown: a crash left it in doubt'],
  ['undone', 'Undone'],
]);

const CallFacts = ({ call }: { readonly call: ExecutionDetail }) => {
  const detail = detailOf(call.rows);
  const approvalId = text(detail.approvalId);
  return (
    <Facts
      of={[
        ['When', exactTime(call.at)],
        ['Took', duration(call.durationMs)],
        ['Cost', <Money key="cost" usd={call.costUsd} />],
        ['Rule', text(detail.rule) && <SafeCode text={text(detail.rule)} />],
        ['Effect', EFFECTS.get(call.effect ?? '')],
        ['Approved by', text(detail.approvedBy) && <SafeText text={text(detail.approvedBy)} />],
        [
          'Question',
          approvalId && <a href={hrefOf(['approvals', approvalId])}>the approval it needed</a>,
        ],
        ['Attempts', typeof detail.attempts === 'number' && detail.attempts],
        ['From cache', detail.cached === true && 'yes'],
        ['Dry run', detail.dryRun === true && 'yes'],
        ['User', <SafeText key="user" text={call.userId} />],
        ['Agent', call.agentId && <SafeText text={call.agentId} />],
        ['Session', call.sessionId && <SafeText text={call.sessionId} />],
        ['Call', <code key="id">{call.executionId}</code>],
      ]}
    />
  );
};

const TextList = ({ title, items }: { readonly title: string; readonly items: unknown }) =>
  Array.isArray(items) && items.length > 0 ? (
    <section className="stack">
      <h3>{title}</h3>
      <ul className="plain-list">
        {items.map((item) => (
          <li key={String(item)}>
            <code>
              <SafeText text={typeof item === 'string' ? item : JSON.stringify(item)} />
            </code>
          </li>
        ))}
      </ul>
    </section>
  ) : null;

const Rows = ({ rows }: { readonly rows: readonly AuditRow[] }) => (
  <details>
    <summary>
      {rows.length} {rows.length === 1 ? 'row' : 'rows'} of the audit trail
    </summary>
    <JsonView value={rows} label="Audit rows of this call" />
  </details>
);

const Progress = ({ call }: { readonly call: ExecutionDetail }) =>
  call.progress === undefined ? null : (
    <div className="stack">
      <progress value={call.progress.fraction} max={1} aria-label="Progress" />
      {call.progress.note !== undefined && (
        <p className="muted">
          <SafeText text={call.progress.note} />
        </p>
      )}
    </div>
  );

const Stages = ({ call }: { readonly call: ExecutionDetail }) => (
  <section className="stack">
    <h3>Stages</h3>
    {call.trace && call.trace.length > 0 ? (
      <StageTimeline spans={call.trace} />
    ) : (
      <p className="muted">Calls are timed stage by stage only while a console is open.</p>
    )}
  </section>
);

const Content = ({ call, onDone }: { readonly call: ExecutionDetail; onDone(): void }) => {
  const detail = detailOf(call.rows);
  return (
    <>
      <header className="detail-head">
        <h2>
          {OWN_TOOL.test(call.tool) ? (
            <SafeText text={call.tool} />
          ) : (
            <a href={hrefOf(['tools', call.tool])}>
              <SafeText text={call.tool} />
            </a>
          )}
        </h2>
        <div className="badges">
          <StatusBadge status={call.status} />
          <TierBadge tier={call.tier} />
          {call.code !== '' && <Badge>{call.code}</Badge>}
        </div>
        {call.meaning !== undefined && <p className="muted">{call.meaning}</p>}
      </header>
      <Progress call={call} />
      <ExecutionActions call={call} onDone={onDone} />
      <CallFacts call={call} />
      <Stages call={call} />
      {detail.input !== undefined && (
        <section className="stack">
          <h3>Input, as the trail keeps it</h3>
          <JsonView value={detail.input} label="Recorded input" />
        </section>
      )}
      <TextList title="What it touched" items={detail.resources} />
      <TextList title="What looked odd" items={detail.inspected} />
      {call.state !== 'running' && (
        <ReplayView key={call.executionId} executionId={call.executionId} />
      )}
      <Rows rows={call.rows} />
    </>
  );
};

const NoSuchCall = () => (
  <EmptyState icon="search" title="There is no such call">
    <p>It was never made here, or its rows are no longer kept.</p>
    <a href={hrefOf(['activity'])}>Show all calls</a>
  </EmptyState>
);

export const ExecutionView = ({ id }: { readonly id: string }) => {
  const { api } = useServices();
  const call = useLoad(id, () =>
    api.get<ExecutionDetail>(`/v1/executions/${encodeURIComponent(id)}`),
  );
  useReloadOn(['call.finished', 'call.progressed'], call.reload);
  return (
    <WhenLoaded of={call} missing={<NoSuchCall />}>
      {(execution) => <Content call={execution} onDone={call.reload} />}
    </WhenLoaded>
  );
};
