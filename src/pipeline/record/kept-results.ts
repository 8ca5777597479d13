/** Keeps results that are too long to hand over, each text once for a session, and not for ever. */
import { LRUCache } from 'lru-cache';
import type { CallRequest } from '../../contract/call.ts';
import type { Labels } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Results } from '../../contract/store.ts';
import { markHandle } from '../../governance/labels/handle-labels.ts';
import { sha256Hex } from '../../kit/data/canonical-json.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { forgetOld } from './forget-old.ts';

/** The handles of the last texts are remembered; older texts may be kept a second time. */
const MAX_REMEMBERED = 1000;

export interface KeptResultsDeps {
  readonly results: Results;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  readonly limits: { readonly keepResultsDays: number };
  newHandle(): string;
}

export interface KeptResult {
  readonly handle: string;
  readonly bytes: number;
}

export class KeptResults {
  readonly #deps: KeptResultsDeps;
  readonly #handles = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  readonly #forgetOld: () => void;

  constructor(deps: KeptResultsDeps) {
    this.#deps = deps;
    const { runtime, limits, results } = deps;
    this.#forgetOld = forgetOld({
      runtime,
      keepMs: limits.keepResultsDays * DAY_MS,
      what: 'results',
      expire: (before) => results.expire(before),
    });
  }

  /** Keeps the text and returns its handle; the same text in the same session has one handle. */
  async keep(call: CallRequest, text: string, labels: Labels): Promise<KeptResult> {
    const { userId, sessionId } = call.caller;
    const bytes = Buffer.byteLength(text);
    const key = sha256Hex(JSON.stringify([userId, sessionId, markHandle('', labels), text]));
    const earlier = this.#handles.get(key);
    if (earlier !== undefined && (await this.#isThere(earlier, userId)))
      return { handle: earlier, bytes };
    const { results, runtime, newHandle } = this.#deps;
    const handle = markHandle(newHandle(), labels);
    const { executionId } = call;
    await results.put({ handle, userId, executionId, text, keptAt: runtime.now() });
    this.#handles.set(key, handle);
    this.#forgetOld();
    return { handle, bytes };
  }

  /** Checks the store: a call that was cleaned up took its results with it. */
  async #isThere(handle: string, userId: string): Promise<boolean> {
    return (await this.#deps.results.read(handle, userId, { offset: 0, limit: 0 })) !== undefined;
  }
}
