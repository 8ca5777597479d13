/**
 * Calls that wait for an answer of their client between two of its requests (2026-07-28): a
 * question travels with the reply, the answer with the next request. The call is held in between
 * and continues from where it asked, so that nothing runs twice. It is cancelled when the client
 * does not answer in time.
 */
import { randomUUID } from 'node:crypto';
import type { InputRequest } from '@modelcontextprotocol/server';
import type { CallOptions } from '../../../contract/call-options.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { ToolResult } from '../../../contract/result.ts';
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import type { AskRound } from '../client-link.ts';

/** How long a client has to answer. */
export const MAX_WAIT_MS = 300_000;
const MAX_HELD = 1000;
const MAX_HELD_PER_SESSION = 20;
/** Questions that one call may put to its client. */
const MAX_QUESTIONS = 20;

type Progress = NonNullable<CallOptions['onProgress']>;

/** What one request brings to the call that it starts or continues. */
export interface HeldRound {
  readonly round: AskRound;
  /** Names the session: no other session can continue the call. */
  readonly binding: string;
  readonly onProgress: Progress;
}

/** How far a call got: to its result, or to questions for its client. */
export type Reached =
  | { readonly result: ToolResult; readonly round: AskRound }
  | { readonly id: string; readonly questions: Readonly<Record<string, InputRequest>> };

interface Question {
  readonly request: InputRequest;
  answer(response: unknown): void;
  reject(error: Error): void;
}

const callIsOver = (): ToolFailure =>
  new ToolFailure('PRECONDITION_FAILED', 'The call that asked this is over. Make it again.');

/** One call that may ask its client. */
export class HeldCall {
  readonly id = randomUUID();
  readonly binding: string;
  readonly first: AskRound;
  readonly #cancelling = new AbortController();
  readonly #questions = new Map<string, Question>();
  readonly #mayAsk: (call: HeldCall) => boolean;
  #asked = 0;
  #onProgress: Progress;
  #onAsked: (() => void) | undefined = undefined;
  #result: Promise<ToolResult> | undefined = undefined;

  constructor({ round, binding, onProgress }: HeldRound, mayAsk: (call: HeldCall) => boolean) {
    this.first = round;
    this.binding = binding;
    this.#onProgress = onProgress;
    this.#mayAsk = mayAsk;
  }

  get signal(): AbortSignal {
    return this.#cancelling.signal;
  }

  readonly progress: Progress = (fraction, note) => this.#onProgress(fraction, note);

  /** Puts a question to the client with the reply to its request; resolves with the answer. */
  ask(request: InputRequest, signal: AbortSignal): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (signal.aborted || this.#asked >= MAX_QUESTIONS || !this.#mayAsk(this)) {
        reject(callIsOver());
        return;
      }
      this.#asked += 1;
      const key = `toolcrib_${this.#asked}`;
      const stop = (): void => this.#questions.get(key)?.reject(callIsOver());
      const over =
        <T>(settle: (value: T) => void) =>
        (value: T): void => {
          this.#questions.delete(key);
          signal.removeEventListener('abort', stop);
          settle(value);
        };
      signal.addEventListener('abort', stop, { once: true });
      this.#questions.set(key, {
        request,
        answer: over(resolve),
        reject: over(reject),
      });
      this.#onAsked?.();
    });
  }

  /** Takes the answers that a request brought. */
  take(answers: Readonly<Record<string, unknown>> = {}): void {
    for (const [key, question] of this.#questions) {
      if (Object.hasOwn(answers, key)) question.answer(answers[key]);
    }
  }

  cancel(): void {
    for (const question of this.#questions.values()) question.reject(callIsOver());
    this.#cancelling.abort(callIsOver());
  }

  /** Continues, on behalf of a request, until there is a result or a question. */
  async continue(
    { round, onProgress }: HeldRound,
    run?: () => Promise<ToolResult>,
  ): Promise<Reached> {
    this.#onProgress = onProgress;
    const { signal } = round.ctx.mcpReq;
    const stop = (): void => this.cancel();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const questioned = new Promise<undefined>((resolve) => {
        this.#onAsked = () => resolve(undefined);
        if (this.#questions.size > 0) resolve(undefined);
      });
      this.#result ??= run?.();
      // It may fail while no request awaits it, which must not end the process.
      this.#result?.catch(() => undefined);
      const result = await Promise.race([this.#result, questioned]);
      if (result) return { result, round: { ...this.first, ctx: round.ctx } };
      const open = [...this.#questions].map(([key, { request }]) => [key, request] as const);
      return { id: this.id, questions: Object.fromEntries(open) };
    } finally {
      this.#onAsked = undefined;
      signal.removeEventListener('abort', stop);
    }
  }
}

export class HeldCalls {
  readonly #runtime: Runtime;
  readonly #held = new Map<string, { readonly call: HeldCall; readonly timer: Timer }>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Starts a call; it is held when it asks something. */
  start(asking: HeldRound, run: (call: HeldCall) => Promise<ToolResult>): Promise<Reached> {
    const call = new HeldCall(asking, (one) => this.#hasRoom(one));
    return this.#follow(
      call,
      call.continue(asking, () => run(call)),
    );
  }

  /** Continues a held call. Throws when there is none, or when it belongs to another session or call. */
  resume(id: string, asking: HeldRound): Promise<Reached> {
    const held = this.#held.get(id);
    const { round, binding } = asking;
    const isSame = held?.call.binding === binding && held.call.first.digest() === round.digest();
    if (!held || !isSame) throw callIsOver();
    held.timer.cancel();
    this.#held.delete(id);
    held.call.take(round.ctx.mcpReq.inputResponses);
    return this.#follow(held.call, held.call.continue(asking));
  }

  /** Cancels the held calls of a session that is over, or all of them. */
  end(binding?: string): void {
    for (const [id, { call, timer }] of this.#held) {
      if (binding !== undefined && call.binding !== binding) continue;
      timer.cancel();
      this.#held.delete(id);
      call.cancel();
    }
  }

  async #follow(call: HeldCall, going: Promise<Reached>): Promise<Reached> {
    const reached = await going;
    if ('id' in reached) this.#hold(call);
    return reached;
  }

  #hold(call: HeldCall): void {
    const timer = this.#runtime.after(MAX_WAIT_MS, () => {
      this.#held.delete(call.id);
      call.cancel();
    });
    timer.keepAlive(false);
    this.#held.set(call.id, { call, timer });
  }

  #hasRoom({ binding }: HeldCall): boolean {
    if (this.#held.size >= MAX_HELD) return false;
    const mine = [...this.#held.values()].filter(({ call }) => call.binding === binding);
    return mine.length < MAX_HELD_PER_SESSION;
  }
}
