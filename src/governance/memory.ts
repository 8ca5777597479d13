/** Memory as a call sees it: three scopes, each isolated by chain, session or user. */
import type { CallRequest } from '../contract/call.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { Memory, MemoryScope } from '../contract/memory.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { MemoryStore } from '../contract/store.ts';
import { anything, assertArguments, fields } from '../kit/data/check-arguments.ts';
import { DAY_MS } from '../kit/data/durations.ts';

/** A session's memory outlives its last use by this much. */
const SHORT_TERM_MS = DAY_MS;

const rootOf = (call: CallRequest): CallRequest => {
  let root = call;
  while (root.parent) root = root.parent;
  return root;
};

/** Makes the space of a scope. JSON arrays of names cannot collide, whatever the names hold. */
const spaceOf = (scope: MemoryScope, call: CallRequest): string => {
  const { userId, sessionId } = call.caller;
  if (scope === 'working') return JSON.stringify(['working', rootOf(call).executionId]);
  if (scope === 'short-term') return JSON.stringify(['short-term', userId, sessionId]);
  return JSON.stringify(['long-term', userId]);
};

const SCOPES: ReadonlySet<unknown> = new Set<MemoryScope>(['working', 'short-term', 'long-term']);

const invalid = (message: string): never => {
  throw new ToolFailure('VALIDATION_ERROR', message);
};

/** Refuses an unknown scope: it must not become the longest-lived one. */
const assertPlace = (scope: unknown, key: unknown): void => {
  if (!SCOPES.has(scope)) invalid('Memory has the scopes working, short-term and long-term.');
  if (typeof key !== 'string') invalid('A key of the memory is a string.');
};

const PLACE = fields({ scope: anything, key: anything });

const assertDuration = (ttlMs: unknown): void => {
  if (typeof ttlMs === 'number' && Number.isFinite(ttlMs) && ttlMs >= 0) return;
  invalid('The time that a value is kept is a number of milliseconds.');
};

const assertStorable = (value: unknown): void => {
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    throw new ToolFailure('VALIDATION_ERROR', 'Memory holds JSON values only.');
  }
};

export class CallMemory implements Memory {
  readonly #call: CallRequest;
  readonly #store: MemoryStore;
  /** Where `working` values live: never on disk, gone with the chain. */
  readonly #working: MemoryStore;
  readonly #runtime: Runtime;

  constructor(
    call: CallRequest,
    stores: { readonly persistent: MemoryStore; readonly working: MemoryStore },
    runtime: Runtime,
  ) {
    this.#call = call;
    this.#store = stores.persistent;
    this.#working = stores.working;
    this.#runtime = runtime;
  }

  #in(scope: MemoryScope): MemoryStore {
    return scope === 'working' ? this.#working : this.#store;
  }

  async read(scope: MemoryScope, key: string): Promise<unknown> {
    assertPlace(scope, key);
    return this.#in(scope).read(spaceOf(scope, this.#call), key, this.#runtime.now());
  }

  write(scope: MemoryScope, key: string, value: unknown): Promise<void> {
    return this.#put({ scope, key }, value, scope === 'short-term' ? SHORT_TERM_MS : undefined);
  }

  async writeFor(
    ttlMs: number,
    at: { scope: MemoryScope; key: string },
    value: unknown,
  ): Promise<void> {
    assertDuration(ttlMs);
    assertArguments({ 'place of memory.writeFor': PLACE }, [at]);
    return this.#put(at, value, ttlMs);
  }

  /** Refuses changes by a call that was answered. */
  #assertRunning(): void {
    const { notes, control } = this.#call;
    if (!notes.stopped && !notes.ended) return;
    throw new ToolFailure(control.reason ?? 'CANCELLED', 'The call is over: nothing is kept.');
  }

  async #put(
    { scope, key }: { scope: MemoryScope; key: string },
    value: unknown,
    ttlMs: number | undefined,
  ): Promise<void> {
    this.#assertRunning();
    assertPlace(scope, key);
    assertStorable(value);
    const now = this.#runtime.now();
    await this.#in(scope).write({
      space: spaceOf(scope, this.#call),
      key,
      value,
      ...(ttlMs !== undefined && { expiry: { at: now + ttlMs, now } }),
    });
  }

  async update(
    scope: MemoryScope,
    key: string,
    change: (value: unknown) => unknown,
  ): Promise<unknown> {
    this.#assertRunning();
    assertPlace(scope, key);
    if (typeof change !== 'function') invalid('The change of a value is a function.');
    const at = { space: spaceOf(scope, this.#call), key, now: this.#runtime.now() };
    return this.#in(scope).update(at, (value) => {
      const changed = change(value);
      assertStorable(changed);
      return changed;
    });
  }

  async delete(scope: MemoryScope, key: string): Promise<boolean> {
    this.#assertRunning();
    assertPlace(scope, key);
    return this.#in(scope).delete(spaceOf(scope, this.#call), key);
  }
}

/** Clears the working memory of a chain that is over. */
export const clearWorkingMemory = (call: CallRequest, working: MemoryStore): Promise<void> =>
  working.clear(spaceOf('working', call));
