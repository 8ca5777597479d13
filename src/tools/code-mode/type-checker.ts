/**
 * Checks the types of a model's code in a thread of its own: types can be written so that checking
 * them takes for ever, and a thread can be ended. The thread is kept for the next check.
 */
import type { Worker } from 'node:worker_threads';
import type { Issue } from '../../contract/errors.ts';
import { CHECK_WORKER_PROGRAM } from './check-worker-program.ts';
import { issueAt } from './code-issues.ts';
import { LINES_BEFORE, wrapCode } from './guest-api.ts';

export interface TypeCheckerOptions {
  /** Files that may be a TypeScript with a JavaScript API; the first that is one is used. */
  compilerFiles(): readonly string[];
  /** Milliseconds one check may take; 20,000 unless told. */
  readonly mostMs?: number;
}

export type TypeVerdict =
  | { readonly checked: true; readonly issues: readonly Issue[] }
  | { readonly checked: false; readonly reason: string };

interface Reply {
  readonly problems?: readonly Problem[];
  readonly missing?: true;
}

interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const MOST_MS = 20_000;
const MOST_MEMORY_MB = 1_024;
const NO_COMPILER = 'there is no TypeScript compiler; npm install -D typescript@6 adds one';
const NO_ANSWER = 'the check took too long or broke';

export class TypeChecker {
  readonly #options: TypeCheckerOptions;
  #thread: Worker | undefined = undefined;
  #line: Promise<unknown> = Promise.resolve();

  constructor(options: TypeCheckerOptions) {
    this.#options = options;
  }

  /** One after the other. Never rejects: code whose types cannot be checked is not refused for it. */
  check(code: string, declarations: string): Promise<TypeVerdict> {
    const verdict = this.#line.then(() => this.#check(code, declarations));
    this.#line = verdict.catch(() => undefined);
    return verdict;
  }

  async close(): Promise<void> {
    await this.#line;
    await this.#end();
  }

  async #check(code: string, declarations: string): Promise<TypeVerdict> {
    const files = this.#options.compilerFiles();
    if (files.length === 0) return { checked: false, reason: NO_COMPILER };
    const reply = await this.#ask(files, { code: wrapCode(code, ''), declarations });
    const problems = reply?.problems;
    if (!problems) {
      await this.#end();
      return { checked: false, reason: reply?.missing ? NO_COMPILER : NO_ANSWER };
    }
    const issues = problems.map(({ line, column, message }) =>
      issueAt({ line: Math.max(1, line - LINES_BEFORE), column }, message),
    );
    return { checked: true, issues };
  }

  /** `undefined` when the thread does not answer in time or dies. */
  #ask(
    files: readonly string[],
    job: { readonly code: string; readonly declarations: string },
  ): Promise<Reply | undefined> {
    this.#thread ??= this.#start(files);
    const thread = this.#thread;
    thread.ref();
    return new Promise((resolve) => {
      const settle = (reply: Reply | undefined): void => {
        clearTimeout(timer);
        thread.removeAllListeners('message').removeAllListeners('exit');
        // An idle thread keeps nobody from going home.
        thread.unref();
        resolve(reply);
      };
      const timer = setTimeout(settle, this.#options.mostMs ?? MOST_MS, undefined);
      thread.once('message', settle);
      thread.once('exit', () => settle(undefined));
      thread.postMessage(job);
    });
  }

  #start(files: readonly string[]): Worker {
    const threads = process.getBuiltinModule('node:worker_threads');
    const thread = new threads.Worker(CHECK_WORKER_PROGRAM, {
      eval: true,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
      workerData: { files },
    });
    // Its end tells enough.
    thread.on('error', () => undefined);
    return thread;
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}
