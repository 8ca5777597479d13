/**
 * Asks the engine from time to time what a running container takes: it reports nothing of one that has
 * ended.
 */
import type { Container } from 'dockerode';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { SandboxUsage } from '../../contract/sandbox.ts';

/** Short runs are looked at once or twice; the engine needs some milliseconds for an answer. */
const FIRST_LOOK_MS = 50;
const LOOK_EVERY_MS = 500;
const NS_PER_MS = 1_000_000;

/** What the engines answer, as far as it is read; each of them leaves something out. */
interface ContainerStats {
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  readonly memory_stats?: {
    readonly usage?: number;
    /** The peak, where the kernel keeps it. */
    readonly max_usage?: number;
    readonly stats?: { readonly inactive_file?: number };
  };
}

const amountIn = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;

/** Reads the memory in use. Files that the kernel could forget at any time are not counted, as by `docker stats`. */
const memoryOf = ({ memory_stats: memory = {} }: ContainerStats): number =>
  amountIn(memory.max_usage) ||
  Math.max(0, amountIn(memory.usage) - amountIn(memory.stats?.inactive_file));

export interface ContainerWatch {
  /** Ends it; returns the most that was seen. */
  stop(): SandboxUsage;
}

/** Begins to watch a container that runs. An engine that cannot tell is no failure. */
export const watchContainer = (
  container: Pick<Container, 'stats'>,
  runtime: Pick<Runtime, 'after'>,
): ContainerWatch => {
  let cpuMs = 0;
  let peakMemoryBytes = 0;
  let isOver = false;
  let timer: Timer;
  const look = async (): Promise<void> => {
    try {
      const options = { stream: false, 'one-shot': true } as const;
      const stats = (await container.stats(options)) as ContainerStats;
      cpuMs = Math.max(cpuMs, amountIn(stats.cpu_stats?.cpu_usage?.total_usage) / NS_PER_MS);
      peakMemoryBytes = Math.max(peakMemoryBytes, memoryOf(stats));
    } catch {
      // It has ended meanwhile, or the engine keeps no figures.
    }
    if (!isOver) timer = runtime.after(LOOK_EVERY_MS, () => void look());
  };
  timer = runtime.after(FIRST_LOOK_MS, () => void look());
  return {
    stop: () => {
      isOver = true;
      timer.cancel();
      return { cpuMs, peakMemoryBytes };
    },
  };
};
