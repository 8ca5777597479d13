/**
 * An API as a source of tools. What was read last is there at once; its definitions are read when they
 * were never read, when somebody asks, and when a file that they came from changes.
 */
import { type FSWatcher, watch } from 'node:fs';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type {
  BuildDeps,
  ExternalSettings,
  ReadDeps,
  SourceDriver,
} from '../../contract/source-driver.ts';
import type {
  ManagedSource,
  RefusedTool,
  SourceChange,
  SourceState,
  SourceStatus,
} from '../../contract/sources.ts';
import type { Tool, ToolSource } from '../../contract/tool.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import type { CachedReading, ReadingCache } from './reading-cache.ts';

export interface ExternalSourceDeps {
  readonly driver: SourceDriver;
  readonly cache: ReadingCache;
  readonly runtime: Runtime;
  readonly buildDeps: Omit<BuildDeps, 'refuse'>;
  readDeps(settings: ExternalSettings, signal: AbortSignal): ReadDeps;
  /** Releases what reading used. */
  close(): Promise<void>;
}

/** Editors write a file in several steps. */
const QUIET_MS = 150;
/** How long the definitions of a source may take to read at the start. */
const MAX_READ_MS = 60_000;

/** Digests what a model or a person reads of a tool, and what decides how it is governed. */
const digestOfTool = ({ description, documentation, tier, input, output, needs }: Tool): string =>
  digestOf([description, documentation, tier, schemaOf(input), schemaOf(output), needs]);

/** Returns a schema; calls the function where the tool makes it when first needed. */
const schemaOf = (schema: Tool['output']): unknown =>
  typeof schema === 'function' ? schema() : schema;

/** Compares the tools of two readings of a source. */
const changedTools = (before: readonly Tool[], after: readonly Tool[]): SourceChange => {
  const old = new Map(before.map((tool) => [tool.name, digestOfTool(tool)]));
  const names = new Set(after.map(({ name }) => name));
  return {
    added: after.flatMap(({ name }) => (old.has(name) ? [] : [name])),
    removed: [...old.keys()].filter((name) => !names.has(name)),
    changed: after.flatMap((tool) => {
      const digest = old.get(tool.name);
      return digest !== undefined && digest !== digestOfTool(tool) ? [tool.name] : [];
    }),
  };
};

export class ExternalSource implements ManagedSource {
  readonly kind: ToolSource;
  readonly label: string;
  readonly settings: ExternalSettings;
  readonly #deps: ExternalSourceDeps;
  readonly #watchers = new Set<() => void>();
  #reading: CachedReading | undefined = undefined;
  #tools: readonly Tool[] = [];
  #refused: readonly RefusedTool[] = [];
  #lastError: string | undefined = undefined;
  #needsLogin = false;
  #files: readonly FSWatcher[] = [];
  #quiet: Timer | undefined = undefined;
  #isClosed = false;

  constructor(settings: ExternalSettings, deps: ExternalSourceDeps) {
    this.settings = settings;
    this.kind = settings.kind === 'n8n' ? 'workflow' : 'external';
    this.label = `${settings.kind}:${settings.name}`;
    this.#deps = deps;
  }

  /** Rejects when nothing is known of the source and it cannot be read. */
  async load(): Promise<readonly Tool[]> {
    if (!this.#reading) {
      const cached = await this.#deps.cache.read(this.settings);
      const tools = cached && this.#build(cached);
      if (tools) this.#keep(cached, tools);
      else await this.refresh(AbortSignal.timeout(MAX_READ_MS));
    }
    return this.#tools;
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    this.#watchFiles();
    return () => this.#watchers.delete(changed);
  }

  status(): SourceStatus {
    const { name, kind } = this.settings;
    return {
      name,
      kind,
      state: this.#state(),
      location: this.#deps.driver.locationOf(this.settings),
      tools: this.#tools.length,
      refused: this.#refused,
      ...(this.#reading && { readAt: this.#reading.readAt }),
      ...(this.#lastError !== undefined && { lastError: this.#lastError }),
    };
  }

  async refresh(signal: AbortSignal): Promise<SourceChange> {
    const { driver, cache, runtime, readDeps, buildDeps } = this.#deps;
    const before = this.#tools;
    try {
      const read = await driver.read(this.settings, readDeps(this.settings, signal));
      const reading = { ...read, readAt: runtime.now() };
      const tools = this.#build(reading);
      if (!tools) throw new ToolFailure('CONFIG_INVALID', 'Its definitions cannot be read.');
      this.#keep(reading, tools);
      await cache.write(this.settings, reading);
    } catch (error) {
      this.#lastError = buildDeps.redact(reasonOf(error));
      this.#needsLogin = error instanceof ToolFailure && error.code === 'AUTH_MISSING';
      throw error;
    }
    const change = changedTools(before, this.#tools);
    const isChanged = Object.values(change).some((names) => names.length > 0);
    if (isChanged) for (const changed of this.#watchers) changed();
    return change;
  }

  async test(signal: AbortSignal): Promise<void> {
    const { driver, readDeps } = this.#deps;
    const deps = readDeps(this.settings, signal);
    const { definition } = await driver.read(this.settings, deps);
    await driver.ping?.(definition, this.settings, deps);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#quiet?.cancel();
    for (const file of this.#files) file.close();
    this.#files = [];
    await this.#deps.driver.close?.();
    await this.#deps.close();
  }

  #state(): SourceState {
    if (!this.settings.enabled) return 'disabled';
    if (this.#needsLogin) return 'needs_login';
    if (this.#lastError !== undefined) return 'failed';
    return this.#reading ? 'ready' : 'unread';
  }

  #keep(reading: CachedReading, tools: readonly Tool[]): void {
    this.#reading = reading;
    this.#tools = tools;
    this.#lastError = undefined;
    this.#needsLogin = false;
    if (this.#watchers.size > 0) this.#watchFiles();
  }

  #build({ definition }: CachedReading): readonly Tool[] | undefined {
    const refused: RefusedTool[] = [];
    const { driver, buildDeps } = this.#deps;
    const tools = driver.build(definition, this.settings, {
      ...buildDeps,
      refuse: (one) => refused.push(one),
    });
    this.#refused = refused;
    const { rateLimit } = this.settings;
    if (!rateLimit) return tools;
    // No tool is called so.
    const group = `source ${this.label}`;
    return tools?.map((tool) => ({ ...tool, rateLimit: { ...rateLimit, group } }));
  }

  #watchFiles(): void {
    for (const file of this.#files) file.close();
    this.#files = this.#isClosed
      ? []
      : (this.#reading?.files ?? []).flatMap((path) => this.#follow(path));
  }

  #follow(path: string): readonly FSWatcher[] {
    try {
      const watcher = watch(path, { persistent: false }, () => this.#changedSoon());
      watcher.on('error', () => watcher.close());
      return [watcher];
    } catch {
      // A file that is gone is reported by the next reading.
      return [];
    }
  }

  #changedSoon(): void {
    const { runtime } = this.#deps;
    this.#quiet?.cancel();
    this.#quiet = runtime.after(QUIET_MS, () => {
      this.refresh(AbortSignal.timeout(MAX_READ_MS)).catch((error: unknown) => {
        const reason = this.#deps.buildDeps.redact(reasonOf(error));
        runtime.log.warn('A source could not be read again', { source: this.label, reason });
      });
    });
    this.#quiet.keepAlive(false);
  }
}
