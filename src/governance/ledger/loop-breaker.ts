/**
 * Notices an agent that makes the same call over and over. It looks at the last few different calls
 * of a session, so that a loop of two or three calls in turn is found as well.
 */
import { LRUCache } from 'lru-cache';
import type { Caller } from '../../contract/caller.ts';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import { perCaller } from '../per-caller.ts';
import { sha256Hex } from '../sha256-hex.ts';

export interface LoopLimits {
  /** This many equal calls are let through in one window. */
  readonly identicalCalls: number;
  readonly windowMs: number;
}

interface Seen {
  readonly tool: string;
  readonly input: string;
  readonly since: number;
  times: number;
}

const REMEMBERED_SESSIONS = 1000;
/** Loops of more different calls than this are not recognised. */
const REMEMBERED_CALLS = 8;
const LONGEST_TEXT = 512;

/** Short inputs are compared as they are, long ones by their hash: nothing large is kept. */
const fingerprint = (input: unknown): string => {
  const text = JSON.stringify(input) ?? '';
  return text.length > LONGEST_TEXT ? sha256Hex(text) : text;
};

export class LoopBreaker {
  readonly #limits: LoopLimits;
  readonly #sessions = new LRUCache<string, Seen[]>({ max: REMEMBERED_SESSIONS });
  readonly #keyOf = perCaller(({ userId, agentId, sessionId }) =>
    JSON.stringify([userId, agentId, sessionId]),
  );

  constructor(limits: LoopLimits) {
    this.#limits = limits;
  }

  /**
   * Counts the call; false when it was made too often already. The local caller is a program, not
   * an agent: its loops are meant.
   */
  admits(
    caller: Caller,
    call: { readonly tool: string; readonly input: unknown },
    now: number,
  ): boolean {
    if (caller.agentId === LOCAL_CALLER.agentId) return true;
    const seen = this.#seenIn(caller);
    const input = fingerprint(call.input);
    const at = seen.findIndex((each) => each.tool === call.tool && each.input === input);
    const known = seen[at];
    if (known && now - known.since < this.#limits.windowMs) {
      known.times++;
      return known.times <= this.#limits.identicalCalls;
    }
    if (known) seen.splice(at, 1);
    seen.push({ tool: call.tool, input, since: now, times: 1 });
    if (seen.length > REMEMBERED_CALLS) seen.shift();
    return true;
  }

  #seenIn(caller: Caller): Seen[] {
    const key = this.#keyOf(caller);
    const known = this.#sessions.get(key);
    if (known) return known;
    const seen: Seen[] = [];
    this.#sessions.set(key, seen);
    return seen;
  }
}
