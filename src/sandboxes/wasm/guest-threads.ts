/** The threads that run code in QuickJS: some kept warm, more when needed, none used after harm. */
import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../../contract/errors.ts';
import { GUEST_THREAD } from './guest-thread.ts';
import type { QuickJsPaths } from './quickjs-paths.ts';

/** Each takes some 20 MB. Tools that call tools need one a level, so there is no waiting for one. */
const MAX_THREADS = 64;

export class GuestThreads {
  readonly #paths: QuickJsPaths;
  readonly #kept: number;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  #isClosed = false;

  constructor(paths: QuickJsPaths, kept: number) {
    this.#paths = paths;
    this.#kept = kept;
  }

  /** Starts a thread ahead of the run that will need it: that takes as long as starting a program. */
  prepare(): void {
    if (this.#isClosed || this.#all.size > 0) return;
    const thread = this.#start();
    thread.unref();
    this.#idle.push(thread);
  }

  /** A thread with a fresh realm. Fails with SANDBOX_ERROR when too many run. */
  take(): Worker {
    const thread = this.#idle.pop() ?? this.#start();
    thread.ref();
    return thread;
  }

  give(thread: Worker, reusable: boolean): void {
    if (!reusable || this.#isClosed || this.#idle.length >= this.#kept) this.#end(thread);
    else {
      // An idle thread keeps nobody from going home.
      thread.unref();
      this.#idle.push(thread);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#idle.length = 0;
    await Promise.all([...this.#all].map((thread) => thread.terminate()));
  }

  #start(): Worker {
    if (this.#all.size >= MAX_THREADS) {
      throw new ToolFailure('SANDBOX_ERROR', 'Too many sandboxes run at the same time.', {
        retryable: true,
        suggestions: ['Wait for others to end.'],
      });
    }
    const thread = new Worker(GUEST_THREAD, {
      eval: true,
      workerData: this.#paths,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { stackSizeMb: 8 },
    });
    this.#all.add(thread);
    // A thread may also die while nobody uses it.
    thread.on('error', () => this.#forget(thread));
    thread.on('exit', () => this.#forget(thread));
    return thread;
  }

  #end(thread: Worker): void {
    this.#forget(thread);
    void thread.terminate();
  }

  #forget(thread: Worker): void {
    this.#all.delete(thread);
    const at = this.#idle.indexOf(thread);
    if (at >= 0) this.#idle.splice(at, 1);
  }
}
