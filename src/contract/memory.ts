/** What tools and effects may remember, isolated by user and session. */

/** `working` lives as long as the call chain, `short-term` as the session (or its TTL), `long-term` on disk. */
export type MemoryScope = 'working' | 'short-term' | 'long-term';

export interface Memory {
  /**
   * Reads a value; `undefined` when there is none or it has expired.
   *
   * @example
   * const visits = await context.memory.read('short-term', 'visits');
   */
  read(scope: MemoryScope, key: string): Promise<unknown>;
  /**
   * Writes a value, which has to be JSON, over the one that is there.
   *
   * @example
   * await context.memory.write('long-term', 'language', 'de');
   */
  write(scope: MemoryScope, key: string, value: unknown): Promise<void>;
  /**
   * Writes a value that expires by itself.
   *
   * @example
   * await context.memory.writeFor(60_000, { scope: 'working', key: 'token' }, 'a1b2');
   */
  writeFor(ttlMs: number, at: { scope: MemoryScope; key: string }, value: unknown): Promise<void>;
  /**
   * Reads, changes and writes in one step that no other call can come between.
   *
   * @example
   * const visits = await context.memory.update('short-term', 'visits', (count) => Number(count ?? 0) + 1);
   */
  update(scope: MemoryScope, key: string, change: (value: unknown) => unknown): Promise<unknown>;
  /**
   * Deletes a value; true when there was one.
   *
   * @example
   * const existed = await context.memory.delete('short-term', 'visits');
   */
  delete(scope: MemoryScope, key: string): Promise<boolean>;
}
