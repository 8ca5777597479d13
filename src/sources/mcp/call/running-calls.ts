/**
 * The calls that run on one connection, so that a question of the server reaches the person behind
 * the call that it belongs to. HTTP streams and replies of the 2026-07-28 protocol say which call
 * that is (`question-link.ts`). A pipe does not: there a question is put to the session whose calls
 * run, and to nobody while calls of different sessions run, for it could reach the wrong person.
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

export class RunningCall {
  readonly askers: Askers;
  readonly caller: RunningCaller;
  /** The requests of the protocol that were sent for this call. */
  readonly requestIds = new Set<unknown>();
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

export class RunningCalls {
  readonly #calls = new Set<RunningCall>();

  add(askers: Askers, caller: RunningCaller): RunningCall {
    const call = new RunningCall(askers, caller);
    this.#calls.add(call);
    return call;
  }

  delete(call: RunningCall): void {
    this.#calls.delete(call);
  }

  get size(): number {
    return this.#calls.size;
  }

  withKey(key: string): RunningCall | undefined {
    return [...this.#calls].find((call) => call.hasKey(key));
  }

  withRequest(id: unknown): RunningCall | undefined {
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
    if (!first || others.length === 0) return first;
    const session = sessionOf(first.caller);
    if (session === undefined || others.some(({ caller }) => sessionOf(caller) !== session)) {
      return undefined;
    }
    const able = [first, ...others].filter(({ askers }) => askers[kind] !== undefined);
    return able.reduce(
      (least, each) => (each.questions < least.questions ? each : least),
      able[0] ?? first,
    );
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
