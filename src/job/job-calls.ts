/**
 * Calls tools on behalf of a job. A call that may change something carries a key made of job, tool and
 * number, so that a job which is handed out again repeats no effect. One in doubt makes the job dead.
 */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { CallAs } from '../contract/call-options.ts';
import type { Catalog } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import { type Job, traceIdOf } from '../contract/queue.ts';
import type { PendingApproval, ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { MemoryStore } from '../contract/store.ts';
import { DurableWork } from '../pipeline/durable-work.ts';
import { onlyReads } from '../registry/only-reads.ts';
import { PostponedJob } from './job-end.ts';

export interface JobCallDeps {
  readonly runtime: Pick<Runtime, 'now'>;
  readonly tools: Pick<Catalog, 'get'>;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  approval(approvalId: string): Promise<ApprovalRecord | undefined>;
  readonly memory: Pick<MemoryStore, 'read' | 'write' | 'delete'>;
}

/** Where it is kept which question a call of a job has put. */
const SPACE = 'toolcrib:jobs';
/** How soon a job looks again that waits for a person, or for another worker. */
const POSTPONED_MS = 2_000;

export class JobCalls {
  readonly #job: Job;
  readonly #deps: JobCallDeps;
  readonly #as: CallAs;
  readonly #made = new Map<string, number>();

  constructor(job: Job, signal: AbortSignal, deps: JobCallDeps) {
    this.#job = job;
    this.#deps = deps;
    const limits = job.dailyUsd === undefined ? {} : { dailyUsd: job.dailyUsd };
    const { trace } = job;
    const place = trace ? { trace } : { traceId: traceIdOf(job) };
    const durable = new DurableWork(`job:${job.id}`, signal);
    this.#as = { ...job.caller, ...limits, signal, durable, ...place };
  }

  async call(tool: string, input: unknown): Promise<unknown> {
    const { tools, execute } = this.#deps;
    const number = (this.#made.get(tool) ?? 0) + 1;
    this.#made.set(tool, number);
    if (onlyReads(tools.get(tool)?.tool)) {
      return this.#dataOf(await execute(tool, input, this.#as), `${tool}:${number}`);
    }
    // By tool and number: other tools that are called in another order move no key.
    const name = `${tool}:${number}`;
    const key = { idempotencyKey: `job:${this.#job.id}:${name}` };
    const approvalId = await this.#answeredQuestion(name);
    const answered = approvalId === undefined ? {} : { approvalId };
    return this.#dataOf(await execute(tool, input, { ...this.#as, ...key, ...answered }), name);
  }

  async #dataOf(result: ToolResult, name: string): Promise<unknown> {
    if (result.status === 'success') return result.data;
    if (result.status === 'pending') return this.#postpone(name, result.approval);
    const { code, message, ...extras } = result.error;
    if (extras.inDoubt !== undefined) {
      const text = `Nobody knows whether the call of ${result.metadata.toolName} took effect: ${message}`;
      throw new ToolFailure(code, text, {
        ...extras,
        retryable: false,
        suggestions: ['Check what it did. If it has to be done again, add a new job.'],
      });
    }
    if (extras.keyHeld) throw new PostponedJob(message, POSTPONED_MS);
    throw new ToolFailure(code, message, extras);
  }

  /** Remembers the question, so that the next attempt brings its answer. */
  async #postpone(name: string, { approvalId, expiresAt }: PendingApproval): Promise<never> {
    const { memory } = this.#deps;
    const key = `${this.#job.id}:${name}`;
    await memory.write({ space: SPACE, key, value: approvalId, expiresAt });
    throw new PostponedJob('A person has to approve a call of this job.', POSTPONED_MS);
  }

  /** Returns the question that an earlier attempt has put, once it is answered. */
  async #answeredQuestion(name: string): Promise<string | undefined> {
    const { memory } = this.#deps;
    const key = `${this.#job.id}:${name}`;
    const approvalId = await memory.read(SPACE, key, this.#deps.runtime.now());
    if (typeof approvalId !== 'string') return undefined;
    const record = await this.#deps.approval(approvalId);
    if (record?.state === 'waiting' && record.expiresAt > this.#deps.runtime.now()) {
      throw new PostponedJob('A person has to approve a call of this job.', POSTPONED_MS);
    }
    await memory.delete(SPACE, key);
    return approvalId;
  }
}
