/**
 * Works on callers' data where it holds nobody: what is small is tried here for a few milliseconds,
 * everything else goes to a process of its own, which can be killed and has a limit of memory.
 */
import { type ErrorCode, ToolFailure } from '../contract/errors.ts';
import { boundedWork } from '../kit/data/bounded-work.ts';
import { lazy } from '../kit/data/lazy.ts';
import { askWork, type WorkAnswer } from './ask-work.ts';
import { type CompilerProcess, CompilerProcesses } from './compiler-processes.ts';
import { workFile } from './work-file.ts';
import { workProgram } from './work-program.ts';

const MAX_INLINE_MS = 50;
const MAX_MS = 20_000;
const MAX_MEMORY_MB = 512;
/** As many as leave a small machine room for everything else. The time of a piece of work starts with its turn. */
const MAX_PROCESSES = 2;

export interface WorkModule<Input, Output> {
  /** Loads what the work needs; the work itself is what it returns. */
  prepare(input: Input): Promise<() => Output | Promise<Output>>;
}

export interface DataWork<Input, Output> {
  /** What is worked on, for messages: "document". */
  readonly what: string;
  /** The name of the work module, which lies beside the module `from` (its `import.meta.url`). */
  readonly file: string;
  readonly from: string;
  load(): Promise<WorkModule<Input, Output>>;
  /** True for input that takes a few milliseconds at most, as far as can be told. */
  isSmall(input: Input): boolean;
  /** How long it may take in a process; 20,000 unless told. */
  readonly maxMs?: number;
  /** The code for data that is no input of the caller and takes too long, or is too deep or too large. */
  readonly code?: ErrorCode;
}

type About = Pick<DataWork<never, unknown>, 'what' | 'maxMs' | 'code'>;

const processes = lazy(
  () =>
    new CompilerProcesses({
      most: MAX_PROCESSES,
      mostIdle: 1,
      memoryMb: MAX_MEMORY_MB,
      program: workProgram,
      compilerFiles: () => [],
    }),
);

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

class Late extends Error {}

/** `undefined` when it takes longer than this process may be held. */
const workHere = async <Input, Output>(
  about: DataWork<Input, Output>,
  input: Input,
): Promise<{ readonly value: Output } | undefined> => {
  const work = await (await about.load()).prepare(input);
  const limit = { ms: MAX_INLINE_MS, late: () => new Late(), deep: () => tooDeep(about) };
  try {
    return { value: await boundedWork(work, limit) };
  } catch (error) {
    if (error instanceof Late) return undefined;
    throw error;
  }
};

const valueIn = <Output>(answer: WorkAnswer, about: About): Output => {
  if ('failure' in answer) {
    const { code, message, extras } = answer.failure;
    throw new ToolFailure(code, message, extras);
  }
  if ('deep' in answer) throw tooDeep(about);
  if ('broken' in answer) throw new Error(answer.broken);
  return answer.value as Output;
};

const talkTo = async (
  child: CompilerProcess,
  message: { readonly file: string; readonly input: unknown },
  signal: AbortSignal,
): Promise<WorkAnswer | undefined> => {
  const answer = await askWork(child, message, signal);
  if (answer) processes().give(child);
  else await processes().end(child);
  return answer;
};

const workElsewhere = async <Input, Output>(
  about: DataWork<Input, Output>,
  input: Input,
  signal: AbortSignal,
): Promise<Output> => {
  const message = { file: await workFile(about.file, about.from), input };
  const child = await processes().take(signal);
  const clock = AbortSignal.timeout(about.maxMs ?? MAX_MS);
  const answer = await talkTo(child, message, AbortSignal.any([signal, clock]));
  if (answer) return valueIn<Output>(answer, about);
  if (signal.aborted) throw new ToolFailure('CANCELLED');
  throw clock.aborted ? tooLong(about) : tooMuchMemory(about);
};

/** Fails with TIMEOUT, CANCELLED or VALIDATION_ERROR, or as the work itself fails. */
export const runDataWork = async <Input, Output>(
  work: DataWork<Input, Output>,
  input: Input,
  signal: AbortSignal,
): Promise<Output> => {
  const here = work.isSmall(input) ? await workHere(work, input) : undefined;
  return here ? here.value : workElsewhere(work, input, signal);
};
