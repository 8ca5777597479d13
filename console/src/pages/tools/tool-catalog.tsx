/** All tools, found by words and narrowed by source, risk and state. */
import { useMemo } from 'react';
import type { MetricLine } from '../../api/metric-records.ts';
import { useServices } from '../../api/services.tsx';
import { TIERS, type ToolSummary } from '../../api/tool-records.ts';
import { useLoad } from '../../api/use-load.ts';
import { usePages } from '../../api/use-pages.ts';
import { TierBadge } from '../../components/badge.tsx';
import { FilterSelect, SearchBox } from '../../components/field.tsx';
import { count } from '../../components/format.ts';
import { Pagination } from '../../components/pagination.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useSettled } from '../../components/use-settled.ts';
import { callsHref } from '../../figures/call-links.ts';
import { CALM_MS } from '../../figures/use-figures.ts';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { choiceOf, hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { type CallCounts, callCounts, MAX_LINES } from './call-counts.ts';
import { ToolState } from './tool-badges.tsx';

const SOURCES = ['builtin', 'team', 'mcp', 'package', 'external', 'workflow', 'composed', 'custom'];
const MAX_ITEMS = 200;

const COLUMNS: readonly Column<ToolSummary>[] = [
  {
    id: 'name',
    title: 'Tool',
    cell: (tool) => (
      <>
        <SafeText text={tool.name} />
        <span className="row-note row-note-short">
          <SafeText text={tool.description} />
        </span>
        {!tool.enabled && (
          <span className="narrow-only">
            <ToolState tool={tool} />
          </span>
        )}
      </>
    ),
    sortBy: (t) => t.name,
  },
  { id: 'tier', title: 'Risk', cell: (t) => <TierBadge tier={t.tier} />, sortBy: (t) => t.tier },
  {
    id: 'state',
    title: 'State',
    cell: (t) => <ToolState tool={t} />,
    sortBy: (t) => Number(t.enabled),
    isSecondary: true,
  },
  {
    id: 'source',
    title: 'Source',
    cell: ({ source }) => source,
    sortBy: (t) => t.source,
    isSecondary: true,
  },
  {
    id: 'category',
    title: 'Category',
    cell: ({ category }) => category.replace('_', ' '),
    sortBy: (t) => t.category,
    isSecondary: true,
  },
];

const RANGE_MS = 30 * 86_400_000;

/** Loads how often each tool was called, by any process. */
const useCallCounts = (): CallCounts | undefined => {
  const { api, now, session } = useServices();
  const counts = useLoad<CallCounts>('calls of tools', async () => {
    const from = now() - RANGE_MS;
    if (session.role === 'agent') return callCounts(from, []);
    const { lines } = await api.get<{ readonly lines: readonly MetricLine[] }>('/v1/metrics/tool', {
      ...{ from, to: now(), limit: MAX_LINES },
    });
    return callCounts(from, lines);
  });
  useReloadOn(['call.finished'], counts.reload, CALM_MS);
  return counts.data;
};

const CallCount = ({ tool, counts }: { readonly tool: string; readonly counts: CallCounts }) => {
  const calls = counts.callsOf(tool);
  return calls === undefined || calls === 0 ? (
    <span className="muted">{calls ?? '–'}</span>
  ) : (
    <a className="cell-link" href={callsHref({ tool, from: counts.from })}>
      {count(calls)}
    </a>
  );
};

/** Makes the column before the counts are there, so that the table does not jump. */
const callColumn = (counts: CallCounts | undefined): Column<ToolSummary> => ({
  id: 'calls',
  title: 'Calls, 30 days',
  cell: ({ name }) => counts && <CallCount tool={name} counts={counts} />,
  sortBy: ({ name }) => counts?.callsOf(name) ?? 0,
  isNumber: true,
  isSecondary: true,
});

/** Agents may not ask for figures. */
const useColumns = (): readonly Column<ToolSummary>[] => {
  const { session } = useServices();
  const counts = useCallCounts();
  return session.role === 'agent' ? COLUMNS : [...COLUMNS, callColumn(counts)];
};

type Filter = Readonly<Record<'q' | 'source' | 'tier' | 'enabled', string>>;

const Filters = ({ filter, onChange }: { readonly filter: Filter; onChange(f: Filter): void }) => {
  const set = (name: keyof Filter) => (value: string) => onChange({ ...filter, [name]: value });
  return (
    <div className="filters">
      <SearchBox label="Search tools" value={filter.q} onChange={set('q')} />
      <FilterSelect
        label="Source"
        value={filter.source}
        options={[['', 'any'], ...SOURCES.map((source) => [source, source] as const)]}
        onChange={set('source')}
      />
      <FilterSelect
        label="Risk"
        value={filter.tier}
        options={[['', 'any'], ...TIERS.map((tier) => [tier, tier.replace('_', ' ')] as const)]}
        onChange={set('tier')}
      />
      <FilterSelect
        label="State"
        value={filter.enabled}
        options={[
          ['', 'any'],
          ['true', 'on'],
          ['false', 'off or quarantined'],
        ]}
        onChange={set('enabled')}
      />
    </div>
  );
};

const NoTools = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="search" title="No tool fits">
      <p>Try fewer words, or take a filter away.</p>
      <a href={hrefOf(['tools'])}>Show all tools</a>
    </EmptyState>
  ) : (
    <EmptyState icon="tools" title="No tools are loaded">
      <p>Tools come from the configuration: those that ship, MCP servers, and your own.</p>
    </EmptyState>
  );

const ToolList = ({ filter }: { readonly filter: Filter }) => {
  const pages = usePages<ToolSummary>('/v1/tools', { ...filter, limit: MAX_ITEMS });
  const columns = useColumns();
  useReloadOn(['tool.*', 'server.changed'], () => !pages.isDeep && pages.reload());
  if (pages.isLoading) return <Skeleton />;
  if (pages.items.length === 0) {
    if (pages.error) return <ErrorState error={pages.error} onRetry={pages.reload} />;
    return <NoTools isFiltered={Object.values(filter).some((value) => value !== '')} />;
  }
  return (
    <>
      <Table
        label="Tools"
        columns={columns}
        rows={pages.items}
        keyOf={({ name }) => name}
        hrefOf={({ name }) => hrefOf(['tools', name])}
      />
      <Pagination of={pages} one="tool" many="tools" />
    </>
  );
};

export const ToolCatalog = () => {
  const { query } = useRoute();
  const { q = '' } = query;
  const source = choiceOf(query.source, SOURCES);
  const tier = choiceOf(query.tier, TIERS);
  const enabled = choiceOf(query.enabled, ['true', 'false']);
  const filter = useMemo(() => ({ q, source, tier, enabled }), [q, source, tier, enabled]);
  const settled = useSettled(filter);
  const change = (next: Filter): void => replaceRoute(hrefOf(['tools'], next));
  return (
    <PageFrame title="Tools" lead="Everything an agent can reach, and on what terms.">
      <Filters filter={filter} onChange={change} />
      <ToolList filter={settled} />
    </PageFrame>
  );
};
