/**
 * The host's side of a run: makes the calls of the code, each through the whole pipeline, limits their
 * number, and collects what the code prints. A call that waits for a person ends the run once the others
 * are done.
 */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { SandboxHost } from '../../contract/sandbox.ts';

export interface NeededApproval {
  readonly approvalId: string;
  readonly tool: string;
  readonly expiresAt: number;
}

export interface CallCount {
  readonly tool: string;
  readonly ok: number;
  readonly failed: number;
  /** Calls that were cancelled because the run ended first; what they had begun may have its effect. */
  readonly running?: number;
}

export interface InnerCallsOptions {
  readonly maxCalls: number;
  /** Called with every result that goes to the code and not to the model. */
  onResult(input: unknown, result: ToolResult): void;
  /** Ends the run, which can only continue after a person has answered. */
  end(): void;
}

const MAX_LOG = 20_000;
/** How long to wait for calls that the code made at the same time and that have not arrived yet. */
const GRACE_MS = 50;

const refused = (method: string): ToolFailure =>
  new ToolFailure('PERMISSION_DENIED', `Code can only call tools, not ${method.slice(0, 40)}.`);

const never = (): Promise<never> => new Promise(() => undefined);

export class InnerCalls implements SandboxHost {
  readonly approvals: NeededApproval[] = [];
  readonly #context: ToolContext;
  readonly #options: InnerCallsOptions;
  readonly #counts = new Map<string, { ok: number; failed: number }>();
  readonly #log: string[] = [];
  #logged = 0;
  #made = 0;
  /** The running calls, with the tool of each. */
  readonly #underWay = new Map<Promise<unknown>, string>();
  readonly #cancelling = new AbortController();
  /** The tools of the calls that were cancelled. */
  #cancelled: readonly string[] | undefined;
  #isOver = false;

  constructor(context: ToolContext, options: InnerCallsOptions) {
    this.#context = context;
    this.#options = options;
  }

  get counts(): readonly CallCount[] {
    const running = this.#cancelled ?? [...this.#underWay.values()];
    const tools = new Set([...this.#counts.keys(), ...running]);
    return [...tools].map((tool) => {
      const { ok = 0, failed = 0 } = this.#counts.get(tool) ?? {};
      const still = running.filter((each) => each === tool).length;
      return { tool, ok, failed, ...(still > 0 && { running: still }) };
    });
  }

  get log(): string {
    return this.#log.join('\n');
  }

  async request(method: string, args: readonly unknown[]): Promise<unknown> {
    if (method === 'logger.info') return this.#print(args[0]);
    if (method !== 'call' || typeof args[0] !== 'string') throw refused(method);
    if (this.#isOver) return never();
    this.#made += 1;
    if (this.#made > this.#options.maxCalls) throw this.#tooMany();
    const answer = this.#call(args[0], args[1]);
    this.#underWay.set(answer, args[0]);
    const result = await answer.finally(() => this.#underWay.delete(answer));
    if (this.approvals.length > 0) this.#endSoon();
    if (result.approval) return never();
    const { success, data, error } = result;
    return success ? { success, data } : { success, error };
  }

  /** Resolves when the calls that the code did not wait for are done. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#underWay.keys());
  }

  /** Cancels the calls that are still running: nobody waits for them any more. */
  cancel(): void {
    this.#isOver = true;
    this.#cancelled = [...this.#underWay.values()];
    this.#cancelling.abort();
  }

  async #call(tool: string, input: unknown): Promise<ToolResult> {
    const { signal } = this.#cancelling;
    const result = await this.#context.call(tool, input, { signal });
    if (signal.aborted) return result;
    if (result.approval) {
      const { approvalId, expiresAt } = result.approval;
      this.approvals.push({ approvalId, expiresAt, tool: result.metadata.toolName });
    } else {
      this.#count(result);
      this.#options.onResult(input, result);
    }
    return result;
  }

  /** Ends the run when no other call is running: the rest of the code waits for a person. */
  #endSoon(): void {
    setTimeout(() => {
      if (this.#isOver || this.#underWay.size > 0) return;
      this.#isOver = true;
      this.#options.end();
    }, GRACE_MS);
  }

  #count({ success, metadata }: ToolResult): void {
    const count = this.#counts.get(metadata.toolName) ?? { ok: 0, failed: 0 };
    count[success ? 'ok' : 'failed'] += 1;
    this.#counts.set(metadata.toolName, count);
  }

  #tooMany(): ToolFailure {
    this.#made = this.#options.maxCalls;
    return new ToolFailure(
      'RATE_LIMITED',
      `One run may make ${this.#options.maxCalls} calls, and it has made them.`,
    );
  }

  #print(line: unknown): void {
    if (typeof line !== 'string' || this.#logged >= MAX_LOG) return;
    const text = line.slice(0, MAX_LOG - this.#logged);
    this.#logged += text.length + 1;
    this.#log.push(this.#logged >= MAX_LOG ? `${text}…` : text);
  }
}
