/** Keeps what a tool's own `undo` will need: the exact input and what came of it. */
import type { MemoryStore } from '../../contract/store.ts';
import type { PastResult } from '../../contract/tool.ts';

interface PastCall {
  readonly input: unknown;
  readonly result: PastResult;
}

const SPACE = '["undo"]';

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

  async forget(executionId: string): Promise<void> {
    await this.#memory.delete(SPACE, executionId);
  }
}
