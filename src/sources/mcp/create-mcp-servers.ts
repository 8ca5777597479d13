/** Makes the configured MCP servers: each one a source of tools, all behind the port `Servers`. */
import { ToolFailure } from '../../contract/errors.ts';
import type { ServerList } from '../../contract/servers.ts';
import type { Source } from '../../contract/source.ts';
import { createDefinitionCache } from './listing/definition-cache.ts';
import type { McpDeps, ServerSettings } from './server-settings.ts';
import { ServerSource } from './server-source.ts';
import { createServerViews, type ServerViews } from './server-views.ts';
import { createWatchdog } from './stdio/watchdog.ts';

export interface UnlistedServer {
  readonly source: Source;
  /** Starts it and waits until its tools are listed, it fails, or time is up. Never rejects. */
  discover(signal: AbortSignal): Promise<void>;
}

export interface McpServers {
  /** One for each server that is switched on. */
  readonly sources: readonly Source[];
  readonly servers: ServerViews;
  /** Lists the servers whose tools are not known yet. */
  unlisted(): readonly UnlistedServer[];
  /** Adds a server; starts nothing. Throws CONFLICT for a name that is taken. */
  add(settings: ServerSettings): Source;
  /** Takes a server out of all lists; the caller closes it. Throws NOT_FOUND. */
  remove(name: string): Source;
  /** Ends every server. Closing a source ends its server as well. */
  close(): Promise<void>;
}

/** The servers by name, and who watches their lists. */
class KnownServers {
  readonly #byName = new Map<string, ServerSource>();
  readonly #watchers = new Set<(list: ServerList) => void>();

  all(): readonly ServerSource[] {
    return [...this.#byName.values()];
  }

  find(name: string): ServerSource {
    const server = this.#byName.get(name);
    if (server) return server;
    throw new ToolFailure('NOT_FOUND', 'There is no MCP server of that name.', {
      suggestions: [`The servers are: ${[...this.#byName.keys()].join(', ') || 'none'}.`],
    });
  }

  add(source: ServerSource): ServerSource {
    const { name } = source.link.settings;
    if (this.#byName.has(name)) {
      throw new ToolFailure('CONFLICT', `There is a server ${name} already.`, {
        suggestions: ['Choose another name, or disconnect the server first.'],
      });
    }
    this.#byName.set(name, source);
    source.watchLists((list) => {
      for (const changed of this.#watchers) changed(list);
    });
    return source;
  }

  remove(name: string): ServerSource {
    const source = this.find(name);
    this.#byName.delete(name);
    return source;
  }

  watch(changed: (list: ServerList) => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }
}

/** Starts nothing: a server is started when its definitions or its tools are needed. */
export const createMcpServers = (
  settings: readonly ServerSettings[],
  deps: McpDeps,
): McpServers => {
  const watchdog = createWatchdog(deps.platform);
  const cache = createDefinitionCache(deps.cacheDir);
  const servers = new KnownServers();
  const add = (one: ServerSettings): ServerSource =>
    servers.add(new ServerSource(one, { ...deps, watchdog, cache }));
  const enabled = (): readonly ServerSource[] =>
    servers.all().filter(({ link }) => link.settings.enabled);
  for (const one of settings) add(one);
  return {
    sources: enabled(),
    servers: {
      ...createServerViews(
        () => servers.all(),
        (name) => servers.find(name),
      ),
      watch: (changed) => servers.watch(changed),
    },
    unlisted: () =>
      enabled()
        .filter(({ listing }) => listing === undefined)
        .map((source) => ({ source, discover: (signal) => source.discover(signal) })),
    add,
    remove: (name) => servers.remove(name),
    close: async () => {
      await Promise.all(servers.all().map((one) => one.close()));
      watchdog.close();
    },
  };
};
