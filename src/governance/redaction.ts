/**
 * Takes secrets out of whatever leaves the crib. Known values and well-known shapes go everywhere;
 * values under telling key names go from records (audit, logs), where nobody needs them.
 */
import { SHORTEST_SHAPE, secretShapes } from './secret-shapes.ts';

export const REDACTED = '[REDACTED]';

/** A known value shorter than this would black out half of every text. */
const SHORTEST_SECRET = 6;

export class Redactor {
  readonly #known = new Set<string>();
  readonly #shapes = secretShapes();
  readonly #sensitiveKey: (key: string) => boolean;

  constructor(sensitiveKeys: readonly string[] = []) {
    const wanted = new Set(sensitiveKeys.map(plainKey));
    const seen = new Map<string, boolean>();
    this.#sensitiveKey = (key) => {
      let answer = seen.get(key);
      if (answer === undefined) {
        answer = wanted.has(plainKey(key));
        // Keys come from callers: the memo must not grow with them.
        if (seen.size < 1000) seen.set(key, answer);
      }
      return answer;
    };
  }

  /** Remembers a value handed to a tool, plain and in the encodings it may come back in. */
  learn(secret: string): void {
    if (secret.length < SHORTEST_SECRET) return;
    this.#known.add(secret);
    this.#known.add(encodeURIComponent(secret));
    this.#known.add(Buffer.from(secret, 'utf8').toString('base64'));
    this.#known.add(Buffer.from(secret, 'utf8').toString('base64url'));
  }

  text(value: string): string {
    let clean = value;
    if (this.#known.size > 0) {
      for (const secret of this.#known) {
        if (clean.includes(secret)) clean = clean.replaceAll(secret, REDACTED);
      }
    }
    if (clean.length < SHORTEST_SHAPE) return clean;
    return clean.replace(this.#shapes, REDACTED);
  }

  /** For audit and logs. Always a copy: what is recorded must not change with what it was taken from. */
  record(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > 64) return REDACTED;
    if (Array.isArray(value)) return value.map((item) => this.record(item, depth + 1));
    const source = value as Record<string, unknown>;
    const copy: Record<string, unknown> = {};
    for (const key in source) {
      if (!Object.hasOwn(source, key)) continue;
      const item = source[key];
      const hide = item !== null && item !== undefined && this.#sensitiveKey(key);
      copy[key] = hide ? REDACTED : this.record(item, depth + 1);
    }
    return copy;
  }
}

/** `apiKey`, `api_key` and `API-KEY` are one key. */
const plainKey = (key: string): string => key.replaceAll(/[^a-zA-Z0-9]/g, '').toLowerCase();
