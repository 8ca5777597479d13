/** Keeps what a tool's own `undo` will need: the exact input and what came of it. */
import type { MemoryStore } from '../../contract/store.ts';
import type { PastResult } from '../../contract/tool.ts';

interface PastCall {
  readonly input: unknown;
  readonly result: PastResult;
}

const SPACE = '["undo"]';
const INNER_SPACE = '["undo inner calls"]';

export class UndoLog {
  readonly #memory: MemoryStore;
  readonly #now: () => number;
  readonly #keepMs: number;

  constructor(memory: MemoryStore, now: () => number, keepMs: number) {
    this.#memory = memory;
    this.#now = now;
    this.#keepMs = keepMs;
  }

  keep(executionId: string, call: PastCall): Promise<void> {
    const expiresAt = this.#now() + this.#keepMs;
    return this.#memory.write({ space: SPACE, key: executionId, value: call, expiresAt });
  }

  async read(executionId: string): Promise<PastCall | undefined> {
    return (await this.#memory.read(SPACE, executionId, this.#now())) as PastCall | undefined;
  }

  /** Keeps the ids of the calls that a call made and that may have changed something, oldest first. */
  keepInner(executionId: string, calls: readonly string[]): Promise<void> {
    const expiresAt = this.#now() + this.#keepMs;
    return this.#memory.write({ space: INNER_SPACE, key: executionId, value: calls, expiresAt });
  }

  async readInner(executionId: string): Promise<readonly string[]> {
    const calls: unknown = await this.#memory.read(INNER_SPACE, executionId, this.#now());
    return Array.isArray(calls) ? calls.filter((id) => typeof id === 'string') : [];
  }

  async forget(executionId: string): Promise<void> {
    await this.#memory.delete(SPACE, executionId);
    await this.#memory.delete(INNER_SPACE, executionId);
  }
}
