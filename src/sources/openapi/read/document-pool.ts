/** The parsed documents of all OpenAPI sources: accounts of one API share one copy in memory. */
import { sha256Hex } from '../../../kit/data/canonical-json.ts';
import { parseDocument } from './parse-document.ts';

const MAX_ENTRIES = 500;

export class DocumentPool {
  readonly #documents = new Map<string, WeakRef<object>>();

  /** Parses a document, or gives the one of the same bytes that another source still uses. */
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
