/**
 * Checks one project in a separate process: types can be written so that checking them takes for ever or
 * all memory, and a process can be killed. The broker reads the files for it, one question at a time.
 */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { PooledProcess, ProcessPool } from '../../kit/work/process-pool.ts';
import { hearProcess } from '../hear-process.ts';
import type { Answer, CheckJob, CheckReport, FromCheck, Question, ToCheck } from './check-job.ts';
import { noCompiler } from './load-compiler.ts';

const MAX_FILES = 20_000;
const MAX_BYTES = 256 * 1024 * 1024;

const tooLarge = () =>
  new ToolFailure('OUTPUT_TOO_LARGE', 'The project is too large to be checked in one go.', {
    suggestions: ['Check a part of it with a tsconfig.json of its own.'],
  });

/**
 * Answers questions about files. A file that is hidden or cannot be read is answered like one that does
 * not exist.
 */
const createAnswers = ({ fs }: ToolContext, root: string, fail: (error: unknown) => void) => {
  const left = { files: MAX_FILES, bytes: MAX_BYTES };
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
    realpath: async (path) => (await fs.resolve(path, 'read')).replaceAll('\\', '/'),
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

/** Makes the failure of an ended process. The engine aborts one that is out of memory (134 in a shell). */
const failureOf = (code: number | null, signal: NodeJS.Signals | null): ToolFailure =>
  signal === 'SIGABRT' || signal === 'SIGTRAP' || code === 134
    ? tooLarge()
    : new ToolFailure('EXECUTION_FAILED', 'The compiler broke on this project.');

/**
 * Answers the questions of a process until it reports. Rejects when it breaks or ends, and when the call
 * is cancelled.
 */
const converse = async (
  child: PooledProcess,
  job: CheckJob,
  context: ToolContext,
): Promise<CheckReport> => {
  const over = new AbortController();
  const tell = (message: ToCheck) => child.stdin.write(`${JSON.stringify(message)}\n`);
  try {
    return await new Promise<CheckReport>((resolve, reject) => {
      const answer = createAnswers(context, job.root, reject);
      const stop = hearProcess<FromCheck>(child, {
        message: ({ question, path = '', report }) => {
          if (report) resolve(report);
          else if (question) void answer(question, path).then((reply) => tell({ answer: reply }));
          else reject(noCompiler());
        },
        gone: (code, signal) => reject(failureOf(code, signal)),
      });
      over.signal.addEventListener('abort', stop);
      const cancel = () => reject(new ToolFailure('CANCELLED'));
      context.signal.addEventListener('abort', cancel, { once: true, signal: over.signal });
      tell({ job });
    });
  } finally {
    over.abort();
  }
};

/**
 * Checks a project. Fails with CANCELLED when the call is cancelled. A process that has not reported is
 * killed.
 */
export const checkInProcess = async (
  job: CheckJob,
  context: ToolContext,
  processes: ProcessPool,
): Promise<CheckReport> => {
  const child = await processes.take(context.signal);
  try {
    const report = await converse(child, job, context);
    processes.give(child);
    return report;
  } catch (error) {
    await processes.end(child);
    throw error;
  }
};
