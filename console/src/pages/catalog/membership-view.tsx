/** The client's side: the team that this machine has joined, its last good sync, and what it enforces. */
import { useMay } from '../../api/services.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { Facts } from '../../components/facts.tsx';
import { count, exactTime } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { hrefOf } from '../../router/route.ts';
import { ChangeView } from '../sources/source-actions.tsx';
import { useSourceRefresh } from '../sources/use-source-refresh.ts';
import type { Member } from './catalog-records.ts';
import { ENTRY_COLUMNS } from './entry-list.tsx';

interface MemberProps {
  readonly member: Member;
  onChanged(): void;
}

const SyncButton = ({ member, onChanged }: MemberProps) => {
  const { isReading, change, readAgain } = useSourceRefresh(member.source, onChanged);
  return (
    <>
      <div className="actions">
        <Button isBusy={isReading} onClick={readAgain}>
          {isReading ? 'Syncing…' : 'Sync now'}
        </Button>
      </div>
      {change && <ChangeView change={change} nothing="The tools are the same as before." />}
    </>
  );
};

const Fault = ({ member }: { readonly member: Member }) => {
  const { fault, serial, isExpired } = member;
  if (serial === undefined) {
    return (
      <div className="note note-bad" role="alert">
        <h3>No bundle can be verified: no call is let through</h3>
        {fault !== undefined && (
          <p>
            <SafeText text={fault} />
          </p>
        )}
        <p>A sync that succeeds repairs it.</p>
      </div>
    );
  }
  if (fault === undefined && !isExpired) return null;
  return (
    <div className="note note-warn">
      <h3>{isExpired ? 'The time of the bundle is over' : 'The last sync failed'}</h3>
      {fault !== undefined && (
        <p>
          <SafeText text={fault} />
        </p>
      )}
      <p>
        {isExpired
          ? 'Its tools are gone until a sync succeeds; its rules stay.'
          : `Bundle ${serial} stays in force.`}
      </p>
    </div>
  );
};

export const NoTeam = () => (
  <EmptyState icon="catalog" title="This machine is in no team">
    <p>
      Get the address of the server and the fingerprint of its key from your team, over two ways,
      then join on the command line.
    </p>
    <CodeBlock
      text={
        'toolcrib secrets set TEAM_CATALOG_TOKEN\ntoolcrib team join https://tools.example.com --key 1f0c:9a77:…'
      }
      label="How to join a team"
    />
  </EmptyState>
);

export const MembershipView = (props: MemberProps) => {
  const { member } = props;
  const maySync = useMay('operator');
  return (
    <>
      <section className="panel" aria-label="Membership">
        <Fault member={member} />
        <Facts
          of={[
            ['Team', <SafeText key="org" text={member.org} />],
            ['Server', <SafeText key="url" text={member.url} />],
            ['Bundle', member.serial ?? <Badge tone="bad">none</Badge>],
            [
              'Last good sync',
              member.syncedAt === undefined ? (
                'never'
              ) : (
                <RelativeTime key="synced" at={member.syncedAt} />
              ),
            ],
            ['Expires', member.expiresAt !== undefined && exactTime(member.expiresAt)],
            ['Entries', count(member.entries.length)],
            ['Key', <SafeCode key="key" text={member.fingerprint} />],
            [
              'Source',
              <a key="source" href={hrefOf(['sources', 'team', member.source])}>
                <SafeText text={member.source} />
              </a>,
            ],
          ]}
        />
        {maySync ? (
          <SyncButton {...props} />
        ) : (
          <p className="muted">It syncs by itself. Operators may sync it now.</p>
        )}
      </section>
      {member.entries.length > 0 && (
        <Table
          label="Entries in force here"
          columns={ENTRY_COLUMNS}
          rows={member.entries}
          keyOf={({ kind, name }) => `${kind}:${name}`}
        />
      )}
    </>
  );
};
