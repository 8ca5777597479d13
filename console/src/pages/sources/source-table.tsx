/** The columns of the sources page, and what it says when there is nothing to show. */
import { Badge } from '../../components/badge.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { count } from '../../components/format.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { SafeText } from '../../components/safe-text.tsx';
import { EmptyState } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { hrefOf, useRoute } from '../../router/route.ts';
import type { SourceRow } from './source-row.ts';

const COLUMNS: readonly Column<SourceRow>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name, kind }) => (
      <>
        <SafeText text={name} />
        <span className="narrow-only">
          <span className="row-note">{kind}</span>
        </span>
      </>
    ),
    sortBy: (row) => row.name,
  },
  {
    id: 'kind',
    title: 'Kind',
    isSecondary: true,
    cell: ({ kind }) => kind,
    sortBy: (row) => row.kind,
  },
  {
    id: 'state',
    title: 'State',
    cell: ({ state }) => <Badge tone={state.tone}>{state.word}</Badge>,
    sortBy: (row) => row.state.word,
  },
  {
    id: 'tools',
    title: 'Tools',
    isNumber: true,
    cell: ({ tools }) => count(tools),
    sortBy: (row) => row.tools,
  },
  {
    id: 'refused',
    title: 'Refused',
    isNumber: true,
    isSecondary: true,
    cell: ({ refused }) => (refused === 0 ? '–' : count(refused)),
    sortBy: (row) => row.refused,
  },
  {
    id: 'at',
    title: 'Last read',
    isSecondary: true,
    cell: ({ at }) => (at === undefined ? '–' : <RelativeTime at={at} />),
    sortBy: (row) => row.at ?? 0,
  },
  {
    id: 'error',
    title: 'Last error',
    isSecondary: true,
    cell: ({ lastError }) => (
      <span className="clipped">{lastError ? <SafeText text={lastError} /> : '–'}</span>
    ),
  },
];

export const SourceTable = ({ rows }: { readonly rows: readonly SourceRow[] }) => {
  const [kind = '', name = ''] = useRoute().rest;
  return (
    <Table
      label="Sources"
      columns={COLUMNS}
      rows={rows}
      keyOf={(row) => `${row.kind}:${row.name}`}
      hrefOf={(row) => hrefOf(['sources', row.kind, row.name])}
      isCurrent={(row) =>
        (row.kind === kind || (kind === 'any' && row.kind !== 'mcp')) && row.name === name
      }
    />
  );
};

export const NoSources = () => (
  <EmptyState icon="servers" title="No source of tools is set up">
    <p>
      Add an MCP server or an API, and its tools are governed like all others. Its kind is found out
      from the address.
    </p>
    <CodeBlock
      text="toolcrib add https://example.com/openapi.json --dry-run"
      label="How to add a source"
    />
    <p>
      <code>toolcrib servers import</code> takes over the MCP servers of your editor or desktop
      client.
    </p>
  </EmptyState>
);

export const NoSuchSource = ({ name }: { readonly name: string }) => (
  <EmptyState icon="search" title="There is no such source">
    <p>
      <SafeText text={name} /> is not among those set up.
    </p>
    <a href={hrefOf(['sources'])}>Show all sources</a>
  </EmptyState>
);
