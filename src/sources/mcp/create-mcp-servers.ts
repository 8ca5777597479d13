/** Makes the configured MCP servers: each one a source of tools, all behind the port `Servers`. */
import { ToolFailure } from '../../contract/errors.ts';
import type { Servers } from '../../contract/servers.ts';
import type { Source } from '../../contract/source.ts';
import { createDefinitionCache } from './listing/definition-cache.ts';
import type { McpDeps, ServerSettings } from './server-settings.ts';
import { ServerSource } from './server-source.ts';
import { createServerViews } from './server-views.ts';
import { createWatchdog } from './stdio/watchdog.ts';

export interface UnlistedServer {
  readonly source: Source;
  /** Starts it and waits until its tools are listed, it fails, or time is up. Never rejects. */
  discover(signal: AbortSignal): Promise<void>;
}

export interface McpServers {
  /** One for each server that is switched on. */
  readonly sources: readonly Source[];
  readonly servers: Servers;
  /** Lists the servers whose tools are not known yet. */
  unlisted(): readonly UnlistedServer[];
  /** Ends every server. Closing a source ends its server as well. */
  close(): Promise<void>;
}

/** Starts nothing: a server is started when its definitions or its tools are needed. */
export const createMcpServers = (
  settings: readonly ServerSettings[],
  deps: McpDeps,
): McpServers => {
  const watchdog = createWatchdog(deps.platform);
  const cache = createDefinitionCache(deps.cacheDir);
  const all = settings.map((one) => new ServerSource(one, { ...deps, watchdog, cache }));
  const byName = new Map(all.map((one) => [one.link.settings.name, one]));
  const find = (name: string): ServerSource => {
    const server = byName.get(name);
    if (server) return server;
    throw new ToolFailure('NOT_FOUND', 'There is no MCP server of that name.', {
      suggestions: [`The servers are: ${[...byName.keys()].join(', ') || 'none'}.`],
    });
  };
  return {
    sources: all.filter(({ link }) => link.settings.enabled),
    servers: createServerViews(all, find),
    unlisted: () =>
      all
        .filter(({ link, listing }) => link.settings.enabled && listing === undefined)
        .map((source) => ({ source, discover: (signal) => source.discover(signal) })),
    close: async () => {
      await Promise.all(all.map((one) => one.close()));
      watchdog.close();
    },
  };
};
