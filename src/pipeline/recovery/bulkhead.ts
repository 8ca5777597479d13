/** Limits how many calls run at once and how many wait; refuses the rest. */
import type { CallControl } from '../../contract/call.ts';

export class Bulkhead {
  readonly #limit: number;
  readonly #queueLimit: number;
  #running = 0;
  readonly #queue: (() => void)[] = [];

  constructor(limit: number, queueLimit: number) {
    this.#limit = limit;
    this.#queueLimit = queueLimit;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Enters at once if the limit allows it. */
  tryEnter(): boolean {
    if (this.#running >= this.#limit) return false;
    this.#running++;
    return true;
  }

  /** Waits to enter. `full` when the queue is too long, `aborted` when the call was aborted. */
  enter(control: CallControl): Promise<'entered' | 'full' | 'aborted'> {
    if (this.tryEnter()) return Promise.resolve('entered');
    if (this.#queue.length >= this.#queueLimit) return Promise.resolve('full');
    return new Promise((resolve) => {
      let over = false;
      const proceed = (): void => {
        over = true;
        this.#running++;
        resolve('entered');
      };
      this.#queue.push(proceed);
      control.onAbort(() => {
        if (over) return;
        const index = this.#queue.indexOf(proceed);
        if (index >= 0) this.#queue.splice(index, 1);
        resolve('aborted');
      });
    });
  }

  leave(): void {
    this.#running--;
    if (this.#running < this.#limit) this.#queue.shift()?.();
  }
}
