/**
 * Single values of a message: from the wire to JSON and back, as the JSON mapping of proto3 says.
 */
import { isUtf8 } from 'node:buffer';
import type { ScalarType } from '../definition/model.ts';
import { WIRE, type WireReader } from './wire-reader.ts';
import type { WireWriter } from './wire-writer.ts';

export const WIRE_OF: Readonly<Record<ScalarType | 'enum', number>> = {
  double: WIRE.fixed64,
  float: WIRE.fixed32,
  string: WIRE.bytes,
  bytes: WIRE.bytes,
  int64: WIRE.varint,
  uint64: WIRE.varint,
  sint64: WIRE.varint,
  bool: WIRE.varint,
  int32: WIRE.varint,
  uint32: WIRE.varint,
  sint32: WIRE.varint,
  enum: WIRE.varint,
  fixed64: WIRE.fixed64,
  sfixed64: WIRE.fixed64,
  fixed32: WIRE.fixed32,
  sfixed32: WIRE.fixed32,
};

/** JSON has no word for these. */
const NOT_FINITE: ReadonlyMap<string, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

const finiteOrName = (value: number): number | string =>
  Number.isFinite(value) ? value : String(value);

/** Gives the shortest number that stands for the same float: 0.1, not 0.10000000149011612. */
const shortFloat = (value: number): number => {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    // Not ===: the text of -0 has no sign.
    if (Object.is(Math.fround(short), value)) return short;
  }
  return value;
};

/** Reads a scalar. `onFault` is called for a text that is not UTF-8, whose faulty bytes become U+FFFD. */
export const readScalar = (
  reader: WireReader,
  type: ScalarType,
  onFault: () => void,
): string | number | boolean => {
  switch (type) {
    case 'string': {
      const bytes = reader.bytes();
      if (!isUtf8(bytes)) onFault();
      return bytes.toString('utf8');
    }
    case 'bytes':
      return reader.bytes().toString('base64');
    case 'bool':
      return reader.bool();
    case 'double':
      return finiteOrName(reader.double());
    case 'float':
      return finiteOrName(shortFloat(reader.float()));
    case 'int32':
    case 'uint32':
    case 'sint32':
    case 'fixed32':
    case 'sfixed32':
      return reader[type]();
    default:
      return reader[type]().toString();
  }
};

/** Returns the value that an absent field without presence has. */
export const zeroOf = (type: ScalarType): string | number | boolean => {
  if (type === 'bool') return false;
  if (type === 'string' || type === 'bytes') return '';
  return type.endsWith('64') ? '0' : 0;
};

/** Thrown for a value that does not fit its field; says what would. */
export class Unfit extends Error {
  readonly path: (string | number)[] = [];
}

const INT32 = [-2_147_483_648, 2_147_483_647] as const;
const UINT32 = [0, 4_294_967_295] as const;
const INT64 = [-(2n ** 63n), 2n ** 63n - 1n] as const;
const UINT64 = [0n, 2n ** 64n - 1n] as const;
/** Anything from here on would be rounded to infinity. */
const FLOAT_END = 3.4028235677973366e38;

const number32 = (value: unknown, [min, max]: readonly [number, number]): number => {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) {
    return value;
  }
  throw new Unfit(`expected a whole number from ${min} to ${max}`);
};

const number64 = (value: unknown, [min, max]: readonly [bigint, bigint]): bigint => {
  const isText = typeof value === 'string' && /^-?\d{1,20}$/.test(value);
  if (isText || Number.isSafeInteger(value)) {
    const whole = BigInt(value as string | number);
    if (whole >= min && whole <= max) return whole;
  }
  throw new Unfit(`expected a whole number from ${min} to ${max}, as text`);
};

const realNumber = (value: unknown): number => {
  const named = typeof value === 'string' ? NOT_FINITE.get(value) : undefined;
  if (named !== undefined) return named;
  if (typeof value === 'number') return value;
  throw new Unfit('expected a number, "NaN", "Infinity" or "-Infinity"');
};

const floatNumber = (value: unknown): number => {
  const real = realNumber(value);
  if (!Number.isFinite(real) || Math.abs(real) < FLOAT_END) return real;
  throw new Unfit('expected a number that a 32-bit float can hold');
};

const wellFormed = (value: unknown): string => {
  if (typeof value !== 'string') throw new Unfit('expected a text');
  // A lone surrogate has no UTF-8 form; it would be replaced silently.
  if (/\p{Surrogate}/u.test(value)) throw new Unfit('expected a text without lone surrogates');
  return value;
};

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

const binary = (value: unknown): Buffer => {
  if (typeof value === 'string' && BASE64.test(value)) {
    const length = value.replace(/=+$/, '').length;
    if (length % 4 !== 1) return Buffer.from(value, 'base64');
  }
  throw new Unfit('expected bytes as base64');
};

const truth = (value: unknown): boolean => {
  if (typeof value === 'boolean') return value;
  throw new Unfit('expected true or false');
};

type Write = (writer: WireWriter, value: unknown) => void;

const WRITERS: Readonly<Record<ScalarType, Write>> = {
  string: (writer, value) => writer.bytes(Buffer.from(wellFormed(value), 'utf8')),
  bytes: (writer, value) => writer.bytes(binary(value)),
  bool: (writer, value) => writer.uint32(truth(value) ? 1 : 0),
  double: (writer, value) => writer.double(realNumber(value)),
  float: (writer, value) => writer.float(floatNumber(value)),
  int32: (writer, value) => writer.int32(number32(value, INT32)),
  sint32: (writer, value) => writer.sint32(number32(value, INT32)),
  sfixed32: (writer, value) => writer.sfixed32(number32(value, INT32)),
  uint32: (writer, value) => writer.uint32(number32(value, UINT32)),
  fixed32: (writer, value) => writer.fixed32(number32(value, UINT32)),
  int64: (writer, value) => writer.int64(number64(value, INT64)),
  sint64: (writer, value) => writer.sint64(number64(value, INT64)),
  sfixed64: (writer, value) => writer.sfixed64(number64(value, INT64)),
  uint64: (writer, value) => writer.uint64(number64(value, UINT64)),
  fixed64: (writer, value) => writer.fixed64(number64(value, UINT64)),
};

/** Writes a value without its tag. Throws `Unfit`. */
export const writeScalar = (writer: WireWriter, type: ScalarType, value: unknown): void =>
  WRITERS[type](writer, value);

/** Tells whether a value is the one that an absent field stands for. */
export const isZero = (type: ScalarType, value: unknown): boolean => {
  if (value === 0) return !Object.is(value, -0);
  if (type.endsWith('64')) return typeof value === 'string' && /^-?0+$/.test(value);
  return value === '' || value === false;
};
