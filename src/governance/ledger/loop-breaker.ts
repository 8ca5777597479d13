/**
 * Detects an agent that makes the same call over and over. It compares the last few different calls
 * of a session, so that a loop of several calls is found as well.
 */
import { LRUCache } from 'lru-cache';
import { type Caller, LOCAL_CALLER, provenNames } from '../../contract/caller.ts';
import { BoundedMap } from '../../kit/data/bounded-map.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { perCaller } from '../per-caller.ts';

export interface LoopLimits {
  /** This many equal calls are let through in one window. */
  readonly identicalCalls: number;
  readonly windowMs: number;
}

interface Seen {
  readonly since: number;
  times: number;
}

/** The calls of one session by tool and input, the latest last. */
type SeenCalls = BoundedMap<string, Seen>;

const MAX_SESSIONS = 1000;
/** Loops of more different calls than this are not recognised. */
const MAX_CALLS = 64;
const MAX_TEXT = 256;

/** Identifies a call: short inputs as they are, long ones by hash, to keep nothing large. */
const fingerprint = (tool: string, input: unknown): string => {
  const text = JSON.stringify(input) ?? '';
  return `${tool} ${text.length > MAX_TEXT ? sha256Hex(text) : text}`;
};

export class LoopBreaker {
  readonly #limits: LoopLimits;
  readonly #sessions = new LRUCache<string, SeenCalls>({ max: MAX_SESSIONS });
  readonly #keyOf = perCaller(({ userId, agentId, sessionId }) =>
    JSON.stringify([userId, agentId, sessionId]),
  );

  constructor(limits: LoopLimits) {
    this.#limits = limits;
  }

  /** Counts the call; false when it was made too often. The local caller is a program: it may. */
  admits(
    caller: Caller,
    call: { readonly tool: string; readonly input: unknown },
    now: number,
  ): boolean {
    if (!caller.authenticated && caller.agentId === LOCAL_CALLER.agentId) return true;
    const calls = this.#seenBy(caller);
    const key = fingerprint(call.tool, call.input);
    const before = calls.get(key);
    const isRecent = before !== undefined && now - before.since < this.#limits.windowMs;
    const counted = isRecent ? before : { since: now, times: 0 };
    counted.times++;
    // Set again, so that a repeated call is not the one that is evicted.
    calls.set(key, counted);
    return counted.times <= this.#limits.identicalCalls;
  }

  #seenBy(caller: Caller): SeenCalls {
    const key = this.#keyOf(provenNames(caller));
    const calls = this.#sessions.get(key);
    if (calls) return calls;
    const added: SeenCalls = new BoundedMap(MAX_CALLS);
    this.#sessions.set(key, added);
    return added;
  }
}
