/** Servers: the MCP servers whose tools are served here, and how they are. */
import type { Page } from '../../api/call-records.ts';
import { useServices } from '../../api/services.tsx';
import { useLoad } from '../../api/use-load.ts';
import { Badge } from '../../components/badge.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { count, duration } from '../../components/format.ts';
import { SafeText } from '../../components/safe-text.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { EmptyState, WhenLoaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf, useRoute } from '../../router/route.ts';
import { PendingNote, ServerPageActions, useServerConfig } from './server-config.tsx';
import type { ServerStatus } from './server-records.ts';
import { stateMeaning } from './server-state.ts';
import { ServerView } from './server-view.tsx';
import './servers.css';

const MOST = 200;

const COLUMNS: readonly Column<ServerStatus>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name }) => <SafeText text={name} />,
    sortBy: (s) => s.name,
  },
  {
    id: 'state',
    title: 'State',
    cell: (server) => {
      const { tone, word } = stateMeaning(server);
      return <Badge tone={tone}>{word}</Badge>;
    },
    sortBy: (s) => s.state,
  },
  {
    id: 'tools',
    title: 'Tools',
    isNumber: true,
    cell: ({ tools }) => count(tools),
    sortBy: (s) => s.tools,
  },
  {
    id: 'transport',
    title: 'Transport',
    isSecondary: true,
    cell: ({ transport }) => transport,
    sortBy: (s) => s.transport,
  },
  {
    id: 'latency',
    title: 'Latency',
    isNumber: true,
    isSecondary: true,
    cell: ({ latencyMs }) => (latencyMs === undefined ? '–' : duration(latencyMs)),
    sortBy: (s) => s.latencyMs ?? -1,
  },
  {
    id: 'restarts',
    title: 'Restarts',
    isNumber: true,
    isSecondary: true,
    cell: ({ restarts }) => count(restarts),
    sortBy: (s) => s.restarts,
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

const NoServers = () => (
  <EmptyState icon="servers" title="No MCP server is set up">
    <p>
      Add one, and its tools are governed like all others. A program is started as needed; a remote
      server takes <code>--url</code>.
    </p>
    <CodeBlock
      text="toolcrib servers add memory -- npx -y @modelcontextprotocol/server-memory"
      label="How to add a server"
    />
    <p>
      <code>toolcrib servers import</code> takes over those of your editor or desktop client.
    </p>
  </EmptyState>
);

const NoSuchServer = ({ name }: { readonly name: string }) => (
  <EmptyState icon="search" title="There is no such server">
    <p>
      <SafeText text={name} /> is not among those set up.
    </p>
    <a href={hrefOf(['servers'])}>Show all servers</a>
  </EmptyState>
);

export const ServersPage = () => {
  const { api } = useServices();
  const [current = ''] = useRoute().rest;
  const servers = useLoad('servers', () =>
    api.get<Page<ServerStatus>>('/v1/servers', { limit: MOST }),
  );
  const config = useServerConfig();
  useReloadOn(['server.*', 'tool.*'], servers.reload);
  const opened = servers.data?.items.find(({ name }) => name === current);
  const detail = opened ? (
    <ServerView server={opened} config={config} onChanged={servers.reload} />
  ) : (
    <NoSuchServer name={current} />
  );
  return (
    <PageFrame
      title="Servers"
      lead="The MCP servers whose tools are served here."
      actions={<ServerPageActions config={config} />}
    >
      <PendingNote config={config} />
      <WhenLoaded of={servers}>
        {({ items }) =>
          items.length === 0 ? (
            <NoServers />
          ) : (
            <SplitView
              label={`Server ${current}`}
              back={hrefOf(['servers'])}
              list={
                <Table
                  label="Servers"
                  columns={COLUMNS}
                  rows={items}
                  keyOf={({ name }) => name}
                  hrefOf={({ name }) => hrefOf(['servers', name])}
                  isCurrent={({ name }) => name === current}
                />
              }
              {...(current !== '' && { detail })}
            />
          )
        }
      </WhenLoaded>
    </PageFrame>
  );
};
