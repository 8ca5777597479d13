/**
 * Turns the result of a tool into plain JSON data, removes secrets, and measures it. One walk does
 * all three, because it is on the hot path of every call.
 */
import { types } from 'node:util';
import type { Redactor } from './redaction/redaction.ts';
import { type FieldName, NO_NAME } from './redaction/secret-names.ts';
import { isValueField } from './redaction/secret-pairs.ts';

const MAX_RESULT_DEPTH = 200;

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

  value(value: unknown, depth: number, under: FieldName): unknown {
    switch (typeof value) {
      case 'string':
        return this.#text(value, under);
      case 'number':
        this.bytes += 8;
        return Number.isFinite(value) ? this.#redactor.numberUnder(under, value) : null;
      case 'boolean':
        this.bytes += 5;
        return value;
      case 'bigint':
        return this.#text(value.toString(), under);
      case 'object':
        return value === null ? null : this.#object(value, depth, under);
      default:
        return undefined;
    }
  }

  #text(value: string, under: FieldName): string {
    this.bytes += value.length + 2;
    return this.#redactor.textUnder(under, value);
  }

  #object(value: object, depth: number, under: FieldName): unknown {
    // A cycle ends here too: no honest result is this deep.
    if (depth > MAX_RESULT_DEPTH) throw new RangeError('too deep');
    // A proxy may answer differently next time: what was read now is what counts.
    if (types.isProxy(value)) return this.#proxy(value, depth, under);
    if (Array.isArray(value)) return this.#array(value, depth, under);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null)
      return this.#plain(value, depth, under);
    return this.#exotic(value, depth, under);
  }

  #proxy(value: object, depth: number, under: FieldName): unknown {
    const copy: object = Array.isArray(value) ? Array.from(value) : { ...value };
    return this.#object(copy, depth, under);
  }

  #array(value: readonly unknown[], depth: number, under: FieldName): unknown {
    let copy: unknown[] | undefined;
    const { keysFound } = this.#redactor;
    for (let i = 0; i < value.length; i++) {
      const name = this.#redactor.item(value[i - 1], under);
      const clean = this.value(value[i], depth + 1, name) ?? null;
      this.bytes++;
      if (clean !== value[i] && !copy) copy = value.slice(0, i);
      copy?.push(clean);
    }
    return this.#redactor.whole(value, copy ?? value, keysFound);
  }

  #plain(value: object, depth: number, under: FieldName): unknown {
    const source = value as Record<string, unknown>;
    const pair = this.#redactor.pair(value);
    const { keysFound } = this.#redactor;
    let copy: Record<string, unknown> | undefined;
    for (const key in source) {
      if (!Object.hasOwn(source, key)) continue;
      const before = source[key];
      const field = pair && isValueField(key) ? pair : this.#redactor.field(key, under);
      const clean = this.value(before, depth + 1, field);
      this.bytes += key.length + 4;
      const name = this.#redactor.key(key);
      if (clean === before && name === key && key !== '__proto__') continue;
      copy ??= { ...source };
      if (clean === undefined || name !== key || key === '__proto__') delete copy[key];
      if (clean !== undefined && name !== '__proto__') copy[name] = clean;
    }
    return this.#redactor.whole(source, copy ?? source, keysFound);
  }

  /** Converts values that JSON lacks to what a reader would expect. */
  #exotic(value: object, depth: number, under: FieldName): unknown {
    if (value instanceof Uint8Array) {
      return this.#text(Buffer.from(value).toString('base64'), under);
    }
    if (value instanceof Map) return this.#plain(Object.fromEntries(value), depth, under);
    if (value instanceof Set) return this.#array([...value], depth, under);
    if (value instanceof Error) {
      return { name: this.#text(value.name, NO_NAME), message: this.#text(value.message, NO_NAME) };
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return this.value(value.toJSON(), depth + 1, under);
    }
    return this.#plain({ ...value }, depth, under);
  }
}

/** Throws a RangeError for data that is too deep or circular. */
export const plainData = (value: unknown, redactor: Redactor): PlainData => {
  const walk = new Walk(redactor);
  const data = walk.value(value, 0, NO_NAME);
  return { data, bytes: walk.bytes };
};
