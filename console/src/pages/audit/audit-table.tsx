/** The rows of the trail, newest first. */
import type { AuditRow } from '../../api/call-records.ts';
import { Badge, StatusBadge, TierBadge } from '../../components/badge.tsx';
import { duration } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { hrefOf } from '../../router/route.ts';
import type { AuditFilter } from './audit-filter.ts';

const Named = ({ text }: { readonly text: string }) => (
  <span className="name">
    <SafeText text={text || '–'} />
  </span>
);

/** Names an event without a tool, such as `permission.granted`. */
const eventOf = ({ event }: AuditRow['detail']): string => (typeof event === 'string' ? event : '');

const COLUMNS: readonly Column<AuditRow>[] = [
  { id: 'seq', title: 'Row', cell: ({ seq }) => <span className="whole">{seq}</span> },
  { id: 'at', title: 'When', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'tool',
    title: 'Tool or event',
    cell: ({ tool, detail }) => <Named text={tool || eventOf(detail)} />,
  },
  {
    id: 'status',
    title: 'Status',
    cell: ({ status, code }) => (
      <span className="badges">
        <StatusBadge status={status} />
        {code !== '' && <code className="secondary-inline">{code}</code>}
      </span>
    ),
  },
  { id: 'kind', title: 'Kind', isSecondary: true, cell: ({ kind }) => <Badge>{kind}</Badge> },
  { id: 'tier', title: 'Risk', isSecondary: true, cell: ({ tier }) => <TierBadge tier={tier} /> },
  {
    id: 'user',
    title: 'User',
    isSecondary: true,
    cell: ({ userId }) => <Named text={userId} />,
  },
  {
    id: 'took',
    title: 'Took',
    isNumber: true,
    isSecondary: true,
    cell: ({ kind, durationMs }) => (kind === 'outcome' ? duration(durationMs) : '–'),
  },
];

interface AuditTableProps {
  readonly rows: readonly AuditRow[];
  readonly filter: AuditFilter;
  readonly current: string;
}

export const AuditTable = ({ rows, filter, current }: AuditTableProps) => (
  <Table
    label="Audit rows"
    columns={COLUMNS}
    rows={rows}
    keyOf={({ seq }) => String(seq)}
    hrefOf={({ seq }) => hrefOf(['audit', String(seq)], filter)}
    isCurrent={({ seq }) => String(seq) === current}
  />
);
