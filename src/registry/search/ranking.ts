/** The best few of many, in order, without sorting or even looking closely at the rest. */

export interface Ranked<T> {
  readonly name: string;
  readonly score: number;
  readonly key: number;
  readonly value: T;
}

export class Ranking<T> {
  readonly #limit: number;
  /** Looks a name up once it is good enough for a place; nothing turns it away. */
  readonly #admit: (name: string) => T | undefined;
  readonly #top: Ranked<T>[] = [];

  constructor(limit: number, admit: (name: string) => T | undefined) {
    this.#limit = limit;
    this.#admit = admit;
  }

  /** By key, then by score, then by name, so that the order is the same every time. */
  offer(name: string, score: number, key: number): void {
    const last = this.#top[this.#limit - 1];
    if (this.#limit < 1 || (last && !isBefore({ name, score, key }, last))) return;
    const value = this.#admit(name);
    if (value === undefined) return;
    const ranked = { name, score, key, value };
    this.#top.splice(this.#placeFor(ranked), 0, ranked);
    if (this.#top.length > this.#limit) this.#top.pop();
  }

  list(): readonly Ranked<T>[] {
    return this.#top;
  }

  #placeFor(ranked: Ranked<T>): number {
    let low = 0;
    let high = this.#top.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#top[middle];
      if (other && isBefore(other, ranked)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

type Order = Pick<Ranked<unknown>, 'name' | 'score' | 'key'>;

const isBefore = (a: Order, b: Order): boolean => {
  if (a.key !== b.key) return a.key > b.key;
  return a.score === b.score ? a.name < b.name : a.score > b.score;
};
