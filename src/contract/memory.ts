/** What tools and effects may remember, isolated by user and session. */

/** `working` lives as long as the call chain, `short-term` as the session (or its TTL), `long-term` on disk. */
export type MemoryScope = 'working' | 'short-term' | 'long-term';

export interface Memory {
  /** Reads a value; `undefined` when there is none or it has expired. */
  read(scope: MemoryScope, key: string): Promise<unknown>;
  write(scope: MemoryScope, key: string, value: unknown): Promise<void>;
  /** Writes a value that expires by itself. */
  writeFor(ttlMs: number, at: { scope: MemoryScope; key: string }, value: unknown): Promise<void>;
  /** Reads, changes and writes in one step that no other call can come between. */
  update(scope: MemoryScope, key: string, change: (value: unknown) => unknown): Promise<unknown>;
  /** Deletes a value; true when there was one. */
  delete(scope: MemoryScope, key: string): Promise<boolean>;
}
