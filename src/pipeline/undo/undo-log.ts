/** Keeps what a tool's own `undo` will need: the exact input and what came of it. */
import type { Expiry, MemoryStore, Store } from '../../contract/store.ts';
import type { PastResult } from '../../contract/tool.ts';
import { isSamePlace } from '../../kit/data/place.ts';

export interface PastCall {
  readonly input: unknown;
  readonly result: PastResult;
  /** Where it ran, when that is not here. */
  readonly elsewhere?: string;
}

export interface UndoLogDeps {
  readonly store: Pick<Store, 'memory' | 'place'>;
  readonly keepMs: number;
  now(): number;
}

interface KeptCall extends Omit<PastCall, 'elsewhere'> {
  readonly place?: string;
}

const SPACE = '["undo"]';
const INNER_SPACE = '["undo inner calls"]';

export class UndoLog {
  readonly #memory: MemoryStore;
  readonly #place: string | undefined;
  readonly #now: () => number;
  readonly #keepMs: number;

  constructor({ store, now, keepMs }: UndoLogDeps) {
    this.#memory = store.memory;
    this.#place = store.place;
    this.#now = now;
    this.#keepMs = keepMs;
  }

  keep(executionId: string, { input, result }: PastCall): Promise<void> {
    const expiry = this.#expiry();
    const place = this.#place;
    const value = { input, result, ...(place !== undefined && { place }) };
    return this.#memory.write({ space: SPACE, key: executionId, value, expiry });
  }

  async read(executionId: string): Promise<PastCall | undefined> {
    const record = await this.#memory.read(SPACE, executionId, this.#now());
    if (record === undefined) return undefined;
    const { input, result, place } = record as KeptCall;
    const here = this.#place;
    const isHere = here === undefined || place === undefined || isSamePlace(place, here);
    return { input, result, ...(!isHere && { elsewhere: place }) };
  }

  /** Keeps the ids of the calls that a call made and that may have changed something, oldest first. */
  keepInner(executionId: string, calls: readonly string[]): Promise<void> {
    const expiry = this.#expiry();
    return this.#memory.write({ space: INNER_SPACE, key: executionId, value: calls, expiry });
  }

  async readInner(executionId: string): Promise<readonly string[]> {
    const calls: unknown = await this.#memory.read(INNER_SPACE, executionId, this.#now());
    return Array.isArray(calls) ? calls.filter((id) => typeof id === 'string') : [];
  }

  async forget(executionId: string): Promise<void> {
    await this.#memory.delete(SPACE, executionId);
    await this.#memory.delete(INNER_SPACE, executionId);
  }

  #expiry(): Expiry {
    const now = this.#now();
    return { at: now + this.#keepMs, now };
  }
}
