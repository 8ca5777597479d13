/**
 * Takes secrets out of whatever leaves the crib. Known values and well-known shapes go everywhere;
 * values under telling key names go from records (audit, logs), where nobody needs them.
 */
import { SHORTEST_SECRET } from './encoded-forms.ts';
import { type RedactionStream, redactionStream } from './redaction-stream.ts';
import { SecretFinder } from './secret-finder.ts';
import { sensitiveKeys } from './sensitive-keys.ts';
import { replaceSpans } from './span.ts';

export const REDACTED = '[REDACTED]';

/** No honest record is this deep. */
const MAX_DEPTH = 64;
/** Names come from callers: what is remembered of them must not grow with them. */
const MAX_CLEAN_KEYS = 1000;

export class Redactor {
  readonly #finder = new SecretFinder();
  readonly #sensitiveKey: (key: string) => boolean;
  readonly #cleanKeys = new Set<string>();
  /** A secret of digits may come back as a number. */
  #knowsNumbers = false;

  constructor(sensitive: readonly string[] = []) {
    this.#sensitiveKey = sensitiveKeys(sensitive);
  }

  /**
   * Remembers a value handed to a tool, and the encodings it may come back in. A value shorter than
   * six characters is not remembered: it would black out ordinary text.
   */
  learn(secret: string): void {
    if (this.#finder.known.learn(secret)) this.#cleanKeys.clear();
    this.#knowsNumbers ||= /^[0-9.e+-]+$/i.test(secret.trim());
  }

  text(value: string): string {
    if (value.length < SHORTEST_SECRET) return value;
    const spans = this.#finder.find(value);
    return spans.length === 0 ? value : replaceSpans(value, spans, REDACTED);
  }

  /** The name of a field. Names come again and again, so those found clean are remembered. */
  key(name: string): string {
    if (name.length < SHORTEST_SECRET || this.#cleanKeys.has(name)) return name;
    const clean = this.text(name);
    if (clean === name && this.#cleanKeys.size < MAX_CLEAN_KEYS) this.#cleanKeys.add(name);
    return clean;
  }

  /** The number itself, unless its digits are a secret. */
  number(value: number): number | string {
    if (!this.#knowsNumbers) return value;
    const written = String(value);
    const clean = this.text(written);
    return clean === written ? value : clean;
  }

  /** For text that comes in pieces: a secret that lies across two of them is found. */
  stream(): RedactionStream {
    return redactionStream(this.#finder, REDACTED);
  }

  /** For audit and logs. Always a copy: what is recorded must not change with what it was taken from. */
  record(value: unknown, depth = 0): unknown {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return this.number(value);
      case 'bigint':
        return this.text(value.toString());
      case 'object':
        if (value === null) return null;
        return depth > MAX_DEPTH ? REDACTED : this.#object(value, depth + 1);
      default:
        return value;
    }
  }

  #object(value: object, depth: number): unknown {
    if (Array.isArray(value)) return value.map((item) => this.record(item, depth));
    if (value instanceof Uint8Array) return this.text(Buffer.from(value).toString('base64'));
    if (value instanceof Map) return this.#fields(Object.fromEntries(value), depth);
    if (value instanceof Set) return [...value].map((item) => this.record(item, depth));
    if (value instanceof Error) return this.#error(value, depth);
    if (value instanceof Date || value instanceof URL) return this.record(value.toJSON(), depth);
    return this.#fields(value, depth);
  }

  #error(error: Error, depth: number): unknown {
    const { name, message, cause } = error;
    const told = { name, message: this.text(message), ...this.#fields(error, depth) };
    return cause === undefined ? told : { ...told, cause: this.record(cause, depth) };
  }

  #fields(source: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key in source) {
      // `__proto__` would change the copy instead of landing in it.
      if (!Object.hasOwn(source, key) || key === '__proto__') continue;
      const item: unknown = source[key as keyof typeof source];
      const hide = item !== null && item !== undefined && this.#sensitiveKey(key);
      copy[this.key(key)] = hide ? REDACTED : this.record(item, depth);
    }
    return copy;
  }
}
