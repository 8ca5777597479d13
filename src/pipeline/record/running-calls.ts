/**
 * The calls under way, so that each can be looked up and cancelled, and shutdown can wait. Every call
 * joins and leaves, few are ever looked up: hence a linked list through the calls themselves.
 */
import type { CallRequest } from '../../contract/call.ts';

interface Link extends CallRequest {
  older: Link | undefined;
  newer: Link | undefined;
  isListed: boolean;
}

export class RunningCalls {
  #newest: Link | undefined = undefined;
  #size = 0;
  #idle: (() => void)[] = [];

  get size(): number {
    return this.#size;
  }

  add(call: CallRequest): void {
    const link = call as Link;
    const newest = this.#newest;
    link.older = newest;
    if (newest) newest.newer = link;
    this.#newest = link;
    link.isListed = true;
    this.#size++;
  }

  has(call: CallRequest): boolean {
    return (call as Link).isListed;
  }

  /** Safe to call twice. */
  remove(call: CallRequest): void {
    const link = call as Link;
    if (!link.isListed) return;
    link.isListed = false;
    const { older, newer } = link;
    if (older) older.newer = newer;
    if (newer) newer.older = older;
    else this.#newest = older;
    this.#size--;
    if (this.#size > 0 || this.#idle.length === 0) return;
    const waiting = this.#idle;
    this.#idle = [];
    for (const resume of waiting) resume();
  }

  get(executionId: string): CallRequest | undefined {
    for (let link = this.#newest; link; link = link.older) {
      if (link.executionId === executionId) return link;
    }
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
    if (this.#size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#idle.push(resolve);
    });
  }
}
