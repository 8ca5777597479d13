/** Sources: where tools come from besides those that ship, and how each source is. */
import { useState } from 'react';
import type { Page } from '../../api/call-records.ts';
import { useMay, useServices } from '../../api/services.tsx';
import { type Loaded, useLoad } from '../../api/use-load.ts';
import { Button } from '../../components/button.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { PageFrame } from '../../layout/page-frame.tsx';
import { useReloadOn } from '../../live/use-live.ts';
import { hrefOf, useRoute } from '../../router/route.ts';
import { PendingNote, ServerPageActions, useServerConfig } from '../servers/server-config.tsx';
import type { ServerConfig, ServerStatus } from '../servers/server-records.ts';
import { ServerView } from '../servers/server-view.tsx';
import { AddSourceDialog } from './add-source-dialog.tsx';
import type { SourceConfig, SourceStatus } from './source-records.ts';
import { rowsOf } from './source-row.ts';
import { NoSources, NoSuchSource, SourceTable } from './source-table.tsx';
import { SourceView } from './source-view.tsx';
import '../servers/servers.css';

const MAX_ITEMS = 200;

const NONE: SourceConfig = { editable: false, kinds: [], items: [] };

/** Loads the configured sources for admins; does not ask for anybody else. */
const useSourceConfig = (): Loaded<SourceConfig> => {
  const { api } = useServices();
  const may = useMay('admin');
  return useLoad(`source config ${may}`, async () =>
    may ? api.get<SourceConfig>('/v1/sources/config') : NONE,
  );
};

const AddSource = ({
  config,
  onDone,
}: {
  readonly config: SourceConfig | undefined;
  onDone(): void;
}) => {
  const [isOpen, setOpen] = useState(false);
  if (config?.editable !== true || config.kinds.length === 0) return null;
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setOpen(true)}>
        Add a source
      </Button>
      {isOpen && (
        <AddSourceDialog kinds={config.kinds} onDone={onDone} onClose={() => setOpen(false)} />
      )}
    </>
  );
};

interface All {
  readonly servers: readonly ServerStatus[];
  readonly sources: readonly SourceStatus[];
}

const useSources = (): Loaded<All> => {
  const { api } = useServices();
  const all = useLoad('sources', async () => {
    const [servers, sources] = await Promise.all([
      api.get<Page<ServerStatus>>('/v1/servers', { limit: MAX_ITEMS }),
      api.get<Page<SourceStatus>>('/v1/sources', { limit: MAX_ITEMS }),
    ]);
    return { servers: servers.items, sources: sources.items };
  });
  useReloadOn(['server.*', 'tool.*'], all.reload);
  return all;
};

interface DetailProps {
  readonly all: All;
  readonly serverConfig: Loaded<ServerConfig>;
  readonly sourceConfig: SourceConfig | undefined;
  onChanged(): void;
}

/** Shows the opened entry, a server or a source. */
const Detail = ({ all, serverConfig, sourceConfig, onChanged }: DetailProps) => {
  const [kind = '', name = ''] = useRoute().rest;
  const server = kind === 'mcp' && all.servers.find((each) => each.name === name);
  const source = all.sources.find(
    (each) => [each.kind, 'any'].includes(kind) && each.name === name,
  );
  if (server) return <ServerView server={server} config={serverConfig} onChanged={onChanged} />;
  if (source) return <SourceView source={source} config={sourceConfig} onChanged={onChanged} />;
  return <NoSuchSource name={name || kind} />;
};

export const SourcesPage = () => {
  const { rest } = useRoute();
  const all = useSources();
  const serverConfig = useServerConfig();
  const sourceConfig = useSourceConfig();
  const [kind = '', name = ''] = rest;
  const reload = (): void => {
    serverConfig.reload();
    sourceConfig.reload();
    all.reload();
  };
  return (
    <PageFrame
      title="Sources"
      lead="The MCP servers, APIs and workflows whose tools are served here."
      actions={
        <>
          <AddSource config={sourceConfig.data} onDone={reload} />
          <ServerPageActions config={{ ...serverConfig, reload }} />
        </>
      }
    >
      <PendingNote config={serverConfig} />
      <WhenLoaded of={all}>
        {({ servers, sources }) =>
          servers.length + sources.length === 0 ? (
            <NoSources />
          ) : (
            <SplitView
              label={`Source ${name}`}
              back={hrefOf(['sources'])}
              list={<SourceTable rows={rowsOf(servers, sources)} />}
              {...(kind !== '' && {
                detail: (
                  <Detail
                    all={{ servers, sources }}
                    serverConfig={{ ...serverConfig, reload }}
                    sourceConfig={sourceConfig.data}
                    onChanged={reload}
                  />
                ),
              })}
            />
          )
        }
      </WhenLoaded>
    </PageFrame>
  );
};
