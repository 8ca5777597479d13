/** Keys of the last moments, forgotten by age, and sooner where there are too many. */
const KEPT_MS = 10_000;
const MAX_KEYS = 100_000;

export class RecentKeys {
  readonly #now: () => number;
  #turnedAt: number;
  #young = new Set<string>();
  #old = new Set<string>();

  constructor(now: () => number) {
    this.#now = now;
    this.#turnedAt = now();
  }

  has(key: string): boolean {
    return this.#young.has(key) || this.#old.has(key);
  }

  add(key: string): void {
    const now = this.#now();
    const age = now - this.#turnedAt;
    // A clock that was set back starts anew, too.
    if (age >= KEPT_MS || age < 0 || this.#young.size >= MAX_KEYS) {
      this.#old = this.#young;
      this.#young = new Set();
      this.#turnedAt = now;
    }
    this.#young.add(key);
  }
}
