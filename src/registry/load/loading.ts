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
import { type Loaded, loadSources } from './load-sources.ts';

export interface Loading {
  load(sources: readonly Source[]): Promise<readonly LoadReport[]>;
  /** From now on, a source that reports a change is loaded again. */
  watch(): void;
  close(): Promise<void>;
  /** The last report of every source. */
  reports(): readonly LoadReport[];
}

export interface LoadingDeps {
  readonly runtime: Runtime;
  readonly events?: Events;
  /** Decides about tools from outside; without one they are not held. */
  readonly gate?: Gate;
}

export const createLoading = (
  families: ToolFamilies,
  { runtime, events, gate }: LoadingDeps,
): Loading => {
  const reports = new Map<Source, LoadReport>();
  const stops: (() => void)[] = [];
  let closed: Promise<void> | undefined;

  const settle = async ({ source, report, added, removed }: Loaded): Promise<LoadReport> => {
    reports.set(source, report);
    for (const { tool } of added) announce(events, tool);
    for (const { tool } of removed) {
      if (!families.named(tool.name)) events?.emit('tool.unregistered', { tool: tool.name });
    }
    logReport(report, runtime);
    await cleanUp(removed);
    return report;
  };

  const load = async (sources: readonly Source[]): Promise<readonly LoadReport[]> =>
    Promise.all(
      (await loadAndJudge(sources, families, { runtime, ...(gate && { gate }) })).map(settle),
    );

  /** Reloads one at a time; a change during a reload causes one more. */
  const createReload = (source: Source): (() => void) => {
    let running: Promise<unknown> | undefined;
    let again = false;
    const reload = (): void => {
      if (closed) return;
      again = running !== undefined;
      running ??= load([source]).finally(() => {
        running = undefined;
        if (again) reload();
      });
    };
    return reload;
  };

  const close = async (): Promise<void> => {
    for (const stop of stops) stop();
    await cleanUp([...families.all()].flatMap(({ versions }) => [...versions.values()]));
    await Promise.all([...reports.keys()].map((source) => closeSource(source, runtime)));
  };

  return {
    load,
    watch() {
      for (const source of reports.keys()) {
        const stop = source.watch?.(createReload(source));
        if (stop) stops.push(stop);
      }
    },
    close() {
      closed ??= close();
      return closed;
    },
    reports: () => [...reports.values()],
  };
};

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
