/**
 * Keeps processes for compilers, SQLite and work on data. Loading a compiler takes longer than checking a
 * small project, so a process whose job succeeded is kept for the next one; one whose job failed is never
 * used again. Not threads: a thread that runs out of memory can end the whole program.
 */
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { ToolFailure } from '../../contract/errors.ts';

export interface ProcessPoolOptions {
  /** How many there are at most, those that are just ending included. */
  readonly max: number;
  /** How many unused ones are kept; `max` by default. */
  readonly maxIdle?: number;
  /** Milliseconds after which an unused one ends; 30,000 by default, because an agent thinks that long. */
  readonly idleMs?: number;
  /** What the heap of each may take. */
  readonly memoryMb: number;
  /** Gives the text of the program, which answers one message after another. */
  program(): string;
  /** Lists the arguments of the program. */
  args(): readonly string[];
}

/** Pipes are sockets here, which can be kept from holding up the end of this process. */
export type PooledProcess = ChildProcessByStdio<Socket, Socket, null>;

interface Idle {
  readonly child: PooledProcess;
  readonly timer: NodeJS.Timeout;
}

const IDLE_MS = 30_000;

const hold = (child: PooledProcess, how: 'ref' | 'unref'): void => {
  for (const each of [child, child.stdin, child.stdout]) each[how]();
};

export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #all = new Set<PooledProcess>();
  readonly #idle: Idle[] = [];
  readonly #waiting = new Set<() => void>();

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
  }

  /** Counts all processes, idle or not. */
  get size(): number {
    return this.#all.size;
  }

  /** Waits while there are as many as there may be. Fails with CANCELLED when the call is. */
  async take(signal: AbortSignal): Promise<PooledProcess> {
    while (!signal.aborted) {
      const child = this.#next();
      if (child) return child;
      await this.#waitForChange(signal);
    }
    throw new ToolFailure('CANCELLED');
  }

  /** Takes back a process whose job succeeded. */
  give(child: PooledProcess): void {
    if (!this.#all.has(child)) return;
    const { maxIdle = this.#options.max, idleMs = IDLE_MS } = this.#options;
    if (this.#idle.length >= maxIdle) return void this.end(child);
    // An idle process must not keep this one alive, and neither must its timer.
    hold(child, 'unref');
    const timer = setTimeout(() => void this.end(child), idleMs).unref();
    this.#idle.push({ child, timer });
    this.#notifyWaiting();
  }

  /** Kills a process, whatever it does. */
  async end(child: PooledProcess): Promise<void> {
    this.#forgetIdle(child);
    if (!this.#all.has(child)) return;
    const gone = once(child, 'close');
    child.kill('SIGKILL');
    await gone;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((child) => this.end(child)));
  }

  /** Takes the process that was used last: it is the warmest, and the others can end. */
  #next(): PooledProcess | undefined {
    const last = this.#idle.pop();
    if (!last) return this.#all.size < this.#options.max ? this.#start() : undefined;
    clearTimeout(last.timer);
    hold(last.child, 'ref');
    return last.child;
  }

  #start(): PooledProcess {
    const { memoryMb, program, args } = this.#options;
    const child = process
      .getBuiltinModule('node:child_process')
      .spawn(
        process.execPath,
        [`--max-old-space-size=${memoryMb}`, '--no-warnings', '-e', program(), '--', ...args()],
        { env: {}, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true },
      ) as PooledProcess;
    // The 'close' event is enough.
    child.on('error', () => undefined);
    // Without a pid it has no pipes and emits no 'close'.
    if (child.pid === undefined) {
      throw new ToolFailure('EXECUTION_FAILED', 'The process for this work could not be started.');
    }
    child.stdin.on('error', () => undefined);
    this.#all.add(child);
    child.once('close', () => {
      this.#forgetIdle(child);
      this.#all.delete(child);
      this.#notifyWaiting();
    });
    return child;
  }

  #forgetIdle(child: PooledProcess): void {
    const at = this.#idle.findIndex((each) => each.child === child);
    if (at >= 0) clearTimeout(this.#idle.splice(at, 1)[0]?.timer);
  }

  #waitForChange(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        signal.removeEventListener('abort', go);
        this.#waiting.delete(go);
        resolve();
      };
      signal.addEventListener('abort', go);
      this.#waiting.add(go);
    });
  }

  #notifyWaiting(): void {
    for (const go of this.#waiting) go();
  }
}
