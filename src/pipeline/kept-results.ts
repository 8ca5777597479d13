/** Keeps results that are too long to hand over, each text once for a session. */
import { LRUCache } from 'lru-cache';
import type { CallRequest } from '../contract/call.ts';
import type { Labels } from '../contract/result.ts';
import type { Results } from '../contract/store.ts';
import { markHandle } from '../governance/labels/handle-labels.ts';
import { sha256Hex } from '../governance/sha256-hex.ts';

/** Of the last texts it is known where they are; older ones may be kept a second time. */
const REMEMBERED = 1000;

export interface KeptResultsDeps {
  readonly results: Results;
  newHandle(): string;
}

export interface KeptResult {
  readonly handle: string;
  readonly bytes: number;
}

export class KeptResults {
  readonly #deps: KeptResultsDeps;
  readonly #known = new LRUCache<string, string>({ max: REMEMBERED });

  constructor(deps: KeptResultsDeps) {
    this.#deps = deps;
  }

  /** The handle of the text: a new one, or that of the same text in the same session. */
  async keep(call: CallRequest, text: string, labels: Labels): Promise<KeptResult> {
    const { userId, sessionId } = call.caller;
    const bytes = Buffer.byteLength(text);
    const key = sha256Hex(JSON.stringify([userId, sessionId, markHandle('', labels), text]));
    const known = this.#known.get(key);
    if (known !== undefined && (await this.#isThere(known, userId)))
      return { handle: known, bytes };
    const handle = markHandle(this.#deps.newHandle(), labels);
    await this.#deps.results.put({ handle, userId, executionId: call.executionId, text });
    this.#known.set(key, handle);
    return { handle, bytes };
  }

  /** A cleaned-up call took its results with it. */
  async #isThere(handle: string, userId: string): Promise<boolean> {
    return (await this.#deps.results.read(handle, userId, { offset: 0, limit: 0 })) !== undefined;
  }
}
