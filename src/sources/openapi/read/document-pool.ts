/** The parsed documents of all OpenAPI sources: accounts of one API share one copy in memory. */
import { sha256Hex } from '../../../kit/data/canonical-json.ts';
import { type DataWork, runDataWork } from '../../../kit/work/data-work.ts';

const MAX_ENTRIES = 500;

const SMALL_BYTES = 64_000;
const MAX_MS = 60_000;
/** Parsing the largest known documents takes more than a gigabyte. */
const MEMORY_MB = 2048;

const PARSING: DataWork<Uint8Array, object> = {
  what: 'OpenAPI document',
  file: 'document-work',
  from: import.meta.url,
  load: () => import('./document-work.ts'),
  isSmall: ({ byteLength }) => byteLength <= SMALL_BYTES,
  maxMs: MAX_MS,
  memoryMb: MEMORY_MB,
  code: 'CONFIG_INVALID',
};

/**
 * Parses the text of a document. What is not small is parsed in a process of its own: YAML of a few
 * megabytes can take a minute, and the author of a document may mean it to. Rejects with
 * CONFIG_INVALID for text that is no document, and for one that takes too much.
 */
const parseDocument = (bytes: Uint8Array, signal: AbortSignal): Promise<object> =>
  runDataWork(PARSING, bytes, signal);

export class DocumentPool {
  readonly #documents = new Map<string, WeakRef<object>>();

  /** Parses a document, or returns the parsed one of the same bytes that another source still uses. */
  async parse(bytes: Uint8Array, signal: AbortSignal): Promise<object> {
    const key = sha256Hex(bytes);
    const shared = this.#documents.get(key)?.deref();
    if (shared) return shared;
    const document = await parseDocument(bytes, signal);
    if (this.#documents.size >= MAX_ENTRIES) this.#prune();
    this.#documents.set(key, new WeakRef(document));
    return document;
  }

  #prune(): void {
    for (const [key, reference] of this.#documents) {
      if (reference.deref() === undefined) this.#documents.delete(key);
    }
    if (this.#documents.size >= MAX_ENTRIES) this.#documents.clear();
  }
}
