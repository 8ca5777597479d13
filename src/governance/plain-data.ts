/**
 * Turns the result of a tool into plain JSON data, removes secrets, and measures it. One walk does
 * all three, because it is on the hot path of every call. It keeps its own stack, so that a large
 * result can be walked in slices with pauses between them.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { types } from 'node:util';
import type { Redactor } from './redaction/redaction.ts';
import { MAX_WHOLE } from './redaction/secret-finder.ts';
import { type FieldName, NO_NAME } from './redaction/secret-names.ts';
import type { NamedFields } from './redaction/secret-pairs.ts';

const MAX_RESULT_DEPTH = 200;
/**
 * Larger results are refused: they would fill the memory, or have no end, as a list that holds itself many
 * times over.
 */
const MAX_RESULT_BYTES = 134_217_728;
const MAX_VALUES = 5_000_000;
const MAX_COPIED_AT_ONCE = 1_000;
/** A walk pauses after so many bytes: some milliseconds of work. */
const SLICE_BYTES = 131_072;

export interface PlainData {
  readonly data: unknown;
  /** Roughly the length of its JSON text. */
  readonly bytes: number;
}

/** A list or object that is being walked. */
interface Frame {
  readonly above: Frame | undefined;
  /** A copy of what the tool returned, of its own fields alone; the tool's own object where `isBuilt`. */
  readonly source: Record<string | number, unknown>;
  /** `undefined` for a list. */
  readonly keys: readonly string[] | undefined;
  readonly length: number;
  readonly depth: number;
  readonly under: FieldName;
  /** What an object says of its own fields. */
  readonly named: NamedFields | undefined;
  readonly keysFound: number;
  /** The item that is next or being walked. */
  at: number;
  copy: unknown[] | Record<string, unknown> | undefined;
  /** The copy is built field by field; `source` belongs to the tool then, and nothing is written into it. */
  readonly isBuilt: boolean;
}

/** Stands for a value that is not clean yet. */
const PENDING = Symbol('pending');

const tooLarge = (): RangeError => new RangeError('too large');

/** Copies a list by its indices: its methods may be those of the tool. */
const itemsOf = (list: readonly unknown[]): readonly unknown[] => {
  const { length } = list;
  if (length > MAX_VALUES) throw tooLarge();
  const items: unknown[] = [];
  for (let at = 0; at < length; at++) items.push(list[at]);
  return items;
};

class Walk implements PlainData {
  bytes = 0;
  data: unknown = PENDING;
  readonly #redactor: Redactor;
  #frame: Frame | undefined;
  #values = 0;
  /** The search of a long text. */
  #search: Generator<undefined, string> | undefined;

  constructor(redactor: Redactor, value: unknown) {
    this.#redactor = redactor;
    this.data = this.#clean(value, 0, NO_NAME);
  }

  /** Works until all is clean or about so many bytes are; false when there is more to do. */
  run(bytes: number): boolean {
    const end = this.bytes + bytes;
    while (this.data === PENDING) {
      if (this.bytes > MAX_RESULT_BYTES || this.#values > MAX_VALUES) throw tooLarge();
      if (this.#search) {
        const step = this.#search.next();
        if (step.done) this.#put(step.value);
        else if (bytes < Number.POSITIVE_INFINITY) return false;
        continue;
      }
      if (this.bytes >= end) return false;
      this.#step(this.#frame as Frame);
    }
    return true;
  }

  #step(frame: Frame): void {
    this.#values += 1;
    const { source, keys, at } = frame;
    if (at === frame.length) {
      this.#frame = frame.above;
      this.#put(this.#redactor.whole(source, (frame.copy as object) ?? source, frame.keysFound));
      return;
    }
    const clean = keys
      ? this.#clean(source[keys[at] as string], frame.depth + 1, this.#fieldName(frame))
      : this.#clean(source[at], frame.depth + 1, this.#redactor.item(source[at - 1], frame.under));
    if (clean !== PENDING) this.#put(clean);
  }

