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

/** Of the last texts it is known where they are; older ones may be kept a second time. */
const REMEMBERED = 1000;

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
  readonly #known = new LRUCache<string, string>({ max: REMEMBERED });
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

  /** The handle of the text: a new one, or that of the same text in the same session. */
  async keep(call: CallRequest, text: string, labels: Labels): Promise<KeptResult> {
    const { userId, sessionId } = call.caller;
    const bytes = Buffer.byteLength(text);
    const key = sha256Hex(JSON.stringify([userId, sessionId, markHandle('', labels), text]));
    const known = this.#known.get(key);
    if (known !== undefined && (await this.#isThere(known, userId)))
      return { handle: known, bytes };
    const { results, runtime, newHandle } = this.#deps;
    const handle = markHandle(newHandle(), labels);
    const { executionId } = call;
    await results.put({ handle, userId, executionId, text, keptAt: runtime.now() });
    this.#known.set(key, handle);
    this.#forgetOld();
    return { handle, bytes };
  }

  /** A cleaned-up call took its results with it. */
  async #isThere(handle: string, userId: string): Promise<boolean> {
    return (await this.#deps.results.read(handle, userId, { offset: 0, limit: 0 })) !== undefined;
  }
}
