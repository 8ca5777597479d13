/** Standing permissions: what somebody may do until it is taken back. */
import { useState } from 'react';
import { useMay, useServices } from '../../api/services.tsx';
import { usePages } from '../../api/use-pages.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useToast } from '../../components/toast.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { actionsText, subjectText } from './grant-text.ts';
import type { Grant } from './setting-records.ts';

const COLUMNS: readonly Column<Grant>[] = [
  {
    id: 'subject',
    title: 'Who',
    cell: (grant) => <SafeText text={subjectText(grant)} />,
    sortBy: subjectText,
  },
  {
    id: 'resource',
    title: 'May',
    cell: (grant) => (
      <>
        <code>
          <SafeText text={grant.resource} />
        </code>{' '}
        {grant.skipsApproval && <Badge tone="warn">without asking</Badge>}
        <p className="hint">
          <SafeText text={actionsText(grant)} />
          {grant.condition !== undefined && (
            <>
              {' when '}
              <code>
                <SafeText text={grant.condition} />
              </code>
            </>
          )}
        </p>
      </>
    ),
    sortBy: (grant) => grant.resource,
  },
  {
    id: 'by',
    title: 'Given',
    isSecondary: true,
    cell: ({ by, createdAt, note }) => (
      <>
        by <SafeText text={by} />, <RelativeTime at={createdAt} />
        {note !== undefined && note !== '' && (
          <p className="hint">
            <SafeText text={note} />
          </p>
        )}
      </>
    ),
    sortBy: (grant) => grant.createdAt,
  },
  {
    id: 'ends',
    title: 'Ends',
    isSecondary: true,
    cell: ({ expiresAt }) =>
      expiresAt === undefined ? (
        <span className="muted">never</span>
      ) : (
        <RelativeTime at={expiresAt} />
      ),
    sortBy: (grant) => grant.expiresAt ?? Number.MAX_SAFE_INTEGER,
  },
];

interface RevokeProps {
  readonly grant: Grant;
  onDone(): void;
  onClose(): void;
}

const RevokeDialog = ({ grant, onDone, onClose }: RevokeProps) => {
  const { api } = useServices();
  const toast = useToast();
  const revoke = async (): Promise<void> => {
    await api.send('DELETE', `/v1/permissions/${encodeURIComponent(grant.id)}`);
    toast({ tone: 'good', text: 'The permission was taken back.' });
    onDone();
  };
  return (
    <ConfirmDialog
      title="Take this permission back?"
      confirm="Take it back"
      kind="danger"
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>
        <SafeText text={subjectText(grant)} /> may then use{' '}
        <code>
          <SafeText text={grant.resource} />
        </code>{' '}
        only as the policy says.
      </p>
    </ConfirmDialog>
  );
};

const NoGrants = () => (
  <EmptyState icon="approvals" title="No standing permissions">
    <p>
      They come from approvals that cover the rest of a session or all calls that fit a condition,
      or from <code>toolcrib permissions grant</code>.
    </p>
  </EmptyState>
);

export const GrantsPanel = () => {
  const grants = usePages<Grant>('/v1/permissions');
  const may = useMay('admin');
  const [revoking, setRevoking] = useState<Grant>();
  useReloadOn(['permission.*'], () => !grants.isDeep && grants.reload());
  if (grants.isLoading) return <Skeleton />;
  if (grants.items.length === 0) {
    return grants.error ? (
      <ErrorState error={grants.error} onRetry={grants.reload} />
    ) : (
      <NoGrants />
    );
  }
  const action: Column<Grant> = {
    id: 'revoke',
    title: 'Action',
    isNumber: true,
    cell: (grant) => (
      <Button
        isSmall
        kind="danger"
        disabled={!may}
        title={may ? undefined : 'Admins only'}
        onClick={() => setRevoking(grant)}
        aria-label={`Revoke ${grant.resource} of ${subjectText(grant)}`}
      >
        Revoke
      </Button>
    ),
  };
  return (
    <div>
      <Table
        label="Standing permissions"
        columns={[...COLUMNS, action]}
        rows={grants.items}
        keyOf={({ id }) => id}
      />
      <Pagination of={grants} one="permission" many="permissions" />
      {revoking && (
        <RevokeDialog
          grant={revoking}
          onDone={grants.reload}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </div>
  );
};
