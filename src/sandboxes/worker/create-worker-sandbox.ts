/**
 * The sandbox for trusted code only: a thread of Node. It holds limits of time, memory and output,
 * and keeps realms apart; it does not hold code that tries to escape.
 */
import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../../contract/errors.ts';
import type { Sandbox, SandboxRequest } from '../../contract/sandbox.ts';
import { runInThread } from '../run-in-thread.ts';
import { runRequestFor } from '../run-request-for.ts';
import type { RunRequest } from '../thread-protocol.ts';
import { WORKER_THREAD } from './worker-thread.ts';

const DEFAULT_MEMORY_MB = 256;
/** A share of the limit is for what has just been made. */
const YOUNG_SHARE = 1 / 4;

const startThread = ({ config }: SandboxRequest, { memoryBytes }: RunRequest): Worker => {
  const memoryMb = memoryBytes / 1024 / 1024;
  return new Worker(WORKER_THREAD, {
    eval: true,
    env: { ...config.environmentVariables },
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb * (1 - YOUNG_SHARE),
      maxYoungGenerationSizeMb: memoryMb * YOUNG_SHARE,
    },
  });
};

/** Creates the sandbox. Its `close` ends what still runs. */
export const createWorkerSandbox = (): Sandbox => {
  const running = new Set<Worker>();
  let isClosed = false;
  return {
    type: 'worker',
    readiness: async () => ({ ready: true }),
    run: async (request) => {
      const { runRequest, timeMs } = runRequestFor(request, 'worker', DEFAULT_MEMORY_MB);
      if (isClosed) throw new ToolFailure('SANDBOX_ERROR', 'The sandbox is closed.');
      const thread = startThread(request, runRequest);
      // A thread that dies while it is ended has nobody else to tell.
      thread.on('error', () => running.delete(thread));
      running.add(thread);
      const ended = await runInThread({ request, runRequest, timeMs, thread });
      running.delete(thread);
      void thread.terminate();
      if ('failure' in ended) throw ended.failure;
      return ended.outcome;
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...running].map((thread) => thread.terminate()));
    },
  };
};
