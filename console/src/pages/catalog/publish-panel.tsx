/** What is published now, by whom and when, and the way to publish what was approved. */
import { useState } from 'react';
import type { Page } from '../../api/call-records.ts';
import { useMay, useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Facts } from '../../components/facts.tsx';
import { count, exactTime } from '../../components/format.ts';
import { RelativeTime, useNow } from '../../components/relative-time.tsx';
import { SafeCode } from '../../components/safe-code.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import type { Overview, Proposal, PublishedBundle } from './catalog-records.ts';
import { changeVerb, entryOf } from './change-text.ts';
import { NoteField, noted } from './note-field.tsx';
import { useCatalogAction } from './use-catalog-action.ts';

interface PanelProps {
  readonly overview: Overview;
  readonly latest: PublishedBundle | undefined;
  onChanged(): void;
}

/** Names who approved each proposal: the publisher relies on them. */
const ApprovedList = ({ proposals }: { readonly proposals: readonly Proposal[] }) => (
  <ul className="plain-list" aria-label="What is published">
    {proposals.map(({ id, change, proposedBy, decidedBy }) => (
      <li key={id}>
        {changeVerb(change)} <SafeCode text={entryOf(change).name} />{' '}
        <span className="muted">
          proposed by <SafeText text={proposedBy} />
          {decidedBy !== undefined && (
            <>
              , approved by <SafeText text={decidedBy} />
            </>
          )}
        </span>
      </li>
    ))}
  </ul>
);

const Approved = () => {
  const { api } = useServices();
  const approved = useLoad('approved proposals', () =>
    api.get<Page<Proposal>>('/v1/catalog/proposals', { state: 'approved', limit: 200 }),
  );
  return <WhenLoaded of={approved}>{({ items }) => <ApprovedList proposals={items} />}</WhenLoaded>;
};

const publishedText = ({ serial, entries }: PublishedBundle): string =>
  `Bundle ${serial} is published: ${entries === 1 ? '1 entry' : `${count(entries)} entries`}.`;

interface DialogProps extends Pick<PanelProps, 'overview' | 'onChanged'> {
  onClose(): void;
}

const PublishDialog = ({ overview, onChanged, onClose }: DialogProps) => {
  const send = useCatalogAction(onChanged);
  const [note, setNote] = useState('');
  const isRenewal = overview.approved === 0;
  const publish = (): Promise<void> =>
    send(
      '/v1/catalog/publish',
      { ...noted(note), ...(isRenewal && { renew: true }) },
      publishedText,
    );
  return (
    <ConfirmDialog
      title={isRenewal ? 'Publish the same content again?' : `Publish ${overview.approved}?`}
      confirm="Publish"
      onConfirm={publish}
      onClose={onClose}
    >
      {isRenewal ? (
        <p>A new bundle with the entries in force is signed. Its time begins anew.</p>
      ) : (
        <>
          <p>Bundle {overview.serial + 1} is signed. Clients take it in at their next sync.</p>
          <Approved />
        </>
      )}
      <NoteField value={note} onChange={setNote} hint="Shown in the history. Optional." />
    </ConfirmDialog>
  );
};

const PublishActions = ({ overview, latest, onChanged }: PanelProps) => {
  const mayPublish = useMay('admin');
  const [isOpen, setOpen] = useState(false);
  const { approved } = overview;
  const waiting = `${count(approved)} approved ${approved === 1 ? 'proposal is' : 'proposals are'} not published yet.`;
  // A bundle without an end never needs another one with the same content.
  const isOffered = approved > 0 || latest?.expiresAt !== undefined;
  return (
    <>
      {approved > 0 && (
        <p className="note note-warn">
          {waiting} {!mayPublish && 'An admin publishes them.'}
        </p>
      )}
      {mayPublish && isOffered && (
        <div className="actions">
          <Button kind={approved > 0 ? 'primary' : 'plain'} onClick={() => setOpen(true)}>
            {approved > 0
              ? `Publish ${approved === 1 ? '1 proposal' : `${approved} proposals`}`
              : 'Renew'}
          </Button>
        </div>
      )}
      {isOpen && (
        <PublishDialog overview={overview} onChanged={onChanged} onClose={() => setOpen(false)} />
      )}
    </>
  );
};

const Expiry = ({ at }: { readonly at: number }) => {
  const isOver = at < useNow();
  return (
    <>
      <time dateTime={new Date(at).toISOString()}>{exactTime(at)}</time>{' '}
      {isOver && <Badge tone="bad">over</Badge>}
    </>
  );
};

export const PublishPanel = (props: PanelProps) => {
  const { overview, latest } = props;
  return (
    <section className="panel" aria-label="What is published">
      <Facts
        of={[
          ['Organisation', <SafeText key="org" text={overview.org} />],
          [
            'Published',
            latest ? (
              <>
                bundle {overview.serial}, <RelativeTime at={latest.publishedAt} /> by{' '}
                <SafeText text={latest.publishedBy} />
              </>
            ) : (
              'nothing yet'
            ),
          ],
          ['Entries', count(overview.entries.length)],
          ['Expires', latest?.expiresAt !== undefined && <Expiry at={latest.expiresAt} />],
          ['Key', <SafeCode key="key" text={overview.fingerprint} />],
        ]}
      />
      <PublishActions {...props} />
    </section>
  );
};
