/** The entries in force, with the opened one beside them and the way to propose another version. */
import { useState } from 'react';
import { useServices } from '../../api/services.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { hrefOf, useRoute } from '../../router/route.ts';
import type { CatalogEntry } from './catalog-records.ts';
import { kindEffect, kindWord } from './change-text.ts';
import { EntryContent } from './entry-content.tsx';
import { NoteField, noted } from './note-field.tsx';
import { ProposeDialog } from './propose-dialog.tsx';
import { formOf } from './propose-form.ts';
import { useCatalogAction } from './use-catalog-action.ts';

type Named = Pick<CatalogEntry, 'kind' | 'name'>;

export const ENTRY_COLUMNS: readonly Column<Named>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name }) => <SafeText text={name} />,
    sortBy: ({ name }) => name,
  },
  {
    id: 'kind',
    title: 'Kind',
    cell: ({ kind }) => kindWord(kind),
    sortBy: ({ kind }) => kindWord(kind),
  },
  {
    id: 'effect',
    title: 'On clients',
    isSecondary: true,
    cell: ({ kind }) => <span className="muted">{kindEffect(kind)}</span>,
  },
];

interface EntryProps {
  readonly entry: CatalogEntry;
  onChanged(): void;
}

const RemovalDialog = ({ entry, onChanged, onClose }: EntryProps & { onClose(): void }) => {
  const send = useCatalogAction(onChanged);
  const [note, setNote] = useState('');
  const { kind, name } = entry;
  const propose = (): Promise<void> =>
    send(
      '/v1/catalog/proposals',
      { change: { action: 'remove', kind, name }, ...noted(note) },
      () => 'Proposed. Somebody else has to approve it.',
    );
  return (
    <ConfirmDialog
      title={`Propose to remove ${name}?`}
      confirm="Propose the removal"
      onConfirm={propose}
      onClose={onClose}
    >
      <p>It stays in force until the removal is approved and published.</p>
      <NoteField value={note} onChange={setNote} hint="Why. Reviewers see it. Optional." />
    </ConfirmDialog>
  );
};

const EntryView = (props: EntryProps) => {
  const { entry, onChanged } = props;
  const { session } = useServices();
  const [asking, setAsking] = useState<'change' | 'removal'>();
  const close = (): void => setAsking(undefined);
  const hasContent =
    entry.text !== undefined || entry.rule !== undefined || entry.settings !== undefined;
  return (
    <>
      <header className="detail-head">
        <h2>
          <SafeText text={entry.name} />
        </h2>
        <div className="badges">
          <Badge>{kindWord(entry.kind)}</Badge>
        </div>
        <p className="muted">{kindEffect(entry.kind)}</p>
      </header>
      {session.role !== 'viewer' && (
        <div className="actions">
          {hasContent && <Button onClick={() => setAsking('change')}>Propose a change</Button>}
          <Button kind="danger" onClick={() => setAsking('removal')}>
            Propose to remove
          </Button>
        </div>
      )}
      <EntryContent entry={entry} />
      {asking === 'change' && (
        <ProposeDialog start={formOf(entry)} onChanged={onChanged} onClose={close} />
      )}
      {asking === 'removal' && <RemovalDialog {...props} onClose={close} />}
    </>
  );
};

const NoEntries = () => (
  <EmptyState icon="catalog" title="Nothing is published yet">
    <p>
      Clients that join get an empty catalog. Propose an entry, have somebody else approve it, then
      publish it.
    </p>
    <a href={hrefOf(['catalog', 'proposals'])}>Show the proposals</a>
  </EmptyState>
);

const NoSuchEntry = () => (
  <EmptyState icon="search" title="There is no such entry">
    <p>It was never published, or it was removed since.</p>
    <a href={hrefOf(['catalog', 'entries'])}>Show what is published</a>
  </EmptyState>
);

interface ListProps {
  readonly entries: readonly CatalogEntry[];
  onChanged(): void;
}

export const EntryList = ({ entries, onChanged }: ListProps) => {
  const [, kind = '', name = ''] = useRoute().rest;
  const isOpen = (entry: Named): boolean => entry.kind === kind && entry.name === name;
  const entry = entries.find(isOpen);
  if (entries.length === 0) return <NoEntries />;
  return (
    <SplitView
      label={`Entry ${kind} ${name}`}
      back={hrefOf(['catalog', 'entries'])}
      list={
        <Table
          label="Published entries"
          columns={ENTRY_COLUMNS}
          rows={entries}
          keyOf={(each) => `${each.kind}:${each.name}`}
          hrefOf={(each) => hrefOf(['catalog', 'entries', each.kind, each.name])}
          isCurrent={isOpen}
        />
      }
      {...(kind !== '' && {
        detail: entry ? (
          <EntryView key={`${kind} ${name}`} entry={entry} onChanged={onChanged} />
        ) : (
          <NoSuchEntry />
        ),
      })}
    />
  );
};
