/**
 * Turns whatever a tool returned into plain JSON data, secrets removed, and measures it on the way.
 * One walk does all three, because it is on the hot path of every call.
 */
import { types } from 'node:util';
import type { Redactor } from './redaction/redaction.ts';

export const MAX_RESULT_DEPTH = 200;

export interface PlainData {
  readonly data: unknown;
  /** Roughly the length of its JSON text. */
  readonly bytes: number;
}

class Walk {
  bytes = 0;
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  value(value: unknown, depth: number): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        this.bytes += 8;
        return Number.isFinite(value) ? this.#redactor.number(value) : null;
      case 'boolean':
        this.bytes += 5;
        return value;
      case 'bigint':
        return this.#text(value.toString());
      case 'object':
        return value === null ? null : this.#object(value, depth);
      default:
        return undefined;
    }
  }

  #text(value: string): string {
    this.bytes += value.length + 2;
    return this.#redactor.text(value);
  }

  #object(value: object, depth: number): unknown {
    // A cycle ends here too: no honest result is this deep.
    if (depth > MAX_RESULT_DEPTH) throw new RangeError('too deep');
    // A proxy may answer differently next time: what was read now is what counts.
    if (types.isProxy(value)) return this.#proxy(value, depth);
    if (Array.isArray(value)) return this.#array(value, depth);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.#plain(value, depth);
    return this.#exotic(value, depth);
  }

  #proxy(value: object, depth: number): unknown {
    const copy: object = Array.isArray(value) ? Array.from(value) : { ...value };
    return this.#object(copy, depth);
  }

  #array(value: readonly unknown[], depth: number): unknown {
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const clean = this.value(value[i], depth + 1) ?? null;
      this.bytes++;
      if (clean !== value[i] && !copy) copy = value.slice(0, i);
      copy?.push(clean);
    }
    return copy ?? value;
  }

  #plain(value: object, depth: number): unknown {
    const source = value as Record<string, unknown>;
    let copy: Record<string, unknown> | undefined;
    for (const key in source) {
      if (!Object.hasOwn(source, key)) continue;
      const before = source[key];
      const clean = this.value(before, depth + 1);
      this.bytes += key.length + 4;
      const name = this.#redactor.key(key);
      if (clean === before && name === key && key !== '__proto__') continue;
      copy ??= { ...source };
      if (clean === undefined || name !== key || key === '__proto__') delete copy[key];
      if (clean !== undefined && name !== '__proto__') copy[name] = clean;
    }
    return copy ?? value;
  }

  /** Values JSON has no word for: what a reader would expect to see instead. */
  #exotic(value: object, depth: number): unknown {
    if (value instanceof Uint8Array) return this.#text(Buffer.from(value).toString('base64'));
    if (value instanceof Map) return this.#plain(Object.fromEntries(value), depth);
    if (value instanceof Set) return this.#array([...value], depth);
    if (value instanceof Error) {
      return { name: this.#text(value.name), message: this.#text(value.message) };
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return this.value(value.toJSON(), depth + 1);
    }
    return this.#plain({ ...value }, depth);
  }
}

/** Throws a RangeError for data that is too deep or circular. */
export const plainData = (value: unknown, redactor: Redactor): PlainData => {
  const walk = new Walk(redactor);
  const data = walk.value(value, 0);
  return { data, bytes: walk.bytes };
};
