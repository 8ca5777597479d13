/** The inbox: every question that waits for a person, and those that were answered. */
import type { ApprovalRecord } from '../../api/call-records.ts';
import { usePages } from '../../api/use-pages.ts';
import { StatusBadge, TierBadge } from '../../components/badge.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { goTo, hrefOf, useRoute } from '../../router/route.ts';
import { stateAt } from './approval-state.ts';
import { ApprovalView } from './approval-view.tsx';
import { questionText } from './question-text.ts';

const STATES = [
  { id: 'waiting', title: 'Waiting' },
  { id: 'approved', title: 'Approved' },
  { id: 'used', title: 'Used' },
  { id: 'denied', title: 'Denied' },
];

const QuestionCell = ({ record }: { readonly record: ApprovalRecord }) => {
  const { title, note } = questionText(record);
  return (
    <>
      <SafeText text={title} />
      {note !== '' && (
        <span className="row-note">
          <SafeText text={note} />
        </span>
      )}
      <span className="row-note">
        <SafeText text={record.request.reason} />
      </span>
    </>
  );
};

const columns = (now: number): readonly Column<ApprovalRecord>[] => [
  {
    id: 'tool',
    title: 'What',
    cell: (record) => <QuestionCell record={record} />,
    sortBy: (r) => questionText(r).title,
  },
  {
    id: 'tier',
    title: 'Risk',
    cell: ({ request }) => <TierBadge tier={request.tier} />,
    sortBy: (r) => r.request.tier,
  },
  {
    id: 'caller',
    title: 'Asked by',
    cell: ({ userId, agentId }) => (
      <SafeText text={['', userId].includes(agentId) ? userId : `${agentId} for ${userId}`} />
    ),
    sortBy: (r) => `${r.agentId} ${r.userId}`,
    isSecondary: true,
  },
  {
    id: 'at',
    title: 'When',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    sortBy: (r) => r.createdAt,
  },
  {
    id: 'state',
    title: 'State',
    cell: (record) => <StatusBadge status={stateAt(record, now)} />,
    isSecondary: true,
  },
];

const NoQuestions = ({ state }: { readonly state: string }) =>
  state === 'waiting' ? (
    <EmptyState icon="approvals" title="Nobody is waiting for you">
      <p>When a rule wants a person to agree to a call, the question appears here at once.</p>
      <a href={hrefOf(['policy'])}>See which rules ask</a>
    </EmptyState>
  ) : (
    <EmptyState icon="approvals" title={`No question was ${state}`}>
      <a href={hrefOf(['approvals'])}>See which ones wait</a>
    </EmptyState>
  );

const Inbox = ({ state, open }: { readonly state: string; readonly open: string }) => {
  const pages = usePages<ApprovalRecord>('/v1/approvals', { state });
  const now = useNow();
  // Who reads far down must not have the list pulled away.
  useReloadOn(['approval.*', 'call.finished'], () => !pages.isDeep && pages.reload());
  if (pages.isLoading) return <Skeleton />;
  if (pages.items.length === 0) {
    return pages.error ? (
      <ErrorState error={pages.error} onRetry={pages.reload} />
    ) : (
      <NoQuestions state={state} />
    );
  }
  return (
    <>
      <Table
        label="Questions"
        columns={columns(now)}
        rows={pages.items}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(['approvals', id], { state })}
        isCurrent={({ id }) => id === open}
      />
      <Pagination of={pages} one="question" many="questions" />
    </>
  );
};

export const ApprovalsPage = () => {
  const { rest, query } = useRoute();
  const [open = ''] = rest;
  const state = STATES.find(({ id }) => id === query.state)?.id ?? 'waiting';
  return (
    <PageFrame title="Approvals" lead="What agents may do only if a person agrees.">
      <SplitView
        label={`Question ${open}`}
        back={hrefOf(['approvals'], { state })}
        list={
          <Tabs
            label="State"
            tabs={STATES}
            selected={state}
            onSelect={(next) => goTo(hrefOf(['approvals'], { state: next }))}
          >
            <div>
              <Inbox state={state} open={open} />
            </div>
          </Tabs>
        }
        {...(open !== '' && { detail: <ApprovalView key={open} id={open} /> })}
      />
    </PageFrame>
  );
};
