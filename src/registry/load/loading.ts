/** Loads sources, keeps the last report of each, reloads those that change, and closes them all. */
import type { LoadReport } from '../../contract/catalog.ts';
import type { Events } from '../../contract/events.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Source } from '../../contract/source.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { announce } from '../editing.ts';
import { type Gate, isFromOutside, judgeLoaded } from '../lock/gate.ts';
import type { ToolFamilies } from '../tool-families.ts';
import { cleanUp } from '../versions.ts';
import { type Loaded, loadSources, removeSource } from './load-sources.ts';

export interface Loading {
  load(sources: readonly Source[]): Promise<readonly LoadReport[]>;
  /** Removes the tools of a source and closes it. Never rejects. */
  unload(source: Source): Promise<void>;
  /** Loads sources again that report a change, from now on and also those that are loaded later. */
  watch(): void;
  close(): Promise<void>;
  /** Lists the last report of every source. */
  reports(): readonly LoadReport[];
}

export interface LoadingDeps {
  readonly runtime: Runtime;
  readonly events?: Events;
  /** Decides about tools from outside; without one they are not held. */
  readonly gate?: Gate;
}

/** Loads and watches the sources; `Loading` says what each method does. */
class SourceLoading implements Loading {
  readonly #reports = new Map<Source, LoadReport>();
  readonly #stops = new Map<Source, () => void>();
  readonly #families: ToolFamilies;
  readonly #deps: LoadingDeps;
  #isWatching = false;
  #closed: Promise<void> | undefined = undefined;

  constructor(families: ToolFamilies, deps: LoadingDeps) {
    this.#families = families;
    this.#deps = deps;
  }

  async load(sources: readonly Source[]): Promise<readonly LoadReport[]> {
    const loaded = await this.#load(sources);
    if (this.#isWatching) this.#watchAll();
    return loaded;
  }

  async unload(source: Source): Promise<void> {
    this.#stops.get(source)?.();
    this.#stops.delete(source);
    await this.#settle(removeSource(source, this.#families));
    this.#reports.delete(source);
    await closeSource(source, this.#deps.runtime);
  }

  watch(): void {
    this.#isWatching = true;
    this.#watchAll();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  reports(): readonly LoadReport[] {
    return [...this.#reports.values()];
  }

  async #load(sources: readonly Source[]): Promise<readonly LoadReport[]> {
    const loaded = await loadAndJudge(sources, this.#families, this.#deps);
    return Promise.all(loaded.map((one) => this.#settle(one)));
  }

  async #settle({ source, report, added, removed }: Loaded): Promise<LoadReport> {
    const { events, runtime } = this.#deps;
    this.#reports.set(source, report);
    for (const { tool } of added) announce(events, tool);
    for (const { tool } of removed) {
      if (!this.#families.named(tool.name)) events?.emit('tool.unregistered', { tool: tool.name });
    }
    logReport(report, runtime);
    await cleanUp(removed);
    return report;
  }

  #watchAll(): void {
    for (const source of this.#reports.keys()) {
      if (this.#stops.has(source)) continue;
      const stop = source.watch?.(this.#reloadOf(source));
      if (stop) this.#stops.set(source, stop);
    }
  }

  /** Reloads one at a time; a change during a reload causes one more. */
  #reloadOf(source: Source): () => void {
    let running: Promise<unknown> | undefined;
    let again = false;
    const reload = (): void => {
      if (this.#closed || !this.#reports.has(source)) return;
      again = running !== undefined;
      running ??= this.#load([source]).finally(() => {
        running = undefined;
        if (again) reload();
      });
    };
    return reload;
  }

  async #close(): Promise<void> {
    const { runtime } = this.#deps;
    for (const stop of this.#stops.values()) stop();
    await cleanUp([...this.#families.all()].flatMap(({ versions }) => [...versions.values()]));
    await Promise.all([...this.#reports.keys()].map((source) => closeSource(source, runtime)));
  }
}

export const createLoading = (families: ToolFamilies, deps: LoadingDeps): Loading =>
  new SourceLoading(families, deps);

/** Loads and judges: tools from outside are judged in the same tick as they are registered, before any call. */
const loadAndJudge = async (
  sources: readonly Source[],
  families: ToolFamilies,
  { gate, runtime: { log } }: LoadingDeps,
): Promise<readonly Loaded[]> => {
  if (!gate || !sources.some(isFromOutside)) return loadSources(sources, { families });
  await gate.prepare();
  const loaded = await loadSources(sources, {
    families,
    holderOf: (name) => gate.holderOf?.(name),
    onPlaced: (all) => judgeLoaded(all, { gate, families, log }),
  });
  await gate.acceptFirstUse();
  return loaded;
};

const logReport = ({ source, error, renamed, refused }: LoadReport, { log }: Runtime): void => {
  if (error !== undefined) log.error('A source of tools failed to load', { source, error });
  // Only for debugging: lists, `doctor` and the lock show these names.
  for (const { from, to } of renamed) {
    log.debug('A tool was renamed because its name is taken', { source, from, to });
  }
  for (const { tool, reason } of refused) log.warn('A tool was refused', { source, tool, reason });
};

const closeSource = async (source: Source, { log }: Runtime): Promise<void> => {
  try {
    await source.close?.();
  } catch (error) {
    const reason = reasonOf(error);
    log.error('A source of tools failed to close', { source: source.label, reason });
  }
};