  #fieldName({ keys, at, named, under }: Frame): FieldName {
    const key = (keys as readonly string[])[at] as string;
    return named?.fields.has(key) ? named.name : this.#redactor.field(key, under);
  }

  /** Hands a clean value to the list or object that holds it. */
  #put(clean: unknown): void {
    this.#search = undefined;
    const frame = this.#frame;
    if (!frame) this.data = clean;
    else if (frame.keys) this.#putField(frame, frame.keys[frame.at++] as string, clean);
    else this.#putItem(frame, clean ?? null);
  }

  #putItem(frame: Frame, clean: unknown): void {
    const source = frame.source as unknown as readonly unknown[];
    const at = frame.at++;
    this.bytes++;
    if (clean !== source[at]) frame.copy ??= source.slice(0, at);
    if (frame.copy) (frame.copy as unknown[]).push(clean);
  }

  #putField(frame: Frame, key: string, clean: unknown): void {
    this.bytes += key.length + 4;
    const name = this.#redactor.key(key);
    if (frame.isBuilt) {
      if (clean !== undefined && name !== '__proto__') {
        (frame.copy as Record<string, unknown>)[name] = clean;
      }
      return;
    }
    if (clean === frame.source[key] && name === key && key !== '__proto__') {
      // Made before this field was walked, it has what the tool returned there.
      if (frame.copy) (frame.copy as Record<string, unknown>)[key] = clean;
      return;
    }
    frame.copy ??= { ...frame.source };
    const copy = frame.copy as Record<string, unknown>;
    if (clean === undefined || name !== key || key === '__proto__') delete copy[key];
    if (clean !== undefined && name !== '__proto__') copy[name] = clean;
  }

  /** Cleans a value, or starts to and returns `PENDING`. */
  #clean(value: unknown, depth: number, under: FieldName): unknown {
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

  #text(value: string, under: FieldName): unknown {
    this.bytes += value.length + 2;
    if (value.length <= MAX_WHOLE) return this.#redactor.textUnder(under, value);
    this.#search = this.#redactor.slicesUnder(under, value);
    return PENDING;
  }

  #object(value: object, depth: number, under: FieldName): unknown {
    // A cycle ends here too: no real result is this deep.
    if (depth > MAX_RESULT_DEPTH) throw new RangeError('too deep');
    // A proxy may answer differently next time: what was read now is what counts.
    if (types.isProxy(value)) return this.#enter(value, depth, under);
    if (Array.isArray(value)) return this.#enter(value, depth, under);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null)
      return this.#enter(value, depth, under);
    return this.#exotic(value, depth, under);
  }

  /** Walks a copy: what a getter answers is read once, and the tool can change nothing afterwards. */
  #enter(value: object, depth: number, under: FieldName): typeof PENDING {
    const isList = Array.isArray(value);
    const keys = isList ? undefined : Object.keys(value);
    // Copying a huge object at once would stop all others for seconds; a proxy may name other fields then.
    const isBuilt =
      keys !== undefined && (keys.length > MAX_COPIED_AT_ONCE || types.isProxy(value));
    const copied = isList ? itemsOf(value) : isBuilt ? value : { ...value };
    const source = copied as Frame['source'];
    const above = this.#frame;
    // What is unchanged in the end is found unchanged above, too; a copy that is built compares nothing.
    if (above && !above.isBuilt) above.source[above.keys?.[above.at] ?? above.at] = source;
    this.#frame = {
      above,
      source,
      keys,
      length: keys ? keys.length : (source as unknown as readonly unknown[]).length,
      depth,
      under,
      named: isList ? undefined : this.#redactor.namedFields(source),
      keysFound: this.#redactor.keysFound,
      at: 0,
      isBuilt,
      copy: isBuilt ? {} : undefined,
    };
    return PENDING;
  }

  /** Converts values that JSON lacks to what a reader would expect. */
  #exotic(value: object, depth: number, under: FieldName): unknown {
    if (value instanceof Uint8Array) {
      return this.#text(Buffer.from(value).toString('base64'), under);
    }
    if (value instanceof Map) return this.#enter(Object.fromEntries(value), depth, under);
    if (value instanceof Set) return this.#enter([...value], depth, under);
    if (value instanceof Error) {
      return this.#enter({ name: value.name, message: value.message }, depth, NO_NAME);
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return this.#clean(value.toJSON(), depth + 1, under);
    }
    return this.#enter({ ...value }, depth, under);
  }
}

/** Throws a RangeError for data that is too deep or circular. */
export const plainData = (value: unknown, redactor: Redactor): PlainData => {
  const walk = new Walk(redactor, value);
  walk.run(Number.POSITIVE_INFINITY);
  return walk;
};

const finish = async (walk: Walk): Promise<PlainData> => {
  do await nextTurn();
  while (!walk.run(SLICE_BYTES));
  return walk;
};

/** Does the same for a result of any size: a large one is walked in slices, and others work meanwhile. */
export const plainDataInSlices = (
  value: unknown,
  redactor: Redactor,
): PlainData | Promise<PlainData> => {
  const walk = new Walk(redactor, value);
  return walk.run(SLICE_BYTES) ? walk : finish(walk);
};
