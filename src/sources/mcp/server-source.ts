/**
 * One server as a source of tools. Its cached tools are there at once; the server is listed whenever it
 * starts, and a difference is reported to the watchers.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ServerList } from '../../contract/servers.ts';
import type { Source } from '../../contract/source.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Connection } from './connect-server.ts';
import { buildTool, refusalOf, uncheckedParts } from './listing/build-tool.ts';
import type { DefinitionCache } from './listing/definition-cache.ts';
import { listServer, type ServerListing, type ToolListing } from './listing/list-server.ts';
import { createNotifier } from './notifications.ts';
import { ResourceSubscriptions } from './resource-subscriptions.ts';
import { serverFailure } from './server-failure.ts';
import { ServerLink } from './server-link.ts';
import type { McpDeps, ServerSettings } from './server-settings.ts';
import { briefLimit, discoveryLimit } from './start-limit.ts';
import type { Watchdog } from './stdio/watchdog.ts';

/** Between two listings that notifications of the server cause. */
const MIN_RELIST_PAUSE_MS = 500;

export interface SourceDeps extends McpDeps {
  readonly watchdog: Watchdog;
  readonly cache: DefinitionCache;
}

export class ServerSource implements Source {
  readonly kind = 'mcp';
  readonly label: string;
  readonly link: ServerLink;
  readonly subscriptions: ResourceSubscriptions;
  readonly #deps: SourceDeps;
  readonly #watchers = new Set<() => void>();
  readonly #listWatchers = new Set<(list: ServerList) => void>();
  #listing: ServerListing | undefined = undefined;
  #relisting: Promise<void> | undefined = undefined;
  #isStale = false;
  #writing: Promise<void> = Promise.resolve();
  /** The list that `load` returned last. */
  #loaded: ServerListing['tools'] | undefined = undefined;
  /** The list that was read from the cache. */
  #cached: ServerListing['tools'] | undefined = undefined;
  /** The list whose tools have been warned of. */
  #warned: ServerListing['tools'] | undefined = undefined;

