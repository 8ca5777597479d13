/**
 * The member `servers` of a crib: those of the configuration, and those that are connected while it is
 * open. The driver is loaded when the configuration names a server or a program connects one.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { NewServerConfig, ServerList, Servers } from '../../contract/servers.ts';
import type { Source } from '../../contract/source.ts';
import { NO_SERVERS, noServer } from '../../sources/mcp/no-servers.ts';
import type { ServerViews } from '../../sources/mcp/server-views.ts';
import type { OpenedMcpServers, ServerConfig } from '../open-mcp-servers.ts';

export interface ConnectedServersDeps {
  /** Set when the configuration names a server: opened at the start then. */
  readonly opened: OpenedMcpServers | undefined;
  /** Loads the driver; called once, when nothing was opened at the start. */
  open(): Promise<OpenedMcpServers>;
  /** Why no server may be started; `undefined` when they may. */
  readonly off: string | undefined;
  readonly registry: {
    load(sources: readonly Source[]): Promise<unknown>;
    unload(source: Source): Promise<void>;
  };
}

export interface ConnectedServers extends Pick<OpenedMcpServers, 'sources' | 'unlisted'> {
  readonly servers: ServerConnections;
}

/** The servers below the calls: nobody has judged what is asked of them here. */
export type ServerConnections = ServerViews & Pick<Servers, 'connect' | 'disconnect'>;

/** Checks settings as the configuration would. */
const checkedServer = async ({
  name,
  ...own
}: NewServerConfig): Promise<readonly [string, ServerConfig]> => {
  const { parseConfig } = await import('../../config/load/parse-config.ts');
  const { mcp } = parseConfig({ mcp: { servers: { [name]: own } } });
  return [name, { ...mcp.servers[name], enabled: true }];
};

export const connectedServers = (deps: ConnectedServersDeps): ConnectedServers => {
  const { off, registry } = deps;
  const watchers = new Set<(list: ServerList) => void>();
  const announce = (list: ServerList): void => {
    for (const changed of watchers) changed(list);
  };
  let opened = deps.opened;
  let opening: Promise<OpenedMcpServers> | undefined;
  opened?.servers.watch(announce);
  const open = async (): Promise<OpenedMcpServers> => {
    if (opened) return opened;
    opening ??= deps.open();
    const fresh = await opening;
    if (!opened) fresh.servers.watch(announce);
    opened = fresh;
    return opened;
  };
  const now = (): ServerViews => opened?.servers ?? NO_SERVERS;
  const withdraw = async (name: string): Promise<void> => {
    if (!opened) throw noServer();
    await registry.unload(opened.remove(name));
  };
  return {
    sources: opened?.sources ?? [],
    unlisted: () => opened?.unlisted() ?? [],
    servers: {
      ...viewsOf(now),
      watch: (changed) => {
        watchers.add(changed);
        return () => watchers.delete(changed);
      },
      connect: async (server) => {
        if (off !== undefined) throw new ToolFailure('PERMISSION_DENIED', off);
        const checked = await checkedServer(server);
        const mcp = await open();
        const source = mcp.add(...checked);
        try {
          const status = await mcp.servers.test(server.name);
          await registry.load([source]);
          return status;
        } catch (error) {
          await withdraw(server.name);
          throw error;
        }
      },
      disconnect: withdraw,
    },
  };
};

/** Makes views that ask the servers of the moment. */
const viewsOf = (now: () => ServerViews): Omit<ServerViews, 'watch'> => ({
  list: () => now().list(),
  test: (name) => now().test(name),
  logs: (name) => now().logs(name),
  restart: (name) => now().restart(name),
  request: (name, request) => now().request(name, request),
  timeoutMs: (server) => now().timeoutMs(server),
  resources: (server) => now().resources(server),
  readResource: (...request) => now().readResource(...request),
  templates: (server) => now().templates(server),
  complete: (...request) => now().complete(...request),
  subscribe: (...request) => now().subscribe(...request),
  prompts: (server) => now().prompts(server),
  getPrompt: (...request) => now().getPrompt(...request),
});
