/**
 * Checks the types of a model's code in a separate process: types can be written so that checking them
 * never ends or takes all memory, and a process can be killed. It is reused for the next check.
 */
import type { Issue } from '../../contract/errors.ts';
import { type PooledProcess, ProcessPool } from '../../kit/work/process-pool.ts';
import { compilerFiles } from '../compiler-files.ts';
import { hearProcess } from '../hear-process.ts';
import { codeCheckProgram } from './code-check-program.ts';
import { issueAt } from './code-issues.ts';
import { LINES_BEFORE, wrapCode } from './guest-api.ts';

export interface TypeCheckerOptions {
  /** Lists candidates for a TypeScript with a JavaScript API; those installed with this program when absent. */
  compilerFiles?(): readonly string[];
  /** Milliseconds that one check may take; 20,000 when absent. */
  readonly maxMs?: number;
  /** Megabytes of heap for the process; 1,024 when absent. */
  readonly memoryMb?: number;
  /** Milliseconds after which an unused process ends; see `ProcessPool`. */
  readonly idleMs?: number;
}

export type TypeVerdict =
  | { readonly checked: true; readonly issues: readonly Issue[] }
  | { readonly checked: false; readonly reason: string };

interface Job {
  readonly code: string;
  readonly declarations: string;
}

interface Reply {
  readonly problems?: readonly Problem[];
  readonly missing?: true;
}

interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const MAX_MS = 20_000;
const MAX_MEMORY_MB = 1_024;
const NO_COMPILER = 'there is no TypeScript compiler; npm install -D typescript@6 adds one';
const NO_ANSWER = 'the check took too long or broke';

/** Sends a job and waits for the reply; `undefined` when the process does not answer in time or dies. */
const converse = (child: PooledProcess, job: Job, maxMs: number): Promise<Reply | undefined> =>
  new Promise((resolve) => {
    const settle = (reply?: Reply): void => {
      clearTimeout(timer);
      stop();
      resolve(reply);
    };
    const timer = setTimeout(settle, maxMs);
    const stop = hearProcess<Reply>(child, { message: settle, gone: () => settle() });
    child.stdin.write(`${JSON.stringify(job)}\n`);
  });

export class TypeChecker {
  readonly #options: TypeCheckerOptions;
  readonly #compilerFiles: () => readonly string[];
  readonly #processes: ProcessPool;
  #line: Promise<unknown> = Promise.resolve();

  constructor({ memoryMb = MAX_MEMORY_MB, ...options }: TypeCheckerOptions = {}) {
    this.#options = options;
    this.#compilerFiles = options.compilerFiles ?? compilerFiles;
    this.#processes = new ProcessPool({
      ...options,
      args: this.#compilerFiles,
      max: 1,
      memoryMb,
      program: codeCheckProgram,
    });
  }

  /** Counts the processes, idle or not. */
  get size(): number {
    return this.#processes.size;
  }

  /**
   * Checks code, one request after the other. Never rejects: code whose types cannot be checked is
   * allowed to run.
   */
  check(code: string, declarations: string): Promise<TypeVerdict> {
    const verdict = this.#line.then(() => this.#check({ code: wrapCode(code, ''), declarations }));
    this.#line = verdict.catch(() => undefined);
    return verdict;
  }

  async close(): Promise<void> {
    await this.#line;
    await this.#processes.close();
  }

  async #check(job: Job): Promise<TypeVerdict> {
    if (this.#compilerFiles().length === 0) return { checked: false, reason: NO_COMPILER };
    const reply = await this.#ask(job);
    const problems = reply?.problems;
    if (!problems) return { checked: false, reason: reply?.missing ? NO_COMPILER : NO_ANSWER };
    const issues = problems.map(({ line, column, message }) =>
      issueAt({ line: Math.max(1, line - LINES_BEFORE), column }, message),
    );
    return { checked: true, issues };
  }

  /** Asks a process; one that sent no complete reply is not used again. */
  async #ask(job: Job): Promise<Reply | undefined> {
    const child = await this.#take();
    if (!child) return undefined;
    const reply = await converse(child, job, this.#options.maxMs ?? MAX_MS);
    if (reply?.problems) this.#processes.give(child);
    else await this.#processes.end(child);
    return reply;
  }

  /**
   * Takes a process; `undefined` when none can be started. There is one job at a time, so this waits for
   * no other.
   */
  async #take(): Promise<PooledProcess | undefined> {
    try {
      return await this.#processes.take(new AbortController().signal);
    } catch {
      return undefined;
    }
  }
}
