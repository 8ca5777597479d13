/**
 * The calls under way, so that each can be looked up and cancelled, and shutdown can wait. A set and
 * not a map by id: every call joins and leaves, few are ever looked up.
 */
import type { CallRequest } from '../../contract/call.ts';

export class RunningCalls {
  readonly #calls = new Set<CallRequest>();
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#calls.size;
  }

  add(call: CallRequest): void {
    this.#calls.add(call);
  }

  has(call: CallRequest): boolean {
    return this.#calls.has(call);
  }

  /** Safe to call twice. */
  remove(call: CallRequest): void {
    if (!this.#calls.delete(call) || this.#calls.size > 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resume of waiting) resume();
  }

  get(executionId: string): CallRequest | undefined {
    for (const call of this.#calls) if (call.executionId === executionId) return call;
    return undefined;
  }

  /** False when there is no such call, or it is aborted already. */
  cancel(executionId: string): boolean {
    const call = this.get(executionId);
    if (!call || call.control.aborted) return false;
    call.control.abort('CANCELLED');
    return true;
  }

  /** Resolves when nothing runs any more. */
  whenIdle(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }
}
