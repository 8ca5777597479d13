/** The calls under way, so that each can be looked up and cancelled, and shutdown can wait. */
import type { CallRequest } from '../contract/call.ts';

export class RunningCalls {
  readonly #calls = new Map<string, CallRequest>();
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#calls.size;
  }

  add(call: CallRequest): void {
    this.#calls.set(call.executionId, call);
  }

  remove(call: CallRequest): void {
    this.#calls.delete(call.executionId);
    if (this.#calls.size > 0 || this.#idle.length === 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resume of waiting) resume();
  }

  get(executionId: string): CallRequest | undefined {
    return this.#calls.get(executionId);
  }

  /** False when there is no such call, or it is aborted already. */
  cancel(executionId: string): boolean {
    const call = this.#calls.get(executionId);
    if (!call || call.control.aborted) return false;
    call.control.abort('CANCELLED');
    return true;
  }

  cancelAll(): void {
    for (const call of this.#calls.values()) call.control.abort('CANCELLED');
  }

  /** Resolves when nothing runs any more. */
  whenIdle(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }
}
