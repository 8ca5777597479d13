/** The flows of this server, and their runs: live, filtered, each with its graph. */
import { type FlowInfo, RUN_STATUSES, type RunSummary } from '../../api/flow-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { usePages } from '../../api/use-pages.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { LinkButton } from '../../components/button.tsx';
import { FilterSelect } from '../../components/field.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, ErrorState, Skeleton, WhenLoaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { choiceOf, hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { RunView } from './run-view.tsx';
import { StartFlow } from './start-flow.tsx';
import './flows.css';

type Filter = Readonly<Record<'status' | 'flow', string>>;

const COLUMNS: readonly Column<RunSummary>[] = [
  {
    id: 'flow',
    title: 'Flow',
    cell: ({ flow, id }) => (
      <>
        <SafeText text={flow} />
        <span className="row-note">
          <SafeText text={id} />
        </span>
      </>
    ),
    sortBy: (run) => run.flow,
  },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: (run) => run.status,
  },
  {
    id: 'user',
    title: 'User',
    cell: ({ caller }) => <SafeText text={caller.userId} />,
    sortBy: (run) => run.caller.userId,
    isSecondary: true,
  },
  {
    id: 'at',
    title: 'Started',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    sortBy: (run) => run.createdAt,
  },
];

const FlowCards = ({ flows }: { readonly flows: readonly FlowInfo[] }) =>
  flows.length === 0 ? (
    <p className="muted">
      This server knows no flow. Put one below <code>.toolcrib/flows</code>, or name a module:{' '}
      <code>toolcrib serve --module ./flows.mjs</code>
    </p>
  ) : (
    <ul className="flow-cards" aria-label="Flows">
      {flows.map(({ name, version, description }) => (
        <li key={name} className="flow-card">
          <div>
            <strong>
              <SafeText text={name} />
            </strong>{' '}
            <span className="muted">
              <SafeText text={version} />
            </span>
            {description !== '' && (
              <p className="row-note">
                <SafeText text={description} />
              </p>
            )}
          </div>
          <LinkButton isSmall href={hrefOf(['flows', 'start', name])}>
            Run…
          </LinkButton>
        </li>
      ))}
    </ul>
  );

const RunList = ({ filter, open }: { readonly filter: Filter; readonly open: string }) => {
  const pages = usePages<RunSummary>('/v1/flows/runs', filter);
  // Who reads far down must not have the list pulled away.
  useReloadOn(['flow.changed'], () => !pages.isDeep && pages.reload());
  if (pages.isLoading) return <Skeleton />;
  if (pages.error && pages.items.length === 0) {
    return <ErrorState error={pages.error} onRetry={pages.reload} />;
  }
  if (pages.items.length === 0) {
    const isFiltered = filter.status !== '' || filter.flow !== '';
    return (
      <EmptyState icon="flows" title={isFiltered ? 'No run fits these filters' : 'No run yet'}>
        {isFiltered ? (
          <a href={hrefOf(['flows'])}>Show all runs</a>
        ) : (
          <p>Runs appear here as they are started, here, by agents or on the command line.</p>
        )}
      </EmptyState>
    );
  }
  return (
    <>
      <Table
        label="Runs"
        columns={COLUMNS}
        rows={pages.items}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(['flows', 'run', id], filter)}
        isCurrent={({ id }) => id === open}
      />
      <Pagination of={pages} one="run" many="runs" />
    </>
  );
};

const Filters = (props: {
  readonly filter: Filter;
  readonly flows: readonly FlowInfo[];
  onChange(filter: Filter): void;
}) => {
  const { filter, flows, onChange } = props;
  return (
    <div className="filters">
      <FilterSelect
        label="Flow"
        value={filter.flow}
        options={[['', 'any'], ...flows.map(({ name }) => [name, name] as const)]}
        onChange={(flow) => onChange({ ...filter, flow })}
      />
      <FilterSelect
        label="Status"
        value={filter.status}
        options={[['', 'any'], ...RUN_STATUSES.map((status) => [status, status] as const)]}
        onChange={(status) => onChange({ ...filter, status })}
      />
    </div>
  );
};

const NoSuchFlow = () => (
  <EmptyState icon="search" title="There is no such flow">
    <p>This server does not know it, or not any more.</p>
  </EmptyState>
);

export const FlowsPage = () => {
  const { api } = useServices();
  const { rest, query } = useRoute();
  const [what = '', open = ''] = rest;
  const flows = useLoad('flows', () =>
    api.get<{ readonly items: readonly FlowInfo[] }>('/v1/flows'),
  );
  const filter = { status: choiceOf(query.status, RUN_STATUSES), flow: query.flow ?? '' };
  const change = (next: Filter): void => replaceRoute(hrefOf(['flows', ...rest], next));
  const chosen = flows.data?.items.find(({ name }) => name === open);
  const detail = () => {
    if (open === '') return {};
    if (what === 'run') return { detail: <RunView key={open} id={open} step={query.step ?? ''} /> };
    if (what !== 'start' || flows.data === undefined) return {};
    return { detail: chosen ? <StartFlow key={open} flow={chosen} /> : <NoSuchFlow /> };
  };
  return (
    <PageFrame title="Flows" lead="Durable runs: each step is on record when it ends.">
      <SplitView
        label={`${what === 'start' ? 'Start' : 'Run'} ${open}`}
        back={hrefOf(['flows'], filter)}
        list={
          <>
            <WhenLoaded of={flows}>{({ items }) => <FlowCards flows={items} />}</WhenLoaded>
            <h2 className="list-head">Runs</h2>
            <Filters filter={filter} flows={flows.data?.items ?? []} onChange={change} />
            <RunList filter={filter} open={open} />
          </>
        }
        {...detail()}
      />
    </PageFrame>
  );
};
