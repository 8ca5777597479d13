/**
 * Checks the types of a model's code in a process of its own: types can be written so that checking
 * them never ends or takes all memory, and a process can be killed. It is kept for the next check.
 */
import type { Issue } from '../../contract/errors.ts';
import { type CompilerProcess, CompilerProcesses } from '../../kit/work/compiler-processes.ts';
import { compilerFiles } from '../compiler-files.ts';
import { hearProcess } from '../hear-process.ts';
import { codeCheckProgram } from './code-check-program.ts';
import { issueAt } from './code-issues.ts';
import { LINES_BEFORE, wrapCode } from './guest-api.ts';

export interface TypeCheckerOptions {
  /** Files that may be a TypeScript with a JavaScript API, in the place of those beside this program. */
  compilerFiles?(): readonly string[];
  /** Milliseconds one check may take; 20,000 when absent. */
  readonly mostMs?: number;
  /** What the heap of the process may take; 1,024 when absent. */
  readonly memoryMb?: number;
  /** Milliseconds after which an unused process ends; see `CompilerProcesses`. */
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

/** `undefined` when the process does not answer in time or dies. */
const converse = (child: CompilerProcess, job: Job, mostMs: number): Promise<Reply | undefined> =>
  new Promise((resolve) => {
    const settle = (reply?: Reply): void => {
      clearTimeout(timer);
      stop();
      resolve(reply);
    };
    const timer = setTimeout(settle, mostMs);
    const stop = hearProcess<Reply>(child, { message: settle, gone: () => settle() });
    child.stdin.write(`${JSON.stringify(job)}\n`);
  });

export class TypeChecker {
  readonly #options: TypeCheckerOptions;
  readonly #compilerFiles: () => readonly string[];
  readonly #processes: CompilerProcesses;
  #line: Promise<unknown> = Promise.resolve();

  constructor({ memoryMb = MAX_MEMORY_MB, ...options }: TypeCheckerOptions = {}) {
    this.#options = options;
    this.#compilerFiles = options.compilerFiles ?? compilerFiles;
    this.#processes = new CompilerProcesses({
      ...options,
      compilerFiles: this.#compilerFiles,
      most: 1,
      memoryMb,
      program: codeCheckProgram,
    });
  }

  /** How many processes there are, idle or not. */
  get size(): number {
    return this.#processes.size;
  }

  /** One after the other. Never rejects: code whose types cannot be checked is not refused for it. */
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

  /** A process that did not say what it found is not used again. */
  async #ask(job: Job): Promise<Reply | undefined> {
    const child = await this.#take();
    if (!child) return undefined;
    const reply = await converse(child, job, this.#options.mostMs ?? MAX_MS);
    if (reply?.problems) this.#processes.give(child);
    else await this.#processes.end(child);
    return reply;
  }

  /** `undefined` when none can be started. There is one job at a time, so none is waited for long. */
  async #take(): Promise<CompilerProcess | undefined> {
    try {
      return await this.#processes.take(new AbortController().signal);
    } catch {
      return undefined;
    }
  }
}
