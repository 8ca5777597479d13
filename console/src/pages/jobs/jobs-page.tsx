/** Jobs: the queues, what waits, runs and failed in them, and the schedules. */
import { JOB_STATES, type JobRecord } from '../../api/job-records.ts';
import { useServices } from '../../api/services.tsx';
import { type Pages, usePages } from '../../api/use-pages.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { FilterSelect } from '../../components/field.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { plainVisible } from '../../components/visible-text.ts';
import { PageFrame } from '../../layout/page-frame.tsx';
import { usePolling } from '../../live/use-polling.ts';
import { choiceOf, hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { JobBadge } from './job-badge.tsx';
import { jobNote } from './job-note.ts';
import { JobView } from './job-view.tsx';
import { QueueTable } from './queue-table.tsx';
import { ScheduleTable } from './schedule-table.tsx';

type Filter = Readonly<Record<string, string>>;

const VIEWS = ['jobs', 'schedules'] as const;

const COLUMNS: readonly Column<JobRecord>[] = [
  {
    id: 'type',
    title: 'Type',
    cell: (job) => (
      <>
        <SafeText text={job.type} />
        <span className="row-note">
          <SafeText text={jobNote(job)} />
        </span>
      </>
    ),
    sortBy: (j) => j.type,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state }) => <JobBadge state={state} />,
    sortBy: (j) => j.state,
  },
  {
    id: 'queue',
    title: 'Queue',
    isSecondary: true,
    cell: ({ queue }) => <SafeText text={queue} />,
    sortBy: (j) => j.queue,
  },
  {
    id: 'user',
    title: 'User',
    isSecondary: true,
    cell: ({ caller }) => <SafeText text={caller.userId} />,
    sortBy: (j) => j.caller.userId,
  },
  {
    id: 'attempts',
    title: 'Attempts',
    isNumber: true,
    isSecondary: true,
    cell: ({ attempts, retries }) => `${attempts} of ${retries + 1}`,
    sortBy: (j) => j.attempts,
  },
  {
    id: 'at',
    title: 'Added',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    sortBy: (j) => j.createdAt,
  },
];

const NoJobs = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState icon="search" title="No job fits these filters">
      <a href={hrefOf(['jobs'])}>Show all jobs</a>
    </EmptyState>
  ) : (
    <EmptyState icon="jobs" title="There are no jobs yet">
      <p>A job is work in the background, on behalf of whoever added it.</p>
      <CodeBlock
        text={`toolcrib jobs add tool '{"tool":"calculator","input":{"expression":"6*7"}}'\ntoolcrib worker`}
        label="How to add a job and work on it"
      />
    </EmptyState>
  );

interface ListProps {
  readonly pages: Pages<JobRecord>;
  readonly filter: Filter;
  readonly open: string;
}

const JobList = ({ pages, filter, open }: ListProps) => {
  const isFiltered = Object.values(filter).some((value) => value !== '');
  if (pages.isLoading) return <Skeleton />;
  if (pages.error && pages.items.length === 0) {
    return <ErrorState error={pages.error} onRetry={pages.reload} />;
  }
  if (pages.items.length === 0) return <NoJobs isFiltered={isFiltered} />;
  return (
    <>
      <Table
        label="Jobs"
        columns={COLUMNS}
        rows={pages.items}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(['jobs', id], filter)}
        isCurrent={({ id }) => id === open}
      />
      <Pagination of={pages} one="job" many="jobs" />
    </>
  );
};

/** Draws the filter that a link of the queues sets, as a button that removes it. */
const QueueChip = ({ queue, onRemove }: { readonly queue: string; onRemove(): void }) => (
  <div className="chips">
    <Button
      isSmall
      icon="close"
      onClick={onRemove}
      aria-label={`Only queue ${plainVisible(queue)}; take this filter away`}
    >
      <SafeText text={`queue ${queue}`} />
    </Button>
  </div>
);

const Jobs = ({ open, filter }: { readonly open: string; readonly filter: Filter }) => {
  const pages = usePages<JobRecord>('/v1/jobs', filter);
  // Who reads far down must not have the list pulled away.
  usePolling(() => !pages.isDeep && pages.reload());
  const set = (name: string) => (value: string) =>
    replaceRoute(hrefOf(['jobs', ...(open === '' ? [] : [open])], { ...filter, [name]: value }));
  return (
    <SplitView
      label={`Job ${open}`}
      back={hrefOf(['jobs'], filter)}
      list={
        <>
          <div className="filters">
            <FilterSelect
              label="State"
              value={filter.state ?? ''}
              options={[['', 'any'], ...JOB_STATES.map((state) => [state, state] as const)]}
              onChange={set('state')}
            />
          </div>
          {filter.queue && <QueueChip queue={filter.queue} onRemove={() => set('queue')('')} />}
          <JobList pages={pages} filter={filter} open={open} />
        </>
      }
      {...(open !== '' && { detail: <JobView key={open} id={open} onChanged={pages.reload} /> })}
    />
  );
};

export const JobsPage = () => {
  const { rest, query } = useRoute();
  const { session } = useServices();
  const view = choiceOf(query.view, VIEWS) || 'jobs';
  const filter = { state: choiceOf(query.state, JOB_STATES), queue: query.queue ?? '' };
  return (
    <PageFrame
      title="Jobs"
      lead="Work in the background: what waits, runs, is done and has failed."
    >
      {session.role !== 'agent' && <QueueTable />}
      <Tabs
        label="Jobs and schedules"
        tabs={[
          { id: 'jobs', title: 'Jobs' },
          { id: 'schedules', title: 'Schedules' },
        ]}
        selected={view}
        onSelect={(id) => replaceRoute(hrefOf(['jobs'], { view: id }))}
      >
        {view === 'schedules' ? <ScheduleTable /> : <Jobs open={rest[0] ?? ''} filter={filter} />}
      </Tabs>
    </PageFrame>
  );
};
