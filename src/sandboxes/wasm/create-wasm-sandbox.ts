/**
 * The sandbox for code that nobody vouches for: QuickJS in WebAssembly, in a thread of its own. The
 * realm has the language and a way to ask its host; only JSON text crosses the border.
 */
import { ToolFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxReadiness } from '../../contract/sandbox.ts';
import { runInThread } from '../run-in-thread.ts';
import { orderFor } from '../run-request-for.ts';
import { GuestThreads } from './guest-threads.ts';
import { type QuickJsPaths, quickJsPaths } from './quickjs-paths.ts';

export interface WasmSandboxOptions {
  /** Threads that are kept warm; 2 unless told. */
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
      const { order, timeMs } = orderFor(request, 'wasm', DEFAULT_MEMORY_MB);
      const pool = open();
      const thread = pool.take();
      const ended = await runInThread({ request, order, timeMs, thread });
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
