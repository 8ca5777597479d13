/** Catalog: what this server publishes for a team and its review, and the team that this machine is in. */
import { useState } from 'react';
import type { Page } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { count } from '../../components/format.ts';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { type Tab, Tabs } from '../../components/tabs.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { usePolling } from '../../live/use-polling.ts';
import { goTo, hrefOf, useRoute } from '../../router/route.ts';
import { BundleHistory } from './bundle-history.tsx';
import type { Overview, PublishedBundle, TeamStatus } from './catalog-records.ts';
import { EntryList } from './entry-list.tsx';
import { MembershipView, NoTeam } from './membership-view.tsx';
import { ProposalList } from './proposal-list.tsx';
import { ProposeDialog } from './propose-dialog.tsx';
import { NEW_FORM } from './propose-form.ts';
import { PublishPanel } from './publish-panel.tsx';
import { useReloadWith } from './use-reload-with.ts';

type Published = NonNullable<TeamStatus['catalog']>;

/** Changes with every step of the review, so that what is shown is loaded again. */
const versionOf = ({ serial, open, approved }: Published): string =>
  `${serial} ${open} ${approved}`;

const tabsOf = ({ catalog }: TeamStatus): readonly Tab[] => [
  ...(catalog
    ? [
        {
          id: 'proposals',
          title: catalog.open === 0 ? 'Proposals' : `Proposals (${count(catalog.open)})`,
        },
        { id: 'entries', title: 'Published' },
        { id: 'history', title: 'History' },
      ]
    : []),
  { id: 'team', title: 'Your team' },
];

/** Loads the bundle in force, which is the newest of the history. */
const usePublished = (version: string) => {
  const { api } = useServices();
  const published = useLoad('catalog', async () => {
    const [overview, { items }] = await Promise.all([
      api.get<Overview>('/v1/catalog'),
      api.get<Page<PublishedBundle>>('/v1/catalog/history', { limit: 1 }),
    ]);
    return { overview, latest: items[0] };
  });
  useReloadWith(version, published.reload);
  return published;
};

interface PublishedProps {
  readonly catalog: Published;
  readonly tab: string;
  onChanged(): void;
}

const PublishedViews = ({ catalog, tab, onChanged }: PublishedProps) => {
  const version = versionOf(catalog);
  const published = usePublished(version);
  const reload = (): void => {
    published.reload();
    onChanged();
  };
  return (
    <WhenLoaded of={published}>
      {({ overview, latest }) => (
        <>
          <PublishPanel overview={overview} latest={latest} onChanged={reload} />
          {tab === 'proposals' && <ProposalList version={version} onChanged={reload} />}
          {tab === 'entries' && <EntryList entries={overview.entries} onChanged={reload} />}
          {tab === 'history' && (
            <BundleHistory serial={overview.serial} version={version} onChanged={reload} />
          )}
        </>
      )}
    </WhenLoaded>
  );
};

const NoCatalog = () => (
  <EmptyState icon="catalog" title="No catalog of a team is in use here">
    <p>
      A team shares reviewed tools and rules. Join one on the command line, with the address and the
      key that its people gave you:
    </p>
    <CodeBlock
      text="toolcrib team join https://tools.example.com --key 1f0c:9a77:…"
      label="How to join a team"
    />
    <p>
      To publish a catalog from this server, name the organisation in its configuration and restart
      it:
    </p>
    <CodeBlock text={'server:\n  catalog:\n    org: acme'} label="How to publish a catalog" />
  </EmptyState>
);

const ProposeButton = ({ onChanged }: { onChanged(): void }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        Propose
      </Button>
      {isOpen && (
        <ProposeDialog start={NEW_FORM} onChanged={onChanged} onClose={() => setOpen(false)} />
      )}
    </>
  );
};

interface ContentProps {
  readonly status: TeamStatus;
  onChanged(): void;
}

const Content = ({ status, onChanged }: ContentProps) => {
  const { rest } = useRoute();
  const { catalog, member } = status;
  const tabs = tabsOf(status);
  const selected = tabs.find(({ id }) => id === rest[0])?.id ?? tabs[0]?.id ?? 'team';
  if (!catalog && !member) return <NoCatalog />;
  return (
    <Tabs
      label="Catalog"
      tabs={tabs}
      selected={selected}
      onSelect={(id) => goTo(hrefOf(['catalog', id]))}
    >
      {catalog && selected !== 'team' && (
        <PublishedViews catalog={catalog} tab={selected} onChanged={onChanged} />
      )}
      {selected === 'team' &&
        (member ? <MembershipView member={member} onChanged={onChanged} /> : <NoTeam />)}
    </Tabs>
  );
};

export const CatalogPage = () => {
  const { api, session } = useServices();
  const status = useLoad('team', () => api.get<TeamStatus>('/v1/team'));
  // No event tells of a proposal: other people make them, perhaps over another process.
  usePolling(status.reload);
  const mayPropose = status.data?.catalog !== undefined && session.role !== 'viewer';
  return (
    <PageFrame
      title="Catalog"
      lead="The tools and rules that a team shares: proposed, approved by somebody else, published."
      {...(mayPropose && { actions: <ProposeButton onChanged={status.reload} /> })}
    >
      <WhenLoaded of={status}>
        {(data) => <Content status={data} onChanged={status.reload} />}
      </WhenLoaded>
    </PageFrame>
  );
};
