/**
 * The calls that run on one connection, so that a question of the server reaches the person behind
 * the call that it belongs to. HTTP streams and replies of the 2026-07-28 protocol say which call
 * that is (`question-link.ts`). A pipe does not: there a question is put to the session whose calls
 * run, and to nobody while calls of different sessions run, for it could reach the wrong person. A
 * call that was cancelled counts on, because the server may still work on it.
 */
import { randomUUID } from 'node:crypto';
import { LOCAL_CALLER } from '../../../contract/caller.ts';
import type { ToolContext } from '../../../contract/context.ts';
import { ToolFailure } from '../../../contract/errors.ts';

/** How to ask the person, and the model, behind a call. */
export type Askers = Pick<ToolContext, 'elicit' | 'elicitUrl' | 'sample'>;

type RunningCaller = Pick<ToolContext, 'userId' | 'agentId' | 'sessionId' | 'authenticated'>;

/** Names a session; nothing where nobody named it, because any person may be behind it. */
const sessionOf = ({ userId, agentId, sessionId, authenticated }: RunningCaller) => {
  if (sessionId === LOCAL_CALLER.sessionId) return undefined;
  const proven = authenticated ?? { userId, agentId, sessionId };
  return JSON.stringify([userId, agentId, sessionId, Object.entries(proven).sort()]);
};

/** Tells whether the server answered with an error: the same call gets the same answer. */
export const isErrorAnswer = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ProtocolError';

export class RunningCall {
  readonly askers: Askers;
  readonly caller: RunningCaller;
  /** The requests of the protocol that were sent for this call. */
  readonly requestIds = new Set<number>();
  /** How often the server has asked on behalf of this call. */
  questions = 0;
  #key: string | undefined = undefined;

  constructor(askers: Askers, caller: RunningCaller) {
    this.askers = askers;
    this.caller = caller;
  }

  /** Names the call to its transport. Random, so that no server can name the call of somebody else. */
  get key(): string {
    this.#key ??= randomUUID();
    return this.#key;
  }

  hasKey(key: string): boolean {
    return this.#key === key;
  }
}

/** Questions of one call, to its person and its model. */
const MAX_QUESTIONS = 20;

/** The least time that a call without an answer counts on, even if it has used up its own. */
const MIN_LEFT_MS = 300_000;

const NO_ASKERS: Askers = { elicit: undefined, elicitUrl: undefined, sample: undefined };

export interface RunningCallsDeps {
  /** Returns milliseconds on a clock that never goes back. */
  elapsed(): number;
  /** How long one call may take. */
  readonly maxCallMs: number;
}

export class RunningCalls {
  readonly #deps: RunningCallsDeps;
  readonly #calls = new Set<RunningCall>();
  /** Until when calls that were left without an answer may still ask, by their session. */
  readonly #left = new Map<string | undefined, number>();

  constructor(deps: RunningCallsDeps) {
    this.#deps = deps;
  }

  /** Adds a request that brings no way to ask, such as the reading of a resource, made by anybody. */
  addSilent(): RunningCall {
    return this.add(NO_ASKERS, LOCAL_CALLER);
  }

  add(askers: Askers, caller: RunningCaller): RunningCall {
    const call = new RunningCall(askers, caller);
    this.#calls.add(call);
    return call;
  }

  /** Ends a call that the server has answered. */
  delete(call: RunningCall): void {
    this.#calls.delete(call);
  }

  /** Ends a call that the server has not answered: it may still ask, but nobody else must be asked. */
  leave(call: RunningCall): void {
    if (!this.#calls.delete(call)) return;
    this.#forgetLeft();
    const session = sessionOf(call.caller);
    const until = this.#deps.elapsed() + Math.max(this.#deps.maxCallMs, MIN_LEFT_MS);
    this.#left.set(session, until);
  }

  /** Awaits the answer to a call, and ends the call. */
  async settle<T>(call: RunningCall, answer: Promise<T>): Promise<T> {
    try {
      const result = await answer;
      this.delete(call);
      return result;
    } catch (error) {
      if (isErrorAnswer(error)) this.delete(call);
      else this.leave(call);
      throw error;
    }
  }

  /** Those that run, and the sessions whose cancelled calls may still ask. */
  get size(): number {
    this.#forgetLeft();
    return this.#calls.size + this.#left.size;
  }

  withKey(key: string): RunningCall | undefined {
    return [...this.#calls].find((call) => call.hasKey(key));
  }

  withRequest(id: number): RunningCall | undefined {
    return [...this.#calls].find(({ requestIds }) => requestIds.has(id));
  }

  /**
   * Returns the call that a question belongs to: the linked one, or one of those that run when all
   * are of one session. Of several it is the one with the fewest questions, because a call may only
   * ask so often.
   */
  askedBy(key: string | undefined, kind: keyof Askers): RunningCall | undefined {
    const call = key === undefined ? this.#ofOneSession(kind) : this.withKey(key);
    if (call) call.questions += 1;
    return call;
  }

  #ofOneSession(kind: keyof Askers): RunningCall | undefined {
    const [first, ...others] = this.#calls;
    if (!first || this.size === 1) return first;
    const session = sessionOf(first.caller);
    const sessions = [...others.map(({ caller }) => sessionOf(caller)), ...this.#left.keys()];
    if (session === undefined || sessions.some((other) => other !== session)) return undefined;
    const able = [first, ...others].filter(({ askers }) => askers[kind] !== undefined);
    return able.reduce(
      (least, each) => (each.questions < least.questions ? each : least),
      able[0] ?? first,
    );
  }

  #forgetLeft(): void {
    if (this.#left.size === 0) return;
    const now = this.#deps.elapsed();
    for (const [session, until] of this.#left) if (until <= now) this.#left.delete(session);
  }
}

/** Limits how often a call may ask. A warning in the result says that the client's model was used. */
export const askersOf = (context: ToolContext, server: string): Askers => {
  const { elicit, elicitUrl, sample } = context;
  let questions = 0;
  let hasWarned = false;
  const count = (): void => {
    questions += 1;
    if (questions > MAX_QUESTIONS) {
      throw new ToolFailure('RATE_LIMITED', 'This call has asked too often.');
    }
  };
  const limitedSample: Askers['sample'] =
    sample &&
    (async (request) => {
      count();
      if (!hasWarned) context.warn(`The MCP server ${server} asked the client's model.`);
      hasWarned = true;
      return sample(request);
    });
  const limitedElicit: Askers['elicit'] =
    elicit &&
    (async (question) => {
      count();
      return elicit(question);
    });
  const limitedElicitUrl: Askers['elicitUrl'] =
    elicitUrl &&
    (async (question) => {
      count();
      return elicitUrl(question);
    });
  return { elicit: limitedElicit, elicitUrl: limitedElicitUrl, sample: limitedSample };
};
