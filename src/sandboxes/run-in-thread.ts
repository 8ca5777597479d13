/**
 * The host's side of one run in a thread: hands the code over, answers its requests, and ends the
 * thread when the time is over or the signal fires. What comes from the code is parsed, never called.
 */
import type { Worker } from 'node:worker_threads';
import { ToolFailure } from '../contract/errors.ts';
import type { SandboxHost, SandboxOutcome, SandboxRequest } from '../contract/sandbox.ts';
import { textOf } from '../kit/data/is-text.ts';
import { NO_HOST } from './context-names.ts';
import type {
  FromThread,
  HostAnswer,
  RunEnd,
  RunRequest,
  ThrownInCode,
} from './thread-protocol.ts';

export interface ThreadRun {
  readonly request: SandboxRequest;
  readonly runRequest: RunRequest;
  readonly timeMs: number;
  readonly thread: Worker;
}

type Conclusion = { readonly outcome: SandboxOutcome } | { readonly failure: unknown };

/** `reusable`: another run may follow in the thread. */
export type ThreadEnd = Conclusion & { readonly reusable: boolean };

interface RunFacts {
  /** Of the code, as in its stack traces. */
  readonly name: string;
  /** What the host refused, by the id of the request. */
  readonly refusals: ReadonlyMap<number, unknown>;
}

const MAX_MESSAGE_LENGTH = 2000;

/** Finds the topmost `name:line:column` of a stack. */
const positionIn = (stack: string, name: string): string => {
  const at = stack.indexOf(`${name}:`);
  const [position] = /^:\d+(?::\d+)?/.exec(at < 0 ? '' : stack.slice(at + name.length)) ?? [];
  return position === undefined ? '' : ` (${name}${position})`;
};

/** Reads JSON that code may have had a hand in: it replaces whatever it can reach. */
const fieldsOf = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    return Object(JSON.parse(text ?? '')) as Record<string, unknown>;
  } catch {
    return {};
  }
};

const thrownIn = (text: string | undefined): ThrownInCode => {
  const { name, message, stack, request } = fieldsOf(text);
  return {
    name: textOf(name),
    message: textOf(message),
    stack: textOf(stack),
    ...(typeof request === 'number' && { request }),
  };
};

const thrownFailure = (text: string | undefined, { name, refusals }: RunFacts): unknown => {
  const thrown = thrownIn(text);
  if (thrown.request !== undefined && refusals.has(thrown.request)) {
    return refusals.get(thrown.request);
  }
  if (thrown.name === 'InternalError' && thrown.message === 'out of memory') return outOfMemory();
  const kind = thrown.name === '' ? '' : `${thrown.name}: `;
  const message = `${kind}${thrown.message || 'thrown without a message'}`;
  const position = positionIn(thrown.stack, name);
  return new ToolFailure('EXECUTION_FAILED', message.slice(0, MAX_MESSAGE_LENGTH) + position);
};

const outOfMemory = (): ToolFailure =>
  new ToolFailure('SANDBOX_ERROR', 'The sandboxed code ran out of memory or broke its engine.', {
    suggestions: ['Work on less at a time, or raise the memory limit of the tool.'],
  });

const failureOf = (end: Exclude<RunEnd, { how: 'returned' }>, facts: RunFacts): unknown => {
  switch (end.how) {
    case 'threw':
      return thrownFailure(end.text, facts);
    case 'wrote too much':
      return new ToolFailure('OUTPUT_TOO_LARGE', 'The sandboxed code wrote more than it may.', {
        suggestions: ['Return or print less, or raise the output limit of the tool.'],
      });
    case 'waits for nothing':
      return new ToolFailure(
        'EXECUTION_FAILED',
        'The code waits for a promise that never settles.',
      );
    case 'broke':
      return outOfMemory();
  }
};

/** Turns the end that a thread reported into an outcome or a failure. */
const endOfRun = (
  { end, stdout, stderr }: Extract<FromThread, { kind: 'end' }>,
  facts: RunFacts,
): Conclusion => {
  if (end.how !== 'returned') return { failure: failureOf(end, facts) };
  const value: unknown = end.text === undefined ? undefined : JSON.parse(end.text);
  return { outcome: { ...(value !== undefined && { value }), stdout, stderr } };
};

const notUnderstood = (): ToolFailure =>
  new ToolFailure('EXECUTION_FAILED', 'The sandboxed code sent a request that cannot be read.', {
    suggestions: ['Leave toJSON of arrays and objects as it is.'],
  });

/** Answers requests and keeps the refusals, so that one that the code rethrows is reported unchanged. */
const createAnswerer = (host: SandboxHost, post: (answer: HostAnswer) => void) => {
  const refusals = new Map<number, unknown>();
  const refuse = (id: number, error: unknown): void => {
    refusals.set(id, error);
    // The code does not get to see a bug of ours.
    const { code, message } = error instanceof ToolFailure ? error : new ToolFailure('INTERNAL');
    post({ kind: 'refusal', id, code, message });
  };
  const answer = async (id: number, text: string): Promise<void> => {
    try {
      const { method, args } = fieldsOf(text);
      if (typeof method !== 'string' || !Array.isArray(args)) throw notUnderstood();
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
export const runInThread = ({
  request,
  runRequest,
  timeMs,
  thread,
}: ThreadRun): Promise<ThreadEnd> =>
  new Promise((settle) => {
    const { signal, host = NO_HOST } = request;
    const before = thread.performance.eventLoopUtilization();
    let isOver = false;
    const { answer, refusals } = createAnswerer(host, (message) => {
      if (!isOver) thread.postMessage(message);
    });
    const end = (value: ThreadEnd): void => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      thread.off('message', onMessage).off('error', onDeath).off('exit', onDeath);
      settle(value);
    };
    const fail = (failure: ToolFailure): void => {
      // A thread that is ended from outside cannot tell itself, and its memory cannot be seen from here.
      const { active } = thread.performance.eventLoopUtilization(before);
      request.onUsage?.({ cpuMs: Math.max(0, active), peakMemoryBytes: 0 });
      end({ reusable: false, failure });
    };
    const onAbort = (): void => fail(cancelled());
    const onDeath = (): void => fail(died());
    const onMessage = (message: FromThread): void => {
      if (message.kind === 'request') void answer(message.id, message.text);
      else {
        request.onUsage?.(message.usage);
        const conclusion = endOfRun(message, { name: runRequest.name, refusals });
        end({ ...conclusion, reusable: message.reusable });
      }
    };
    const timer = setTimeout(() => fail(timedOut(timeMs)), timeMs);
    signal.addEventListener('abort', onAbort, { once: true });
    thread.on('message', onMessage).on('error', onDeath).on('exit', onDeath);
    thread.postMessage(runRequest);
  });
