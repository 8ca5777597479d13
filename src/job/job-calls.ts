/**
 * Calls tools on behalf of a job. A call that may change something carries a key made of job, tool and
 * number, so that a job which is handed out again repeats no effect. One in doubt makes the job dead.
 */
import { type ApprovalRecord, NOBODY_IN_TIME } from '../contract/approver.ts';
import type { CallAs } from '../contract/call-options.ts';
import type { Catalog } from '../contract/catalog.ts';
import { ToolFailure } from '../contract/errors.ts';
import { type Job, traceIdOf } from '../contract/queue.ts';
import type { PendingApproval, ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { MemoryStore } from '../contract/store.ts';
import { DURABLE_MS, DurableWork } from '../pipeline/durable-work.ts';
import { onlyReads } from '../registry/only-reads.ts';
import { isHopeless, PostponedJob } from './job-end.ts';

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

const unanswered = (approvalId: string): PostponedJob =>
  new PostponedJob('A person has to approve a call of this job.', POSTPONED_MS, approvalId);

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
    // By tool and number: other tools that are called in another order move no key.
    const name = `${tool}:${number}`;
    const isRepeatable = onlyReads(tools.get(tool)?.tool);
    const key = isRepeatable ? {} : { idempotencyKey: `job:${this.#job.id}:${name}` };
    const approvalId = await this.#answeredQuestion(name);
    const answered = approvalId === undefined ? {} : { approvalId };
    const result = await execute(tool, input, { ...this.#as, ...key, ...answered });
    // Not before: an attempt that dies in between brings the answer again.
    if (approvalId !== undefined && (await this.#isSettled(result, approvalId))) {
      await this.#forgetQuestion(name);
    }
    return this.#dataOf(result, name);
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
    const { memory, runtime } = this.#deps;
    const key = `${this.#job.id}:${name}`;
    // An answer that was given in time counts, however late the job goes on.
    const expiry = { at: expiresAt + DURABLE_MS, now: runtime.now() };
    await memory.write({ space: SPACE, key, value: approvalId, expiry });
    throw unanswered(approvalId);
  }

  /**
   * Returns the question that an earlier attempt has put, once it is answered. One that nobody answered is put
   * again.
   */
  async #answeredQuestion(name: string): Promise<string | undefined> {
    const { memory, runtime } = this.#deps;
    const approvalId = await memory.read(SPACE, `${this.#job.id}:${name}`, runtime.now());
    if (typeof approvalId !== 'string') return undefined;
    const record = await this.#deps.approval(approvalId);
    if (record?.state === 'waiting' && record.expiresAt > runtime.now()) {
      throw unanswered(approvalId);
    }
    if (record && record.state !== 'waiting' && record.decidedBy !== NOBODY_IN_TIME)
      return approvalId;
    await this.#forgetQuestion(name);
    return undefined;
  }

  /** Tells whether a call needs its answer no more. The next attempt brings one that was not used. */
  async #isSettled({ status, error }: ToolResult, approvalId: string): Promise<boolean> {
    if (status === 'pending') return false;
    if (!error || isHopeless(error)) return true;
    if (error.keyHeld) return false;
    return (await this.#deps.approval(approvalId))?.state === 'used';
  }

  async #forgetQuestion(name: string): Promise<void> {
    await this.#deps.memory.delete(SPACE, `${this.#job.id}:${name}`);
  }
}
