/**
 * Works on data of callers and from outside without blocking the main thread: small inputs are tried here for a
 * few milliseconds, everything else goes to a process of its own, which can be killed and has a memory limit.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { sha256Hex } from '../data/canonical-json.ts';
import { lazy } from '../data/lazy.ts';
import { errorCodeOf, propertyOf } from '../data/reason-of.ts';
import { type PooledProcess, ProcessPool } from './process-pool.ts';
import { askWork, type WorkAnswer, workProgram } from './work-process.ts';

const MAX_INLINE_MS = 50;
const MAX_MS = 20_000;
const MAX_MEMORY_MB = 512;
/** So few that a small machine has processors left. The time limit of work starts when a process is free. */
const MAX_PROCESSES = 2;

export interface WorkModule<Input, Output> {
  /** Loads what the work needs; the work itself is what it returns. */
  prepare(input: Input): Promise<() => Output | Promise<Output>>;
}

export interface DataWork<Input, Output> {
  /** The name of the data in messages: "document". */
  readonly what: string;
  /** The name of the work module, which lies beside the module `from` (its `import.meta.url`). */
  readonly file: string;
  readonly from: string;
  load(): Promise<WorkModule<Input, Output>>;
  /** Tells whether an input should take a few milliseconds at most. */
  isSmall(input: Input): boolean;
  /** How long it may take in a process; 20,000 by default. */
  readonly maxMs?: number;
  /** The error code for data that did not come from the caller and exceeds a limit. */
  readonly code?: ErrorCode;
  /** What the heap of its process may take; 512 by default. */
  readonly memoryMb?: number;
}

type About = Pick<DataWork<never, unknown>, 'what' | 'maxMs' | 'code'>;

const newProcesses = (memoryMb: number): ProcessPool =>
  new ProcessPool({
    max: MAX_PROCESSES,
    maxIdle: 1,
    memoryMb,
    program: workProgram,
    args: () => [],
  });

const pools = lazy(() => new Map<number, ProcessPool>());

/** Gives the processes with that much memory. */
const processesWith = (memoryMb: number): ProcessPool => {
  const processes = pools().get(memoryMb) ?? newProcesses(memoryMb);
  pools().set(memoryMb, processes);
  return processes;
};

const tooLong = ({ what, maxMs = MAX_MS, code = 'TIMEOUT' }: About): ToolFailure =>
  new ToolFailure(code, `Working on the ${what} took longer than ${maxMs} ms.`, {
    suggestions: ['Ask for less at once: a smaller text, or a simpler expression or schema.'],
    retryable: false,
  });

const tooDeep = ({ what, code = 'VALIDATION_ERROR' }: About): ToolFailure =>
  new ToolFailure(code, `The ${what} is nested too deep.`, {
    suggestions: ['Use less nesting, and no references that lead back to themselves.'],
    retryable: false,
  });

const tooMuchMemory = ({ what, code = 'VALIDATION_ERROR' }: About): ToolFailure =>
  new ToolFailure(code, `The ${what} needs more memory than it may use.`, {
    suggestions: ['Use a smaller or a simpler one.'],
    retryable: false,
  });

/**
 * Runs the work in this process. Gives `undefined` when it takes longer than the main thread may be
 * blocked. The vm is no sandbox here: it is the one way to interrupt synchronous code. Its errors
 * come from another realm, so `instanceof` does not tell them apart.
 */
const workHere = async <Input, Output>(
  about: DataWork<Input, Output>,
  input: Input,
): Promise<{ readonly value: Output } | undefined> => {
  const work = await (await about.load()).prepare(input);
  const { runInNewContext } = process.getBuiltinModule('node:vm');
  try {
    const value: unknown = runInNewContext('work()', { work }, { timeout: MAX_INLINE_MS });
    return { value: (await value) as Output };
  } catch (error) {
    if (errorCodeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw propertyOf(error, 'name') === 'RangeError' ? tooDeep(about) : error;
  }
};

const CACHE = '../../../node_modules/.cache/toolcrib-work/';

const compileWork = async (source: URL): Promise<string> => {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    write: false,
  });
  const code = outputFiles[0]?.contents ?? new Uint8Array();
  const folder = new URL(CACHE, import.meta.url);
  await mkdir(folder, { recursive: true });
  const file = new URL(`${sha256Hex(code)}.mjs`, folder);
  // In one step: the process of another test worker may be reading the file at this moment.
  const scratch = new URL(`${randomUUID()}.tmp`, folder);
  await writeFile(scratch, code);
  await rename(scratch, file);
  return file.href;
};

/**
 * Finds the file of a work module beside the module `from`: in the package and in the bundle. From
 * sources it is compiled first, because Node 20 runs no TypeScript.
 */
const workFile = async (name: string, from: string): Promise<string> =>
  from.endsWith('.ts')
    ? compileWork(new URL(`./${name}.ts`, from))
    : new URL(`./${name}.js`, from).href;

const valueIn = <Output>(answer: WorkAnswer, about: About): Output => {
  if ('failure' in answer) {
    const { code, message, extras } = answer.failure;
    throw new ToolFailure(code, message, extras);
  }
  if ('deep' in answer) throw tooDeep(about);
  if ('broken' in answer) throw new Error(answer.broken);
  return answer.value as Output;
};

const askProcess = async (
  processes: ProcessPool,
  child: PooledProcess,
  { message, signal }: { readonly message: unknown; readonly signal: AbortSignal },
): Promise<WorkAnswer | undefined> => {
  const answer = await askWork(child, message, signal);
  if (answer) processes.give(child);
  else await processes.end(child);
  return answer;
};

const workInProcess = async <Input, Output>(
  about: DataWork<Input, Output>,
  input: Input,
  signal: AbortSignal,
): Promise<Output> => {
  const message = { file: await workFile(about.file, about.from), input };
  const processes = processesWith(about.memoryMb ?? MAX_MEMORY_MB);
  const child = await processes.take(signal);
  const clock = AbortSignal.timeout(about.maxMs ?? MAX_MS);
  const stop = AbortSignal.any([signal, clock]);
  const answer = await askProcess(processes, child, { message, signal: stop });
  if (answer) return valueIn<Output>(answer, about);
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  throw clock.aborted ? tooLong(about) : tooMuchMemory(about);
};

/** Runs the work where it fits. Fails with TIMEOUT, CANCELLED or VALIDATION_ERROR, or as the work itself fails. */
export const runDataWork = async <Input, Output>(
  work: DataWork<Input, Output>,
  input: Input,
  signal: AbortSignal,
): Promise<Output> => {
  const result = work.isSmall(input) ? await workHere(work, input) : undefined;
  return result ? result.value : workInProcess(work, input, signal);
};
