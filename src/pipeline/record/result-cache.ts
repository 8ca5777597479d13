/** Caches results, and invalidates them by tool, tag or path. */
import { dirname } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Call } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { CacheRule } from '../../contract/tool-limits.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import { canonicalJson } from '../../kit/data/canonical-json.ts';

interface CacheEntry {
  readonly result: ToolResult;
  readonly marks: readonly string[];
  readonly expiresAt: number;
}

export type Invalidation =
  | { readonly tool: string }
  | { readonly tag: string }
  | { readonly path: string };

const markOf = (what: Invalidation): string => {
  if ('tool' in what) return `tool:${what.tool}`;
  return 'tag' in what ? `tag:${what.tag}` : `path:${what.path}`;
};

/** A call whose result may be kept, and what was invalidated since it began. */
export interface OpenRead {
  readonly key: string;
  readonly invalidated: Set<string>;
}

export class ResultCache {
  readonly #reads = new Set<OpenRead>();
  readonly #entries: LRUCache<string, CacheEntry>;
  readonly #byMark = new Map<string, Set<string>>();
  readonly #now: () => number;

  constructor(maxEntries: number, now: () => number) {
    this.#now = now;
    this.#entries = new LRUCache<string, CacheEntry>({
      max: maxEntries,
      dispose: (entry, key) => this.#unmark(entry, key),
    });
  }

  /** Makes the key of input and caller, so that no user gets the result of another. */
  keyOf(call: Call<'ready' | 'input'>): string {
    const { tool } = call.ready;
    const { userId, sessionId } = call.caller;
    return canonicalJson([tool.name, tool.version, userId, sessionId, call.input]);
  }

  get(key: string): ToolResult | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    if (entry.expiresAt > this.#now()) return ownCopy(entry.result);
    this.#entries.delete(key);
    return undefined;
  }

  /** Notes that a call begins whose result may be kept; `end` must follow. */
  begin(key: string): OpenRead {
    const read = { key, invalidated: new Set<string>() };
    this.#reads.add(read);
    return read;
  }

  end(read: OpenRead): void {
    this.#reads.delete(read);
  }

  /** Keeps a result, unless what it was made from was invalidated in the meantime. */
  keep({ key, invalidated }: OpenRead, result: ToolResult, rule: CacheRule): void {
    const marks = [
      markOf({ tool: result.metadata.toolName }),
      ...(rule.tags ?? []).map((tag) => markOf({ tag })),
      ...result.metadata.resourcesUsed.map((path) => markOf({ path })),
    ];
    if (marks.some((mark) => invalidated.has(mark))) return;
    // Copied in and out: the caller holds what it was given, and may change it.
    this.#entries.set(key, { result: ownCopy(result), marks, expiresAt: this.#now() + rule.ttlMs });
    for (const mark of marks) {
      const keys = this.#byMark.get(mark);
      if (keys) keys.add(key);
      else this.#byMark.set(mark, new Set([key]));
    }
  }

  /** Returns how many results were forgotten. */
  invalidate(what: Invalidation): number {
    const mark = markOf(what);
    for (const { invalidated } of this.#reads) invalidated.add(mark);
    const keys = this.#byMark.get(mark);
    if (!keys) return 0;
    // A copy: deleting an entry changes the set.
    const invalid = [...keys];
    for (const key of invalid) this.#entries.delete(key);
    return invalid.length;
  }

  /** Forgets what was read from a file that changed, and listings of its directory. */
  changed(path: string): void {
    this.invalidate({ path });
    this.invalidate({ path: dirname(path) });
  }

  #unmark(entry: CacheEntry, key: string): void {
    for (const mark of entry.marks) {
      const keys = this.#byMark.get(mark);
      keys?.delete(key);
      if (keys?.size === 0) this.#byMark.delete(mark);
    }
  }
}
