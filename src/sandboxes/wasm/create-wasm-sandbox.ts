/**
 * The sandbox for untrusted code: QuickJS in WebAssembly, in a thread of its own. The realm has the
 * language and a way to ask its host; only JSON text crosses the border.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxReadiness } from '../../contract/sandbox.ts';
import { runInThread } from '../run-in-thread.ts';
import { runRequestFor } from '../run-request-for.ts';
import { GUEST_THREAD } from './guest-thread.ts';

/** Each takes some 20 MB. Tools that call tools need one a level, so a run never waits for one. */
const MAX_THREADS = 64;

interface QuickJsPaths {
  readonly core: string;
  readonly variant: string;
  readonly wasm: string;
}

/**
 * Finds the files of the engine, which a thread loads by path wherever its own text came from. Throws
 * when the engine is not installed.
 */
const quickJsPaths = (): QuickJsPaths => {
  const { resolve } = createRequire(import.meta.url);
  return {
    core: resolve('quickjs-emscripten-core'),
    variant: resolve('@jitl/quickjs-ng-wasmfile-release-sync'),
    wasm: resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'),
  };
};

/** Threads that run code in QuickJS: some kept warm, more when needed. A thread that broke is not used again. */
class GuestThreads {
  readonly #paths: QuickJsPaths;
  readonly #maxIdle: number;
  readonly #idle: Worker[] = [];
  readonly #all = new Set<Worker>();
  #isClosed = false;

  constructor(paths: QuickJsPaths, maxIdle: number) {
    this.#paths = paths;
    this.#maxIdle = maxIdle;
  }

  /** Starts a thread ahead of the run that will need it: that takes as long as starting a program. */
  prepare(): void {
    if (this.#isClosed || this.#all.size > 0) return;
    const thread = this.#start();
    thread.unref();
    this.#idle.push(thread);
  }

  /** Takes a thread with a fresh realm. Fails with SANDBOX_ERROR when too many run. */
  take(): Worker {
    const thread = this.#idle.pop() ?? this.#start();
    thread.ref();
    return thread;
  }

  give(thread: Worker, reusable: boolean): void {
    if (!reusable || this.#isClosed || this.#idle.length >= this.#maxIdle) this.#end(thread);
    else {
      // An idle thread must not keep the process alive.
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

export interface WasmSandboxOptions {
  /** Threads that are kept warm; 2 by default. */
  readonly poolSize?: number;
  /** Finds the engine; throws when it is not installed. */
  readonly findEngine?: () => QuickJsPaths;
}

const DEFAULT_MEMORY_MB = 128;
const INSTALL = 'npm install quickjs-emscripten-core @jitl/quickjs-ng-wasmfile-release-sync';

const unavailable = (reason: string): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', reason, { suggestions: [`Run: ${INSTALL}`] });

/** Starts no thread and loads no engine before the first run. `close` ends what still runs. */
export const createWasmSandbox = ({
  poolSize = 2,
  findEngine = quickJsPaths,
}: WasmSandboxOptions = {}): Sandbox => {
  let threads: GuestThreads | undefined;
  let isClosed = false;
  const readiness = (): SandboxReadiness => {
    try {
      findEngine();
      return { ready: true };
    } catch {
      return { ready: false, reason: 'The QuickJS engine is not installed.', install: INSTALL };
    }
  };
  const open = (): GuestThreads => {
    if (isClosed) throw new ToolFailure('SANDBOX_ERROR', 'The sandbox is closed.');
    if (threads) return threads;
    const ready = readiness();
    if (!ready.ready) throw unavailable(ready.reason);
    threads = new GuestThreads(findEngine(), poolSize);
    return threads;
  };
  return {
    type: 'wasm',
    readiness: async () => readiness(),
    prepare: () => {
      if (!isClosed && readiness().ready) open().prepare();
    },
    run: async (request) => {
      const { runRequest, timeMs } = runRequestFor(request, 'wasm', DEFAULT_MEMORY_MB);
      const pool = open();
      const thread = pool.take();
      const ended = await runInThread({ request, runRequest, timeMs, thread });
      pool.give(thread, ended.reusable);
      if ('failure' in ended) throw ended.failure;
      return ended.outcome;
    },
    close: async () => {
      isClosed = true;
      await threads?.close();
    },
  };
};
