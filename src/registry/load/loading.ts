/** Brings sources in, keeps what each of them reported, and puts everything away at the end. */
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
  /** From now on a source that tells of changes is loaded again by itself. */
  watch(): void;
  close(): Promise<void>;
  /** The last report of every source. */
  reports(): readonly LoadReport[];
}

export interface LoadingDeps {
  readonly runtime: Runtime;
  readonly events?: Events;
  /** Who decides about tools from outside; without one they are not held. */
  readonly gate?: Gate;
}

export const createLoading = (
  families: ToolFamilies,
  { runtime, events, gate }: LoadingDeps,
): Loading => {
  const reports = new Map<Source, LoadReport>();
  const stops: (() => void)[] = [];
  let closed: Promise<void> | undefined;

  const settle = async ({ source, report, added, gone }: Loaded): Promise<LoadReport> => {
    reports.set(source, report);
    for (const { tool } of added) announce(events, tool);
    for (const { tool } of gone) {
      if (!families.named(tool.name)) events?.emit('tool.unregistered', { tool: tool.name });
    }
    say(report, runtime);
    await cleanUp(gone);
    return report;
  };

  const load = async (sources: readonly Source[]): Promise<readonly LoadReport[]> =>
    Promise.all((await bring(sources, families, { runtime, ...(gate && { gate }) })).map(settle));

  /** One reload of a source at a time; a change meanwhile is one more when it is done. */
  const reloading = (source: Source): (() => void) => {
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
        const stop = source.watch?.(reloading(source));
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

/** What comes from outside is judged in the turn in which it is put there: nobody can call it before. */
const bring = async (
  sources: readonly Source[],
  families: ToolFamilies,
  { gate, runtime: { log } }: LoadingDeps,
): Promise<readonly Loaded[]> => {
  if (!gate || !sources.some(isFromOutside)) return loadSources(sources, { families });
  await gate.prepare();
  const loaded = await loadSources(sources, {
    families,
    holderOf: (name) => gate.holderOf?.(name),
    placed: (all) => judgeLoaded(all, { gate, families, log }),
  });
  await gate.welcome();
  return loaded;
};

const say = ({ source, error, renamed, refused }: LoadReport, { log }: Runtime): void => {
  if (error !== undefined) log.error('A source of tools failed to load', { source, error });
  // The names hold until the sources change: lists, `doctor` and the lock show them.
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
