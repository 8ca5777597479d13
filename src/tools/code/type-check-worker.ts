/**
 * Runs the type checker in a worker thread: types can be written so that checking them takes for
 * ever, and a thread can be ended. Its files come from the broker, question by question.
 */
import { dirname } from 'node:path';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import {
  type Answer,
  type CheckJob,
  type CheckReport,
  type Question,
  workerSource,
} from './check-types.ts';

export interface CheckRequest extends Omit<CheckJob, 'libFolder'> {
  /** The file of the compiler. */
  readonly compiler: string;
}

const MOST_FILES = 20_000;
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_MEMORY_MB = 2_048;

const tooLarge = () =>
  new ToolFailure('OUTPUT_TOO_LARGE', 'The project is too large to be checked in one go.', {
    suggestions: ['Check a part of it with a tsconfig.json of its own.'],
  });

const slashed = (path: string): string => path.replaceAll('\\', '/');

/** What may not be seen is answered as if it were not there; so is what breaks. */
const createAnswers = ({ fs }: ToolContext, root: string, fail: (error: unknown) => void) => {
  const left = { files: MOST_FILES, bytes: MOST_BYTES };
  const read = async (path: string): Promise<string> => {
    const bytes = await fs.read(path);
    left.files -= 1;
    left.bytes -= bytes.length;
    if (left.files < 0 || left.bytes < 0) fail(tooLarge());
    return new TextDecoder().decode(bytes);
  };
  const answers: Readonly<Record<Question, (path: string) => Promise<Answer>>> = {
    list: async (path) =>
      (await fs.list(path)).map((info) => [
        info.path.slice(info.path.lastIndexOf('/') + 1),
        info.kind,
      ]),
    stat: async (path) => (await fs.stat(path))?.kind,
    realpath: async (path) => slashed(await fs.resolve(path, 'read')),
    read,
  };
  return async (question: Question, path: string): Promise<Answer> => {
    try {
      return await answers[question](path === root ? '.' : path.slice(root.length + 1));
    } catch {
      return undefined;
    }
  };
};

const serve = (
  port: MessagePort,
  flag: Int32Array,
  answer: (question: Question, path: string) => Promise<Answer>,
): void => {
  port.on('message', ({ question, path }: { question: Question; path: string }) => {
    void answer(question, path).then((given) => {
      port.postMessage({ answer: given });
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
    });
  });
};

const failureOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? tooLarge()
    : error;

/** Fails with CANCELLED when the call is cancelled; the thread is ended in any case. */
export const checkInWorker = async (
  { compiler, ...job }: CheckRequest,
  context: ToolContext,
): Promise<CheckReport> => {
  if (context.signal.aborted) throw new ToolFailure('CANCELLED');
  const { port1, port2 } = new MessageChannel();
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const libFolder = slashed(dirname(compiler));
  const worker = new Worker(workerSource(), {
    eval: true,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
    workerData: { compiler, job: { ...job, libFolder }, port: port2, flag },
    transferList: [port2],
  });
  const ended = new AbortController();
  try {
    return await new Promise<CheckReport>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error) => reject(failureOf(error)));
      worker.once('exit', () => reject(new ToolFailure('EXECUTION_FAILED')));
      const cancel = () => reject(new ToolFailure('CANCELLED'));
      context.signal.addEventListener('abort', cancel, { once: true, signal: ended.signal });
      serve(port1, flag, createAnswers(context, job.root, reject));
    });
  } finally {
    ended.abort();
    await worker.terminate();
    port1.close();
  }
};
