/**
 * The host's side of one run in a thread: hands the code over, answers its requests, and ends the
 * thread when the time is over or the signal fires. What comes from the code is parsed, never called.
 */
import type { Worker } from 'node:worker_threads';
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxHost, SandboxRequest } from '../contract/sandbox.ts';
import { type Conclusion, endOfRun } from './end-of-run.ts';
import type { FromThread, HostAnswer, RunRequest } from './thread-protocol.ts';

export interface ThreadRun {
  readonly request: SandboxRequest;
  readonly order: RunRequest;
  readonly timeMs: number;
  readonly thread: Worker;
}

/** `reusable`: another run may follow in the thread. */
export type ThreadEnd = Conclusion & { readonly reusable: boolean };

const NO_HOST: SandboxHost = {
  request: (method) =>
    Promise.reject(new ToolFailure('PERMISSION_DENIED', `The code may not ask for ${method}.`)),
};

/** Answers requests and keeps the refusals, so that one the code lets through is told as it was. */
const createDesk = (host: SandboxHost, post: (answer: HostAnswer) => void) => {
  const refusals = new Map<number, unknown>();
  const refuse = (id: number, error: unknown): void => {
    refusals.set(id, error);
    // A bug of ours is none of the code's business.
    const { code, message } = error instanceof ToolFailure ? error : new ToolFailure('INTERNAL');
    post({ kind: 'refusal', id, code, message });
  };
  const answer = async (id: number, text: string): Promise<void> => {
    try {
      const { method, args } = JSON.parse(text) as { method: string; args: unknown[] };
      const value = JSON.stringify(await host.request(method, args));
      post({ kind: 'answer', id, ...(value !== undefined && { text: value }) });
    } catch (error) {
      refuse(id, error);
    }
  };
  return { answer, refusals };
};

const cancelled = (): ToolFailure => new ToolFailure('CANCELLED');

const timedOut = (ms: number): ToolFailure =>
  new ToolFailure('TIMEOUT', `The sandboxed code did not finish within ${ms} ms.`, {
    suggestions: ['Give it less to do, or raise its time limit.'],
  });

const died = (): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', 'The thread of the sandboxed code ended unexpectedly.', {
    suggestions: ['See that the code stays below its memory limit.'],
  });

/** Runs one task in a thread that does nothing else meanwhile. Never rejects. */
export const runInThread = ({ request, order, timeMs, thread }: ThreadRun): Promise<ThreadEnd> =>
  new Promise((settle) => {
    const { signal, host = NO_HOST } = request;
    let over = false;
    const { answer, refusals } = createDesk(host, (message) => {
      if (!over) thread.postMessage(message);
    });
    const end = (value: ThreadEnd): void => {
      over = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onDeath).off('exit', onDeath);
      settle(value);
    };
    const fail = (failure: ToolFailure): void => end({ reusable: false, failure });
    const onAbort = (): void => fail(cancelled());
    const onDeath = (): void => fail(died());
    const onMessage = (message: FromThread): void => {
      if (message.kind === 'request') void answer(message.id, message.text);
      else {
        const conclusion = endOfRun(message, { name: order.name, refusals });
        end({ ...conclusion, reusable: message.reusable });
      }
    };
    const timer = setTimeout(() => fail(timedOut(timeMs)), timeMs);
    signal.addEventListener('abort', onAbort, { once: true });
    thread.on('message', onMessage).on('error', onDeath).on('exit', onDeath);
    thread.postMessage(order);
  });
