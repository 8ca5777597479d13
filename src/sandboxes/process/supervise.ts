/**
 * Starts and supervises a sandboxed program: writes its input, collects its output, watches memory and
 * processes, and kills all of it when a limit is hit, the time is over or the caller cancels.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime, Timer } from '../../contract/runtime.ts';
import type { SandboxRequest } from '../../contract/sandbox.ts';
import type { RunLimits } from '../run-limits.ts';
import type { Identity } from '../sandbox-identity.ts';
import type { ProcessUsage } from './process-usage.ts';

export interface Launch {
  readonly argv: readonly string[];
  readonly identity: Identity | undefined;
  /** What can be read from the descriptors 3, 4 and so on. */
  readonly data: readonly Buffer[];
  readonly cwd?: string;
  readonly limits: RunLimits;
  readonly signal: AbortSignal;
  /** Measures how much is in use, for systems that can tell. */
  readonly usage?: (pid: number, maxProcesses: number) => ProcessUsage;
  /** Told once what the run took, where `usage` is there. */
  readonly onUsage?: SandboxRequest['onUsage'];
  /** Takes output. Returns true when the run needs no more time; throws to end it as a failure. */
  onOutput(stream: 'stdout' | 'stderr', chunk: Buffer): boolean;
  onStart(stdin: Writable): void;
}

/** A program can exceed its memory limit only by what it allocates in this time. */
const CHECK_EVERY_MS = 40;

/** Process 1 of the namespace and its watcher outside are ours. */
const OWN_PROCESSES = 2;

const NOTHING: ProcessUsage = { processes: 0, memoryBytes: 0, cpuMs: 0 };

const overLimit = (what: string, setting: string) =>
  new ToolFailure('SANDBOX_ERROR', `The sandboxed program used more ${what} than it may.`, {
    suggestions: [`Have it use less, or raise ${setting}.`],
  });

/** Returns the number of processes, ours included, above which the run is ended. */
export const maxProcesses = ({ processes }: RunLimits): number => processes + OWN_PROCESSES;

/** Gives the failure when a limit is exceeded. */
export const limitFailure = (
  { processes, memoryBytes }: ProcessUsage,
  limits: RunLimits,
): ToolFailure | undefined => {
  if (processes > maxProcesses(limits)) return overLimit('processes', 'processes');
  return memoryBytes > limits.memoryMb * 1_048_576 ? overLimit('memory', 'memoryMb') : undefined;
};

/** The environment of bubblewrap and its helpers: programs inside can read that of process 1. */
export const ENVIRONMENT = { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' };

const start = ({ argv, identity, data, cwd = '/' }: Launch): ChildProcess => {
  const [program = '', ...args] = argv;
  return spawn(program, args, {
    cwd,
    env: ENVIRONMENT,
    stdio: ['pipe', 'pipe', 'pipe', ...data.map(() => 'pipe' as const)],
    detached: true,
    ...(identity && { uid: identity.uid, gid: identity.gid }),
  });
};

class Supervision {
  readonly #child: ChildProcess;
  readonly #launch: Launch;
  readonly #runtime: Runtime;
  #failure: unknown;
  #timers: Timer[] = [];
  #cpuMs = 0;
  #peakMemoryBytes = 0;

  constructor(launch: Launch, runtime: Runtime) {
    this.#launch = launch;
    this.#runtime = runtime;
    this.#child = start(launch);
  }

  /** Resolves with the exit code when everything has ended. */
  async ended(): Promise<number> {
    const { limits, signal } = this.#launch;
    const cancel = () => this.#end(new ToolFailure('CANCELLED'));
    signal.addEventListener('abort', cancel, { once: true });
    this.#timers.push(
      this.#runtime.after(limits.timeMs, () => this.#end(new ToolFailure('TIMEOUT'))),
    );
    this.#checkLimits();
    try {
      const code = await this.#closed();
      if (this.#failure !== undefined) throw this.#failure;
      return code;
    } finally {
      signal.removeEventListener('abort', cancel);
      for (const timer of this.#timers) timer.cancel();
      const { usage, onUsage } = this.#launch;
      if (usage) onUsage?.({ cpuMs: this.#cpuMs, peakMemoryBytes: this.#peakMemoryBytes });
    }
  }

  #closed(): Promise<number> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      child.once('error', (cause: NodeJS.ErrnoException) => reject(cannotStart(cause.code)));
      child.once('close', (code) => resolve(code ?? 137));
      for (const stream of child.stdio) stream?.on('error', () => undefined);
      if (child.pid === undefined) return;
      this.#launch.data.forEach((bytes, index) => {
        (child.stdio[3 + index] as Writable).end(bytes);
      });
      this.#listen('stdout', child.stdout as Readable);
      this.#listen('stderr', child.stderr as Readable);
      this.#launch.onStart(child.stdin as Writable);
    });
  }

  #listen(name: 'stdout' | 'stderr', stream: Readable): void {
    // Runs that end between two checks are measured here, as far as the kernel still has them.
    stream.once('end', () => this.#measure());
    stream.on('data', (chunk: Buffer) => {
      if (this.#failure !== undefined) return;
      try {
        if (this.#launch.onOutput(name, chunk)) this.#kill();
      } catch (error) {
        this.#end(error);
      }
    });
  }

  #checkLimits(): void {
    const { usage, limits } = this.#launch;
    if (usage === undefined || this.#child.pid === undefined) return;
    const failure = limitFailure(this.#measure() ?? NOTHING, limits);
    if (failure !== undefined) this.#end(failure);
    else this.#timers[1] = this.#runtime.after(CHECK_EVERY_MS, () => this.#checkLimits());
  }

  /** Keeps the most that was seen; `undefined` where nothing can be measured. */
  #measure(): ProcessUsage | undefined {
    const { usage, limits } = this.#launch;
    const { pid } = this.#child;
    if (usage === undefined || pid === undefined) return undefined;
    const taken = usage(pid, maxProcesses(limits));
    this.#cpuMs = Math.max(this.#cpuMs, taken.cpuMs);
    this.#peakMemoryBytes = Math.max(this.#peakMemoryBytes, taken.memoryBytes);
    return taken;
  }

  /** Ends the run. The first reason counts. */
  #end(reason: unknown): void {
    this.#failure ??= reason;
    this.#kill();
  }

  /** Kills the watcher outside, which ends the namespace and all in it. */
  #kill(): void {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    for (const target of [-pid, pid]) {
      try {
        process.kill(target, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }
}

const cannotStart = (code: string | undefined): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', `The sandbox could not be started (${code ?? 'unknown'}).`, {
    suggestions: ['Run `toolcrib doctor` to see what is missing.'],
  });

/** Runs to the end and gives the exit code. Fails as the port of sandboxes says. */
export const supervise = async (launch: Launch, runtime: Runtime): Promise<number> => {
  if (launch.signal.aborted) throw new ToolFailure('CANCELLED');
  return new Supervision(launch, runtime).ended();
};
