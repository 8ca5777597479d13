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

  /** For audit and logs. Copies only what changes; expects plain data. */
  record(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > 64) return REDACTED;
    return Array.isArray(value) ? this.#array(value, depth) : this.#object(value, depth);
  }

  #array(value: readonly unknown[], depth: number): unknown {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const clean = this.record(value[i], depth + 1);
      if (clean !== value[i]) {
        copy ??= [...value];
        copy[i] = clean;
      }
    }
    return copy ?? value;
  }

  #object(value: object, depth: number): unknown {
    const source = value as Record<string, unknown>;
    let copy: Record<string, unknown> | undefined;
    for (const key of Object.keys(source)) {
      const before = source[key];
      const clean =
        this.#sensitiveKey(key) && before !== null && before !== undefined
          ? REDACTED
          : this.record(before, depth + 1);
      if (clean !== before) {
        copy ??= { ...source };
        copy[key] = clean;
      }
    }
    return copy ?? value;
  }
}

/** `apiKey`, `api_key` and `API-KEY` are one key. */
const plainKey = (key: string): string => key.replaceAll(/[^a-zA-Z0-9]/g, '').toLowerCase();
