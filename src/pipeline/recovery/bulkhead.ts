/** Lets so many run at once, so many more wait in line, and refuses the rest. */
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

  /** Takes a place at once if there is one. */
  tryEnter(): boolean {
    if (this.#running >= this.#limit) return false;
    this.#running++;
    return true;
  }

  /** Waits for a place. `full` when the line is too long, `aborted` when the call gave up. */
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
        const at = this.#queue.indexOf(proceed);
        if (at >= 0) this.#queue.splice(at, 1);
        resolve('aborted');
      });
    });
  }

  leave(): void {
    this.#running--;
    if (this.#running < this.#limit) this.#queue.shift()?.();
  }
}
