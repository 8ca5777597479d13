/** The proposals of a catalog, by state, with the opened one beside them. */
import { usePages } from '../../api/use-pages.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { FilterSelect } from '../../components/field.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { choiceOf, hrefOf, replaceRoute, useRoute } from '../../router/route.ts';
import { PROPOSAL_STATES, type Proposal } from './catalog-records.ts';
import { changeVerb, entryOf } from './change-text.ts';
import { ProposalView } from './proposal-view.tsx';
import { useReloadWith } from './use-reload-with.ts';

const ANY = 'any';

const COLUMNS: readonly Column<Proposal>[] = [
  {
    id: 'change',
    title: 'Change',
    cell: ({ change }) => {
      const { name } = entryOf(change);
      return (
        <>
          <SafeText text={name} />
          <span className="row-note">{changeVerb(change)}</span>
        </>
      );
    },
    sortBy: ({ change }) => entryOf(change).name,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state }) => <StatusBadge status={state} />,
    sortBy: ({ state }) => state,
  },
  {
    id: 'by',
    title: 'Proposed by',
    cell: ({ proposedBy }) => <SafeText text={proposedBy} />,
    sortBy: ({ proposedBy }) => proposedBy,
  },
  {
    id: 'decided',
    title: 'Decided by',
    isSecondary: true,
    cell: ({ decidedBy }) => (decidedBy === undefined ? '–' : <SafeText text={decidedBy} />),
    sortBy: ({ decidedBy }) => decidedBy ?? '',
  },
  {
    id: 'at',
    title: 'Proposed',
    isSecondary: true,
    cell: ({ proposedAt }) => <RelativeTime at={proposedAt} />,
    sortBy: ({ proposedAt }) => proposedAt,
  },
];

const NoProposals = ({ state }: { readonly state: string }) =>
  state === 'open' || state === ANY ? (
    <EmptyState
      icon="catalog"
      title={state === ANY ? 'Nothing was proposed yet' : 'Nothing waits for review'}
    >
      <p>
        Anybody but a viewer proposes a tool, an API or a rule; somebody else approves it, and an
        admin publishes it.
      </p>
      <CodeBlock
        text="toolcrib team propose tool .toolcrib/tools/lint.yml"
        label="How to propose a tool"
      />
      {state !== ANY && (
        <a href={hrefOf(['catalog', 'proposals'], { state: ANY })}>Show all proposals</a>
      )}
    </EmptyState>
  ) : (
    <EmptyState icon="search" title={`No proposal is ${state}`}>
      <a href={hrefOf(['catalog', 'proposals'], { state: ANY })}>Show all proposals</a>
    </EmptyState>
  );

interface ListProps {
  /** Changes whenever the catalog does. */
  readonly version: string;
  onChanged(): void;
}

const List = ({ version, state, open }: { version: string; state: string; open: string }) => {
  const pages = usePages<Proposal>('/v1/catalog/proposals', {
    ...(state !== ANY && { state }),
  });
  // Who reads far down must not have the list pulled away.
  useReloadWith(version, () => !pages.isDeep && pages.reload());
  if (pages.isLoading) return <Skeleton />;
  if (pages.error && pages.items.length === 0) {
    return <ErrorState error={pages.error} onRetry={pages.reload} />;
  }
  if (pages.items.length === 0) return <NoProposals state={state} />;
  return (
    <>
      <Table
        label="Proposals"
        columns={COLUMNS}
        rows={pages.items}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => hrefOf(['catalog', 'proposals', id], { state })}
        isCurrent={({ id }) => id === open}
      />
      <Pagination of={pages} one="proposal" many="proposals" />
    </>
  );
};

export const ProposalList = ({ version, onChanged }: ListProps) => {
  const { rest, query } = useRoute();
  const open = rest[1] ?? '';
  const state = choiceOf(query.state, [...PROPOSAL_STATES, ANY]) || 'open';
  const choose = (next: string): void =>
    replaceRoute(hrefOf(['catalog', 'proposals', ...(open === '' ? [] : [open])], { state: next }));
  return (
    <SplitView
      label={`Proposal ${open}`}
      back={hrefOf(['catalog', 'proposals'], { state })}
      list={
        <>
          <div className="filters">
            <FilterSelect
              label="State"
              value={state}
              options={[...PROPOSAL_STATES, ANY].map((each) => [each, each] as const)}
              onChange={choose}
            />
          </div>
          <List version={version} state={state} open={open} />
        </>
      }
      {...(open !== '' && {
        detail: <ProposalView key={open} id={open} version={version} onChanged={onChanged} />,
      })}
    />
  );
};
