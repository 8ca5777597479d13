/**
 * A map that cannot grow without end. The entry that was set the longest time ago makes room; reading
 * does not count. Where reading has to count, or entries expire, use `lru-cache`.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** Sets the entry as the newest, also when the key was there. */
  override set(key: K, value: V): this {
    if (!this.delete(key) && this.size >= this.#max) {
      for (const oldest of this.keys()) {
        this.delete(oldest);
        break;
      }
    }
    return super.set(key, value);
  }
}