  constructor(settings: ServerSettings, deps: SourceDeps) {
    this.label = `mcp:${settings.name}`;
    this.#deps = deps;
    const notifier = createNotifier({
      runtime: deps.runtime,
      redact: deps.redact,
      notified: (notification) => deps.notified?.(settings.name, notification),
    });
    this.link = new ServerLink(settings, deps, {
      watchdog: deps.watchdog,
      onReady: async (connection) => {
        await this.#list(connection);
        await this.subscriptions.renew(connection);
      },
      onToolsChanged: () => {
        notifier.tell({ method: 'notifications/tools/list_changed' });
        this.#relist();
      },
      onMessage: (params) => notifier.message(params),
      onListChanged: (list) => {
        notifier.tell({ method: `notifications/${list}/list_changed` });
        for (const changed of this.#listWatchers) changed(list);
        this.#relist();
      },
      onResourceUpdated: (uri) => {
        notifier.tell({ method: 'notifications/resources/updated', uri });
        this.subscriptions.updated(uri);
      },
      isAwaited: () => !this.subscriptions.isEmpty,
    });
    this.subscriptions = new ResourceSubscriptions(settings.timeoutMs, deps.runtime);
  }

  redact(text: string): string {
    return this.#deps.redact(text);
  }

  get listing(): ServerListing | undefined {
    return this.#listing;
  }

  /** Waits as `listing` of the dependencies says; tools that come later are reported as a change. */
  async load(): Promise<readonly Tool[]> {
    if (!this.#listing) await this.#readCache();
    if (!this.#listing) await this.#startToList();
    const tools = this.#listing?.tools ?? [];
    this.#loaded = tools;
    // Of a list in the cache it was said when that was new: not before every command.
    if (tools !== this.#cached) this.warnOfTools();
    const { redact } = this.#deps;
    const isCurrent = (tool: ToolListing): boolean => this.#isCurrent(tool, tools);
    return tools.flatMap((tool) => buildTool(tool, this.link, { redact, isCurrent }) ?? []);
  }

  /** Says which of its tools cannot be used, and what of others is left to the server; once a list. */
  warnOfTools(): void {
    const tools = this.#listing?.tools ?? [];
    if (this.#warned === tools) return;
    this.#warned = tools;
    const { log } = this.#deps.runtime;
    const source = this.label;
    for (const tool of tools) {
      const refusal = refusalOf(tool);
      const parts = uncheckedParts(tool).join('; ');
      if (refusal) log.warn('A tool was refused', { source, ...refusal });
      else if (parts !== '') {
        log.warn('Left to the server of a tool', { source, tool: tool.name, parts });
      }
    }
  }

  async #readCache(): Promise<void> {
    const cached = await this.#deps.cache.read(this.link.settings);
    this.#listing ??= cached;
    this.#cached = cached?.tools;
  }

  /** Tells whether the server describes the tool as in the list that it was built from. */
  #isCurrent(tool: ToolListing, from: ServerListing['tools']): boolean {
    const now = this.#listing?.tools;
    if (now === undefined || now === from) return true;
    return isDeepStrictEqual(
      now.find(({ name }) => name === tool.name),
      tool,
    );
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    // Report a change between loading and watching, too.
    if (this.#listing && this.#listing.tools !== this.#loaded) changed();
    return () => this.#watchers.delete(changed);
  }

  /** Lists what the server has now. Fails when it does not answer in time. */
  async refresh(connection: Connection): Promise<void> {
    await this.#list(connection);
  }

  /** Calls back when its resources or prompts may have changed; returns a function that ends it. */
  watchLists(changed: (list: ServerList) => void): () => void {
    this.#listWatchers.add(changed);
    return () => this.#listWatchers.delete(changed);
  }

  async close(): Promise<void> {
    await this.link.close();
    // The last list may still be being written.
    await this.#writing.catch(() => undefined);
  }

  /**
   * Starts a server that was never listed and waits until its tools are listed. One that recently did
   * not answer in as long a time is not started. Never rejects: the state of the link holds the error.
   */
  async discover(signal: AbortSignal): Promise<void> {
    const { settings } = this.link;
    if (this.#listing) return;
    await this.#startUnlessLate(discoveryLimit(settings), signal).catch(() => undefined);
  }

  async #startToList(): Promise<void> {
    const { settings } = this.link;
    const { listing: start = 'waiting' } = this.#deps;
    if (start === 'waiting') await this.#startInTime(settings.startTimeoutMs);
    if (start === 'briefly') await this.#startUnlessLate(briefLimit(settings));
    if (start === 'background') {
      const never = new AbortController().signal;
      // The link stores and logs a failure, and tries again.
      this.link.use(never, async () => undefined).catch(() => undefined);
    }
  }

  async #startUnlessLate(waitMs: number, signal?: AbortSignal): Promise<void> {
    const { cache, runtime } = this.#deps;
    const { settings } = this.link;
    const waitedMs = await cache.readLateness(settings, runtime.now());
    if (waitedMs < waitMs) return this.#startInTime(waitMs, signal);
    this.link.lastError = `did not answer in ${Math.round(waitedMs / 1000)} s`;
  }

  async #startInTime(waitMs: number, signal?: AbortSignal): Promise<void> {
    const { runtime } = this.#deps;
    const { name } = this.link.settings;
    const patience = new AbortController();
    const timer = runtime.after(waitMs, () => patience.abort());
    const until = signal ? AbortSignal.any([patience.signal, signal]) : patience.signal;
    try {
      await this.link.use(until, async () => undefined);
    } catch (error) {
      if (patience.signal.aborted) await this.#noteLate(waitMs);
      else if (signal?.aborted !== true)
        throw serverFailure(error, { server: name, retryable: true, redact: this.#deps.redact });
    } finally {
      timer.cancel();
    }
  }

  async #noteLate(waitedMs: number): Promise<void> {
    const { runtime, cache } = this.#deps;
    const { settings } = this.link;
    this.link.lastError = `no answer in ${Math.round(waitedMs / 1000)} s`;
    await cache.writeLateness(settings, { waitedMs, at: runtime.now() });
    const about = { server: settings.name, waitedMs };
    runtime.log.warn('An MCP server is late; its tools come when it is there', about);
  }

  async #list({ client }: Connection): Promise<void> {
    const { settings } = this.link;
    const listing = await listServer(client, settings.startTimeoutMs);
    const before = this.#listing;
    if (before && isDeepStrictEqual(before, listing)) return;
    this.#listing = listing;
    this.#writing = this.#deps.cache.write(settings, listing);
    await this.#writing;
    if (before && isDeepStrictEqual(before.tools, listing.tools)) return;
    for (const changed of this.#watchers) changed();
  }

  /** Lists one at a time; a change during a listing causes one more. */
  #relist(): void {
    this.#isStale = true;
    this.#relisting ??= this.#listWhileStale().finally(() => {
      this.#relisting = undefined;
    });
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#deps.runtime.after(MIN_RELIST_PAUSE_MS, resolve).keepAlive(false);
    });
  }

  async #listWhileStale(): Promise<void> {
    for (let isFirst = true; this.#isStale; isFirst = false) {
      // Limits the listings of a server that reports changes without end.
      if (!isFirst) await this.#pause();
      this.#isStale = false;
      const { connection } = this.link;
      if (!connection) return;
      await this.#list(connection).catch((error: unknown) => {
        const { name: server } = this.link.settings;
        const reason = this.#deps.redact(String(error));
        this.#deps.runtime.log.warn('The tools of an MCP server could not be listed', {
          server,
          reason,
        });
      });
    }
  }
}
