/**
 * Keeps the calls under way, so that each can be looked up and cancelled, and shutdown can wait. A call
 * notes its index in the list: a `Set` would cost every call 0.25 µs more, and few are ever looked up.
 */
import type { CallRequest } from '../../contract/call.ts';

/** A call with its index in the list; -1 when it is not there. */
type ListedCall = CallRequest & { runningIndex: number };

export class RunningCalls {
  readonly #calls: ListedCall[] = [];
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#calls.length;
  }

  add(call: CallRequest): void {
    (call as ListedCall).runningIndex = this.#calls.push(call as ListedCall) - 1;
  }

  has(call: CallRequest): boolean {
    return (call as ListedCall).runningIndex >= 0;
  }

  /** Removes a call; does nothing for one that was removed. */
  remove(call: CallRequest): void {
    const { runningIndex: index } = call as ListedCall;
    if (index < 0) return;
    (call as ListedCall).runningIndex = -1;
    const last = this.#calls.pop();
    if (last && last !== call) {
      this.#calls[index] = last;
      last.runningIndex = index;
    }
    if (this.#calls.length > 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resume of waiting) resume();
  }

  all(): readonly CallRequest[] {
    return [...this.#calls];
  }

  get(executionId: string): CallRequest | undefined {
    return this.#calls.find((call) => call.executionId === executionId);
  }

  /** Cancels a call. False when there is no such call, or it is aborted already. */
  cancel(executionId: string): boolean {
    const call = this.get(executionId);
    if (!call || call.control.aborted) return false;
    call.control.abort('CANCELLED');
    return true;
  }

  /** Resolves when nothing runs any more. */
  whenIdle(): Promise<void> {
    if (this.#calls.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }
}
