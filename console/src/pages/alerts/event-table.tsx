/** What fired and resolved, newest first, and whether it was told. */
import type { AlertDeliveryRecord, AlertEventRecord } from '../../api/alert-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { usePolling } from '../../live/use-polling.ts';

const WORDS = { 'alert.fired': 'fired', 'alert.resolved': 'resolved', 'alert.tested': 'tested' };

/** Numbers the deliveries: an alert may have the same action twice. */
const numbered = (of: readonly AlertDeliveryRecord[]) =>
  of.map((delivery, at) => ({ ...delivery, key: `${at} ${delivery.action}` }));

export const Deliveries = ({ of }: { readonly of: readonly AlertDeliveryRecord[] }) => (
  <ul className="plain-list">
    {numbered(of).map(({ action, state, problem, key }) => (
      <li key={key}>
        <span className="one-line">{action}</span> <StatusBadge status={state} />
        {problem !== undefined && (
          <span className="row-note">
            <SafeText text={problem} />
          </span>
        )}
      </li>
    ))}
  </ul>
);

const COLUMNS: readonly Column<AlertEventRecord>[] = [
  {
    id: 'what',
    title: 'What',
    cell: ({ type, alert, subject, summary }) => (
      <>
        <Badge tone={type === 'alert.fired' ? 'bad' : 'good'}>{WORDS[type]}</Badge>{' '}
        <SafeText text={subject === '' ? alert : `${alert}: ${subject}`} />
        <span className="row-note">
          <SafeText text={summary} />
        </span>
      </>
    ),
  },
  {
    id: 'told',
    title: 'Sent by',
    cell: ({ silenced, deliveries }) =>
      silenced ? <Badge tone="info">silenced</Badge> : <Deliveries of={deliveries} />,
  },
  { id: 'at', title: 'When', cell: ({ at }) => <RelativeTime at={at} />, sortBy: ({ at }) => at },
];

export const EventTable = ({ alert }: { readonly alert?: string }) => {
  const { api } = useServices();
  const query = alert === undefined ? 'limit=100' : `limit=20&alert=${encodeURIComponent(alert)}`;
  const events = useLoad(`alert events ${query}`, () =>
    api.get<{ readonly items: readonly AlertEventRecord[] }>(`/v1/alerts/history?${query}`),
  );
  usePolling(events.reload);
  useReloadOn(['alert.fired', 'alert.resolved'], events.reload);
  return (
    <WhenLoaded of={events}>
      {({ items }) =>
        items.length === 0 ? (
          <EmptyState icon="check" title="Nothing has fired" />
        ) : (
          <Table label="What fired" columns={COLUMNS} rows={items} keyOf={({ id }) => id} />
        )
      }
    </WhenLoaded>
  );
};
