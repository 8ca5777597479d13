/** How many jobs of each queue are in each state. Those who see only their own jobs see no counts. */
import { JOB_STATES, type JobState, type QueueCounts } from '../../api/job-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { count } from '../../components/format.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { usePolling } from '../../live/use-polling.ts';
import { hrefOf } from '../../router/route.ts';
import './jobs.css';

const StateCount = ({ row, state }: { readonly row: QueueCounts; readonly state: JobState }) =>
  row[state] === 0 ? (
    <span className="muted">0</span>
  ) : (
    <a className="cell-link" href={hrefOf(['jobs'], { queue: row.queue, state })}>
      {count(row[state])}
    </a>
  );

const COLUMNS: readonly Column<QueueCounts>[] = [
  {
    id: 'queue',
    title: 'Queue',
    cell: ({ queue }) => <SafeText text={queue} />,
    sortBy: (row) => row.queue,
  },
  ...JOB_STATES.map((state) => ({
    id: state,
    title: `${state.charAt(0).toUpperCase()}${state.slice(1)}`,
    isNumber: true,
    // What is over is left out first: the others are what a person looks for.
    isSecondary: state === 'completed' || state === 'cancelled',
    cell: (row: QueueCounts) => <StateCount row={row} state={state} />,
    sortBy: (row: QueueCounts) => row[state],
  })),
];

export const QueueTable = () => {
  const { api } = useServices();
  const queues = useLoad('queues', () =>
    api.get<{ readonly items: readonly QueueCounts[] }>('/v1/jobs/queues'),
  );
  usePolling(queues.reload);
  return (
    <WhenLoaded of={queues}>
      {({ items }) =>
        items.length === 0 ? null : (
          <section className="panel queues" aria-label="Queues">
            <h2>Queues</h2>
            <Table
              label="Queues"
              columns={COLUMNS}
              rows={items}
              keyOf={({ queue }) => queue}
              hrefOf={({ queue }) => hrefOf(['jobs'], { queue })}
            />
          </section>
        )
      }
    </WhenLoaded>
  );
};
