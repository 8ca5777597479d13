/** One question with everything a person needs to decide it. The input is exact, never shortened. */
import { useState } from 'react';
import type { ApprovalRecord } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { StatusBadge, TierBadge } from '../../components/badge.tsx';
import { Facts } from '../../components/facts.tsx';
import { duration } from '../../components/format.ts';
import { InputView } from '../../components/input-view.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Money } from '../../components/money.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf } from '../../router/route.ts';
import { stateAt } from './approval-state.ts';
import { DecideForm } from './decide-form.tsx';
import { questionText } from './question-text.ts';
import { RunApproved } from './run-approved.tsx';

const Lines = ({ of }: { readonly of: readonly string[] }) =>
  of.length === 0 ? undefined : (
    <ul className="plain-list">
      {of.map((line) => (
        <li key={line}>
          <SafeText text={line} />
        </li>
      ))}
    </ul>
  );

const QuestionFacts = ({ record }: { readonly record: ApprovalRecord }) => {
  const { request } = record;
  return (
    <Facts
      of={[
        ['Why it asks', <SafeText key="reason" text={request.reason} />],
        ['Rule', <SafeCode key="rule" text={request.rule} />],
        ['Action', request.action && <SafeCode text={request.action} />],
        ['Touches', request.targets.length > 0 && <Lines of={request.targets} />],
        ['Effects', request.effects.length > 0 && <Lines of={request.effects} />],
        ['Cost', <Money key="cost" usd={request.estimatedCost} />],
        ['Time', request.estimatedTime !== undefined && `about ${duration(request.estimatedTime)}`],
        ['User', <SafeText key="user" text={record.userId} />],
        ['Agent', record.agentId && <SafeText text={record.agentId} />],
        ['Session', record.sessionId && <SafeText text={record.sessionId} />],
        ['Asked', <RelativeTime key="asked" at={record.createdAt} />],
        ['Expires', <RelativeTime key="expires" at={record.expiresAt} />],
        ['Decided by', record.decidedBy && <SafeText text={record.decidedBy} />],
        ['Note', record.note && <SafeText text={record.note} />],
      ]}
    />
  );
};

const Head = ({ record, state }: { readonly record: ApprovalRecord; state: string }) => {
  const { title, href } = questionText(record);
  return (
    <header className="detail-head">
      <h2>
        <a href={href}>
          <SafeText text={title} />
        </a>
      </h2>
      <div className="badges">
        <StatusBadge status={state} />
        <TierBadge tier={record.request.tier} />
      </div>
      <p className="muted">
        <SafeText text={record.request.description} />
      </p>
    </header>
  );
};

const Content = ({ record, onDecided }: { readonly record: ApprovalRecord; onDecided(): void }) => {
  const { session } = useServices();
  const state = stateAt(record, useNow(5_000));
  // Its result is to be read after the approval is used up.
  const [hasRun, setRun] = useState(false);
  return (
    <>
      <Head record={record} state={state} />
      {(state === 'approved' || hasRun) && record.userId === session.user && (
        <RunApproved record={record} onRun={() => setRun(true)} />
      )}
      <section className="stack">
        <h3>The exact input</h3>
        <InputView input={record.request.input} />
      </section>
      {record.edited && (
        <section className="stack">
          <h3>Approved with this input instead</h3>
          <JsonView value={record.edited.input} label="Edited input" />
        </section>
      )}
      <QuestionFacts record={record} />
      {state === 'waiting' && <DecideForm record={record} onDecided={onDecided} />}
      {state === 'expired' && (
        <p className="note note-warn">Its time is over. The agent has to ask again.</p>
      )}
    </>
  );
};

const NoSuchQuestion = () => (
  <EmptyState icon="search" title="There is no such question">
    <p>It was never asked here, or it is no longer kept.</p>
    <a href={hrefOf(['approvals'])}>See which ones wait</a>
  </EmptyState>
);

export const ApprovalView = ({ id }: { readonly id: string }) => {
  const { api } = useServices();
  const record = useLoad(id, () =>
    api.get<ApprovalRecord>(`/v1/approvals/${encodeURIComponent(id)}`),
  );
  useReloadOn(['approval.*', 'call.finished'], record.reload);
  return (
    <WhenLoaded of={record} missing={<NoSuchQuestion />}>
      {(approval) => <Content record={approval} onDecided={record.reload} />}
    </WhenLoaded>
  );
};
