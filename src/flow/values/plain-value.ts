/** Turns a value of CEL into JSON: whole numbers are bigints there, and times are objects. */
import { isObject } from '../../kit/data/is-record.ts';

const MAX_DEPTH = 100;
const MAX_NODES = 1_000_000;

class PlainValues {
  readonly #spend: (units: number) => void;
  #nodes = 0;

  constructor(spend: (units: number) => void) {
    this.#spend = spend;
  }

  of(value: unknown, depth: number): unknown {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new RangeError(`more than ${MAX_NODES} values`);
    this.#spend(1);
    if (typeof value === 'bigint') return wholeNumber(value);
    if (typeof value === 'number' && !Number.isFinite(value))
      throw new RangeError(`gives ${value}`);
    if (!isObject(value)) return value;
    if (depth >= MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} deep`);
    return this.#ofObject(value, depth + 1);
  }

  #ofObject(value: object, depth: number): unknown {
    if (Array.isArray(value)) return value.map((each) => this.of(each, depth));
    if (value instanceof Date) return value.toISOString();
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype !== Object.prototype && prototype !== null) {
      throw new TypeError(`gives a ${value.constructor.name}, which is no JSON`);
    }
    const entries = Object.entries(value).map(([key, each]) => [key, this.of(each, depth)]);
    return Object.fromEntries(entries);
  }
}

const wholeNumber = (value: bigint): number => {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is too large for JSON`);
  return number;
};

/** Copies a value as JSON and spends a unit on each part. Throws where it is none. */
export const plainValue = (value: unknown, spend: (units: number) => void): unknown =>
  new PlainValues(spend).of(value, 0);
