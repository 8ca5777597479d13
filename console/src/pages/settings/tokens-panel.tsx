/** The tokens: who may come in, as what, since when. */
import { useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { type Pages, usePages } from '../../api/use-pages.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { useToast } from '../../components/toast.tsx';
import { NewTokenDialog } from './new-token-dialog.tsx';
import type { TokenItem } from './setting-records.ts';
import { boundsText, tokenStatus } from './token-status.ts';

const Moment = ({ at, none }: { readonly at: number | undefined; readonly none: string }) =>
  at === undefined ? <span className="muted">{none}</span> : <RelativeTime at={at} />;

const columnsOf = (
  now: number,
  onRevoke: (token: TokenItem) => void,
): readonly Column<TokenItem>[] => [
  {
    id: 'name',
    title: 'Name',
    cell: (token) => (
      <>
        <strong>
          <SafeText text={token.name} />
        </strong>
        <p className="hint">
          <SafeText text={boundsText(token)} />
        </p>
      </>
    ),
    sortBy: (token) => token.name,
  },
  { id: 'role', title: 'Role', cell: ({ role }) => role, sortBy: (token) => token.role },
  {
    id: 'status',
    title: 'State',
    cell: (token) => {
      const { word, tone } = tokenStatus(token, now);
      return <Badge tone={tone}>{word}</Badge>;
    },
    sortBy: (token) => tokenStatus(token, now).word,
  },
  {
    id: 'used',
    title: 'Last used',
    isSecondary: true,
    cell: ({ lastUsedAt }) => <Moment at={lastUsedAt} none="never" />,
    sortBy: (token) => token.lastUsedAt ?? 0,
  },
  {
    id: 'ends',
    title: 'Ends',
    isSecondary: true,
    cell: ({ expiresAt }) => <Moment at={expiresAt} none="never" />,
    sortBy: (token) => token.expiresAt ?? Number.MAX_SAFE_INTEGER,
  },
  {
    id: 'made',
    title: 'Made',
    isSecondary: true,
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
    sortBy: (token) => token.createdAt,
  },
  {
    id: 'revoke',
    title: 'Action',
    isNumber: true,
    cell: (token) =>
      tokenStatus(token, now).word === 'active' && (
        <Button
          isSmall
          kind="danger"
          onClick={() => onRevoke(token)}
          aria-label={`Revoke ${token.name}`}
        >
          Revoke
        </Button>
      ),
  },
];

interface RevokeProps {
  readonly token: TokenItem;
  onDone(): void;
  onClose(): void;
}

const RevokeDialog = ({ token, onDone, onClose }: RevokeProps) => {
  const { api } = useServices();
  const toast = useToast();
  const revoke = async (): Promise<void> => {
    await api.send('DELETE', `/v1/tokens/${encodeURIComponent(token.id)}`);
    toast({ tone: 'good', text: `${token.name} opens nothing any more.` });
    onDone();
  };
  return (
    <ConfirmDialog
      title={`Revoke ${token.name}?`}
      confirm="Revoke"
      kind="danger"
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>Whoever uses it is shut out at once. It cannot be brought back.</p>
    </ConfirmDialog>
  );
};

const NoTokens = () => (
  <EmptyState icon="settings" title="No tokens yet">
    <p>
      Agents and scripts need one to call tools over HTTP or MCP. Give each its own, with the least
      it needs.
    </p>
  </EmptyState>
);

interface ListProps {
  readonly tokens: Pages<TokenItem>;
  onRevoke(token: TokenItem): void;
}

const TokenList = ({ tokens, onRevoke }: ListProps) => {
  const now = useNow();
  if (tokens.isLoading) return <Skeleton />;
  if (tokens.items.length === 0) {
    return tokens.error ? (
      <ErrorState error={tokens.error} onRetry={tokens.reload} />
    ) : (
      <NoTokens />
    );
  }
  return (
    <div>
      <Table
        label="Tokens"
        columns={columnsOf(now, onRevoke)}
        rows={tokens.items}
        keyOf={({ id }) => id}
      />
      <Pagination of={tokens} one="token" many="tokens" />
    </div>
  );
};

/** Draws the windows beside the list: a new token is shown once, whatever happens to the list. */
export const TokensPanel = () => {
  const tokens = usePages<TokenItem>('/v1/tokens');
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<TokenItem>();
  return (
    <>
      <div className="actions">
        <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
          New token
        </Button>
      </div>
      <TokenList tokens={tokens} onRevoke={setRevoking} />
      {isMaking && <NewTokenDialog onMade={tokens.reload} onClose={() => setMaking(false)} />}
      {revoking && (
        <RevokeDialog
          token={revoking}
          onDone={tokens.reload}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
};
