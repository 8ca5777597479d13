/** Lets at most so many jobs of a type run at once in this process; the others wait in order. */

export class TypeSlots {
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Resolves when a slot is free. Each one that is taken has to be given back. */
  async take(type: string, max: number | undefined): Promise<void> {
    const running = this.#running.get(type) ?? 0;
    if (max === undefined || running < max) {
      this.#running.set(type, running + 1);
      return;
    }
    // `giveBack` passes the slot to the next waiter, so the count does not change.
    await new Promise<void>((resolve) => {
      this.#waiting.set(type, [...(this.#waiting.get(type) ?? []), resolve]);
    });
  }

  giveBack(type: string): void {
    const [next, ...others] = this.#waiting.get(type) ?? [];
    this.#waiting.set(type, others);
    if (next) next();
    else this.#running.set(type, (this.#running.get(type) ?? 1) - 1);
  }
}
