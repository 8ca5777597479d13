/**
 * Counts and times the calls of a running server, per tool and in total, from the events of its crib. A
 * crib without listeners has no cost.
 */
import type { Events, MeasuredCall } from '../contract/events.ts';
import { UNKNOWN_TOOL } from '../contract/metrics.ts';
import type { ToolStatus } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { SandboxUsage } from '../contract/sandbox.ts';
import { BOUNDS_S } from '../kit/metrics/duration-bounds.ts';
import { DurationHistogram } from './duration-histogram.ts';

/** Figures of one tool, or of all of them. */
export interface CallFigures {
  readonly calls: number;
  readonly failures: number;
  readonly costUsd: number;
  readonly tokens: number;
  readonly running: number;
  readonly averageMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Calls a second over the last minute. */
  readonly perSecond: number;
}

/** A traced call that stands for those in one bucket of durations. */
export interface CallExemplar {
  readonly traceId: string;
  readonly durationMs: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface ToolCounts {
  readonly byStatus: ReadonlyMap<ToolStatus, number>;
  readonly byCode: ReadonlyMap<string, number>;
  readonly durations: DurationHistogram;
  /** The newest traced call by the index of its bucket among `BOUNDS_S`. */
  readonly exemplars: ReadonlyMap<number, CallExemplar>;
  readonly costUsd: number;
  readonly tokens: number;
  /** Processor time of sandboxed runs; 0 where none was measured. */
  readonly cpuMs: number;
  /** The most memory that the sandboxed runs of one call took. */
  readonly peakMemoryBytes: number;
  readonly running: number;
  /** Milliseconds since the epoch; 0 for a tool whose first call still runs. */
  readonly lastUsedAt: number;
}

/** Counts the tools above the limit together. */
const OTHER_TOOLS = '(other)';
const MAX_TOOLS = 2000;
const WINDOW_SECONDS = 60;
/** The length of a trace id; ids of calls without a trace are shorter. */
const TRACE_ID_LENGTH = 32;

const bump = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

/** Counts the calls in each of the last seconds. */
class Pace {
  readonly #seconds = new Float64Array(WINDOW_SECONDS);
  #last = 0;

  note(now: number): void {
    this.#forget(now);
    const at = this.#last % WINDOW_SECONDS;
    this.#seconds[at] = (this.#seconds[at] ?? 0) + 1;
  }

  perSecond(now: number): number {
    this.#forget(now);
    return this.#seconds.reduce((sum, calls) => sum + calls, 0) / WINDOW_SECONDS;
  }

  #forget(now: number): void {
    const second = Math.floor(now / 1000);
    const steps = Math.min(WINDOW_SECONDS, second - this.#last);
    for (let step = 1; step <= steps; step++) {
      this.#seconds[(this.#last + step) % WINDOW_SECONDS] = 0;
    }
    // After the clock was set back, calls count in the current window.
    if (second > this.#last) {
      if (steps === WINDOW_SECONDS) this.#seconds.fill(0);
      this.#last = second;
    }
  }
}

class Counts implements ToolCounts {
  readonly byStatus = new Map<ToolStatus, number>();
  readonly byCode = new Map<string, number>();
  readonly durations = new DurationHistogram();
  readonly exemplars = new Map<number, CallExemplar>();
  readonly pace = new Pace();
  costUsd = 0;
  tokens = 0;
  cpuMs = 0;
  peakMemoryBytes = 0;
  running = 0;
  lastUsedAt = 0;

  finish(call: MeasuredCall, now: number): void {
    const { status, code, usage } = call;
    bump(this.byStatus, status);
    if (code) bump(this.byCode, code);
    this.durations.note(call.durationMs);
    this.pace.note(now);
    this.costUsd += call.costUsd;
    this.tokens += call.tokens;
    if (usage) this.#noteUsage(usage);
    this.lastUsedAt = now;
    this.#noteExemplar(call, now);
  }

  #noteUsage({ cpuMs, peakMemoryBytes }: SandboxUsage): void {
    this.cpuMs += cpuMs;
    this.peakMemoryBytes = Math.max(this.peakMemoryBytes, peakMemoryBytes);
  }

  #noteExemplar({ traceId, durationMs }: MeasuredCall, at: number): void {
    if (traceId.length !== TRACE_ID_LENGTH) return;
    const bucket = BOUNDS_S.findIndex((bound) => durationMs <= bound * 1000);
    const exemplar = { traceId, durationMs, at };
    this.exemplars.set(bucket < 0 ? BOUNDS_S.length : bucket, exemplar);
  }

  figures(now: number): CallFigures {
    const { durations, byStatus, costUsd, tokens, running } = this;
    const calls = durations.count;
    const notFailed = (byStatus.get('success') ?? 0) + (byStatus.get('pending') ?? 0);
    return {
      calls,
      failures: calls - notFailed,
      costUsd,
      tokens,
      running,
      averageMs: durations.averageMs,
      p50Ms: durations.quantile(0.5),
      p95Ms: durations.quantile(0.95),
      p99Ms: durations.quantile(0.99),
      perSecond: this.pace.perSecond(now),
    };
  }
}

export class CallMetrics {
  readonly #all = new Counts();
  readonly #tools = new Map<string, Counts>();
  /** The counts that each running call started in, so that its end is counted there too. */
  readonly #running = new Map<string, Counts>();
  readonly #now: () => number;
  readonly #stops: readonly (() => void)[];

  constructor(
    events: Events,
    { runtime, isTool }: { readonly runtime: Pick<Runtime, 'now'>; isTool(name: string): boolean },
  ) {
    this.#now = runtime.now;
    this.#stops = [
      events.on('call.started', ({ executionId, tool }) => {
        this.#start(executionId, isTool(tool) ? tool : UNKNOWN_TOOL);
      }),
      events.on('call.measured', (call) => this.#finish(call)),
    ];
  }

  get tools(): ReadonlyMap<string, ToolCounts> {
    return this.#tools;
  }

  get all(): ToolCounts {
    return this.#all;
  }

  /** Ids of the calls under way, oldest first. */
  get running(): readonly string[] {
    return [...this.#running.keys()];
  }

  isRunning(executionId: string): boolean {
    return this.#running.has(executionId);
  }

  /** Returns the figures of one tool, or of all; `undefined` for a tool that was not called. */
  figures(tool?: string): CallFigures | undefined {
    const counts = tool === undefined ? this.#all : this.#tools.get(tool);
    return counts?.figures(this.#now());
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #of(tool: string): Counts {
    const existing = this.#tools.get(tool);
    if (existing) return existing;
    if (this.#tools.size >= MAX_TOOLS && tool !== OTHER_TOOLS) return this.#of(OTHER_TOOLS);
    const counts = new Counts();
    this.#tools.set(tool, counts);
    return counts;
  }

  #start(executionId: string, tool: string): void {
    const counts = this.#of(tool);
    counts.running++;
    this.#all.running++;
    this.#running.set(executionId, counts);
  }

  #finish(call: MeasuredCall): void {
    const { executionId } = call;
    const counts = this.#running.get(executionId);
    // A call that started before this object: counting only its end would falsify the figures.
    if (!counts) return;
    this.#running.delete(executionId);
    counts.running--;
    this.#all.running--;
    const now = this.#now();
    counts.finish(call, now);
    this.#all.finish(call, now);
  }
}
