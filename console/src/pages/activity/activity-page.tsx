/** What was called, by whom, and how it went: live, filtered, and each call in detail. */
import { useEffect, useState } from 'react';
import type { ExecutionSummary } from '../../api/call-records.ts';
import { FAILED_STATUSES } from '../../api/metric-records.ts';
import { TIERS } from '../../api/tool-records.ts';
import { usePages } from '../../api/use-pages.ts';
import { StatusBadge, TierBadge } from '../../components/badge.tsx';
import { FilterSelect, SearchBox } from '../../components/field.tsx';
import { duration } from '../../components/format.ts';
import { Money } from '../../components/money.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { useRunning } from '../../live/use-running.ts';
import { choiceOf, hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { type Filter, FilterChips, figureFilter } from './call-filter.tsx';
import { ExecutionView } from './execution-view.tsx';

const STATUSES = ['success', 'failure', 'denied', 'pending', 'timeout', 'cancelled', 'unknown'];
/** As the figures count them. */
const FAILED = FAILED_STATUSES.join(',');

const COLUMNS: readonly Column<ExecutionSummary>[] = [
  {
    id: 'tool',
    title: 'Tool',
    cell: ({ tool, summary = '' }) => (
      <>
        <SafeText text={tool} />
        {summary !== '' && (
          <span className="row-note">
            <SafeText text={summary} />
          </span>
        )}
      </>
    ),
    sortBy: (r) => r.tool,
  },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: (r) => r.status,
  },
  {
    id: 'tier',
    title: 'Risk',
    cell: ({ tier }) => <TierBadge tier={tier} />,
    sortBy: (r) => r.tier,
    isSecondary: true,
  },
  {
    id: 'caller',
    title: 'Caller',
    cell: ({ userId, agentId }) => (
      <>
        <SafeText text={userId} />
        {agentId !== '' && agentId !== userId && (
          <span className="row-note">
            <SafeText text={agentId} />
          </span>
        )}
      </>
    ),
    sortBy: (r) => `${r.userId} ${r.agentId}`,
    isSecondary: true,
  },
  { id: 'at', title: 'When', cell: ({ at }) => <RelativeTime at={at} />, sortBy: (r) => r.at },
  {
    id: 'duration',
    title: 'Took',
    cell: ({ status, durationMs }) => (status === 'running' ? '…' : duration(durationMs)),
    sortBy: (r) => r.durationMs,
    isNumber: true,
    isSecondary: true,
  },
  {
    id: 'cost',
    title: 'Cost',
    cell: ({ costUsd }) => <Money usd={costUsd} />,
    sortBy: (r) => r.costUsd,
    isNumber: true,
    isSecondary: true,
  },
];

const Filters = ({ filter, onChange }: { readonly filter: Filter; onChange(f: Filter): void }) => {
  const searched = filter.q ?? '';
  const [text, setText] = useState(searched);
  useEffect(() => setText(searched), [searched]);
  const set = (name: string) => (value: string) => onChange({ ...filter, [name]: value });
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        set('q')(text.trim());
      }}
    >
      <SearchBox
        label="Tool, input or caller, then Enter"
        value={text}
        onChange={(typed) => {
          setText(typed);
          if (typed === '') set('q')('');
        }}
      />
      <FilterSelect
        label="Status"
        value={filter.status ?? ''}
        options={[
          ['', 'any'],
          [FAILED, 'failed in any way'],
          ...STATUSES.map((status) => [status, status] as const),
        ]}
        onChange={set('status')}
      />
      <FilterSelect
        label="Risk"
        value={filter.tier ?? ''}
        options={[['', 'any'], ...TIERS.map((tier) => [tier, tier.replace('_', ' ')] as const)]}
        onChange={set('tier')}
      />
    </form>
  );
};

const NoCalls = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="search" title="No call fits these filters">
      <a href={hrefOf(['activity'])}>Show all calls</a>
    </EmptyState>
  ) : (
    <EmptyState icon="activity" title="Nothing was called yet">
      <p>
        Calls of agents, of the command line and of this console appear here as they happen.{' '}
        <a href={hrefOf(['tools'])}>Try a tool</a> to see the first one.
      </p>
    </EmptyState>
  );

const CallList = ({ filter, open }: { readonly filter: Filter; readonly open: string }) => {
  const pages = usePages<ExecutionSummary>('/v1/executions', filter);
  const running = useRunning();
  // Who reads far down must not have the list pulled away.
  useReloadOn(['call.finished'], () => !pages.isDeep && pages.reload());
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const done = new Set(pages.items.map(({ executionId }) => executionId));
  const live = isFiltered ? [] : running.filter(({ executionId }) => !done.has(executionId));
  const rows = [...live, ...pages.items];
  if (pages.isLoading) return <Skeleton />;
  if (pages.error && rows.length === 0) {
    return <ErrorState error={pages.error} onRetry={pages.reload} />;
  }
  if (rows.length === 0) return <NoCalls isFiltered={isFiltered} />;
  return (
    <>
      <Table
        label="Calls"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ executionId }) => executionId}
        hrefOf={({ executionId }) => hrefOf(['activity', executionId], filter)}
        isCurrent={({ executionId }) => executionId === open}
      />
      <Pagination of={pages} shown={rows.length} one="call" many="calls" />
    </>
  );
};

export const ActivityPage = () => {
  const { rest, query } = useRoute();
  const [open = ''] = rest;
  const filter = {
    ...figureFilter(query),
    q: query.q ?? '',
    status: choiceOf(query.status, [...STATUSES, FAILED]),
    tier: choiceOf(query.tier, TIERS),
  };
  const change = (next: Filter): void => replaceRoute(hrefOf(['activity', ...rest], next));
  return (
    <PageFrame title="Activity" lead="Every call, as the audit trail keeps it.">
      <SplitView
        label={`Call ${open}`}
        back={hrefOf(['activity'], filter)}
        list={
          <>
            <Filters filter={filter} onChange={change} />
            <FilterChips filter={filter} onChange={change} />
            <CallList filter={filter} open={open} />
          </>
        }
        {...(open !== '' && { detail: <ExecutionView key={open} id={open} /> })}
      />
    </PageFrame>
  );
};
