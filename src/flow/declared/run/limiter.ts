/** Lets so many tasks run at once; the others wait in the order in which they came. */
export class Limiter {
  readonly #waiting: (() => void)[] = [];
  #free: number;
  #head = 0;

  constructor(max: number) {
    this.#free = max;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      this.#release();
    }
  }

  /** Hands the place on, so that nobody who comes meanwhile overtakes those who wait. */
  #release(): void {
    const next = this.#waiting[this.#head];
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#head += 1;
    // Removes what is used up from time to time: `shift` would move a long list for each task.
    if (this.#head > 1_024 && this.#head * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
    next();
  }
}
