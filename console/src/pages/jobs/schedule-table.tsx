/** The schedules: what they make, how often, and when next. */
import { useState } from 'react';
import type { ScheduleRecord } from '../../api/job-records.ts';
import { useServices } from '../../api/services.tsx';
import { type Loaded, useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useToast } from '../../components/toast.tsx';

interface Schedules {
  readonly items: readonly ScheduleRecord[];
}

const COLUMNS: readonly Column<ScheduleRecord>[] = [
  { id: 'id', title: 'Schedule', cell: ({ id }) => <SafeText text={id} />, sortBy: (s) => s.id },
  {
    id: 'type',
    title: 'Job',
    isSecondary: true,
    cell: ({ type }) => <SafeText text={type} />,
    sortBy: (s) => s.type,
  },
  {
    id: 'cron',
    title: 'When',
    cell: ({ cron, timeZone = 'UTC' }) => (
      <>
        <span className="one-line">
          <SafeCode text={cron} />
        </span>{' '}
        <span className="muted">{timeZone}</span>
      </>
    ),
  },
  {
    id: 'next',
    title: 'Next',
    cell: ({ nextAt }) => <RelativeTime at={nextAt} />,
    sortBy: (s) => s.nextAt,
  },
  {
    id: 'user',
    title: 'User',
    isSecondary: true,
    cell: ({ caller }) => <SafeText text={caller.userId} />,
    sortBy: (s) => s.caller.userId,
  },
];

const RemoveButton = (props: { readonly schedule: ScheduleRecord; onDone(): void }) => {
  const { api } = useServices();
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const remove = async (): Promise<void> => {
    await api.send('DELETE', `/v1/jobs/schedules/${encodeURIComponent(props.schedule.id)}`);
    toast({ tone: 'good', text: 'The schedule is removed.' });
    props.onDone();
  };
  return (
    <>
      <Button isSmall kind="quiet" icon="trash" onClick={() => setAsking(true)}>
        Remove
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`Remove the schedule ${props.schedule.id}?`}
          confirm="Remove the schedule"
          kind="danger"
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <p>It makes no more jobs. Those that it has made stay.</p>
        </ConfirmDialog>
      )}
    </>
  );
};

const ScheduleList = ({ of }: { readonly of: Loaded<Schedules> }) => {
  const { session } = useServices();
  const remove: Column<ScheduleRecord> = {
    id: 'remove',
    title: '',
    cell: (schedule) => <RemoveButton schedule={schedule} onDone={of.reload} />,
  };
  const columns = session.role === 'viewer' ? COLUMNS : [...COLUMNS, remove];
  return (
    <WhenLoaded of={of}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState icon="jobs" title="Nothing is scheduled">
            <p>
              <code>toolcrib jobs schedule</code> and <code>crib.jobs.schedule</code> make a job
              again and again.
            </p>
          </EmptyState>
        ) : (
          <Table label="Schedules" columns={columns} rows={items} keyOf={({ id }) => id} />
        )
      }
    </WhenLoaded>
  );
};

export const ScheduleTable = () => {
  const { api } = useServices();
  const schedules = useLoad('schedules', () => api.get<Schedules>('/v1/jobs/schedules'));
  return <ScheduleList of={schedules} />;
};
