import { readFile } from 'node:fs/promises';
import type { MethodDefinition } from '@grpc/grpc-js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SHOP_PROTO, shopDefinition } from '../../../../test/fixtures/grpc-server.ts';
import { buildTypes } from '../definition/build-definition.ts';
import { readProtoFiles } from '../definition/read-proto-files.ts';
import { decodeMessage, newDecoding } from './decode-message.ts';
import { encodeMessage } from './encode-message.ts';
import { createTypeTable, type TypeTable } from './type-table.ts';
import { MalformedMessage } from './wire-reader.ts';

const EVERYTHING = 'shop.v1.Everything';

const shopTypes = async (): Promise<TypeTable> => {
  const deps = {
    signal: new AbortController().signal,
    absolutePath: (path: string) => path,
    readFile,
  };
  const { files } = await readProtoFiles([SHOP_PROTO], [], deps);
  return createTypeTable(buildTypes(files));
};
const types = await shopTypes();

/** What the reference library makes of the same proto file. */
const echo = (shopDefinition(true)['shop.v1.Orders'] as unknown as Record<string, unknown>)
  .Echo as MethodDefinition<object, object>;

const decode = (bytes: Uint8Array, budget = 1_000_000): unknown =>
  decodeMessage(EVERYTHING, bytes, newDecoding(types, budget));
const encode = (value: unknown): Buffer => encodeMessage(EVERYTHING, value, types);

/** What the type says of a message in JSON; fields that are absent are left out. */
const shortened = (value: unknown): unknown =>
  Object.fromEntries(
    Object.entries(value as object).filter(
      ([, one]) =>
        !(one === '' || one === 0 || one === '0' || one === false || one === 'STATE_UNSPECIFIED') &&
        !(typeof one === 'object' && one !== null && Object.keys(one).length === 0),
    ),
  );

const whole = (min: bigint, max: bigint) => fc.bigInt({ min, max }).map(String);
const number = { noNaN: true, noDefaultInfinity: true };

/** Objects as the reference library takes them. */
const libraryObject = fc.record(
  {
    doubleValue: fc.double(number),
    floatValue: fc.float(number),
    int32Value: fc.integer(),
    int64Value: whole(-(2n ** 63n), 2n ** 63n - 1n),
    uint32Value: fc.nat({ max: 2 ** 31 - 1 }).map((one) => one * 2),
    uint64Value: whole(0n, 2n ** 64n - 1n),
    sint32Value: fc.integer(),
    sint64Value: whole(-(2n ** 63n), 2n ** 63n - 1n),
    fixed32Value: fc.nat(),
    fixed64Value: whole(0n, 2n ** 64n - 1n),
    sfixed32Value: fc.integer(),
    sfixed64Value: whole(-(2n ** 63n), 2n ** 63n - 1n),
    boolValue: fc.boolean(),
    stringValue: fc.string({ unit: 'grapheme' }),
    bytesValue: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    state: fc.constantFrom('STATE_UNSPECIFIED', 'OPEN', 'SHIPPED'),
    maybe: fc.string(),
    numbers: fc.array(fc.integer()),
    texts: fc.array(fc.string()),
    states: fc.array(fc.constantFrom('OPEN', 'SHIPPED')),
    loose: fc.array(fc.double(number)),
    orders: fc.dictionary(fc.stringMatching(/^[a-z]{0,5}$/), fc.record({ orderId: fc.string() })),
    flags: fc.dictionary(whole(-(2n ** 63n), 2n ** 63n - 1n), fc.boolean()),
    count: fc.integer(),
    inner: fc.record({ int32Value: fc.integer(), texts: fc.array(fc.string()) }),
    time: fc.record({ seconds: whole(0n, 10_000_000_000n), nanos: fc.nat(999_999_999) }),
  },
  { requiredKeys: [] },
);

describe('a message', () => {
  it('means the same to the reference library after it was JSON in between', () => {
    fc.assert(
      fc.property(libraryObject, (value) => {
        const bytes = echo.requestSerialize(value);
        const back = encode(decode(bytes));
        expect(echo.requestDeserialize(back)).toEqual(echo.requestDeserialize(bytes));
      }),
      { numRuns: 300 },
    );
  });

  const FORMS: readonly (readonly [string, unknown])[] = [
    ['doubleValue', 'NaN'],
    ['doubleValue', '-Infinity'],
    ['doubleValue', -0],
    ['floatValue', 0.1],
    ['floatValue', -0],
    ['int64Value', '-9223372036854775808'],
    ['uint64Value', '18446744073709551615'],
    ['bytesValue', '+/8='],
    ['state', 'SHIPPED'],
    ['state', 99],
    ['maybe', ''],
    ['words', { true: 'yes', false: '' }],
    ['flags', { '-5': true }],
    ['time', '0001-01-01T00:00:00Z'],
    ['time', '9999-12-31T23:59:59.999999999Z'],
    ['time', '1969-12-31T23:59:59.500Z'],
    ['duration', '-1.500s'],
    ['duration', '-0.000000001s'],
    ['duration', '315576000000s'],
    ['struct', { a: null, b: [1, 'x', { c: true }], constructor: {} }],
    ['value', null],
    ['value', [null, 2.5]],
    ['list', []],
    ['any', { '@type': 'type.googleapis.com/shop.v1.Event', number: 3, text: 'hi' }],
    ['any', { '@type': 'type.googleapis.com/google.protobuf.Duration', value: '3s' }],
    ['any', { '@type': 'type.googleapis.com/other.Thing', '@bytes': 'CAE=' }],
    ['mask', 'fooBar,a.bC'],
    ['mask', ''],
    ['wrapped', '0'],
    ['wrappedText', ''],
    ['empty', {}],
    ['@custom', 'x'],
    ['order', { orderId: '', cents: '0', state: 'OPEN', lines: [], caller: '' }],
  ];
  it.each(FORMS)('keeps %s %j', (name, value) => {
    const decoded = decode(encode({ [name]: value })) as Record<string, unknown>;
    expect(decoded[name]).toEqual(value);
  });

  it.each([
    ['time', '2026-01-31T13:00:00+01:00', '2026-01-31T12:00:00Z'],
    ['time', '2026-01-31T12:00:00.1Z', '2026-01-31T12:00:00.100Z'],
    ['bytesValue', '-_8', '+/8='],
    ['int64Value', 7, '7'],
    ['mask', 'foo_bar', 'fooBar'],
  ])('reads %s %j as the common form of it', (name, value, form) => {
    expect(decode(encode({ [name]: value }))).toMatchObject({ [name]: form });
  });

  it.each([
    ['int32Value', 1.5],
    ['int32Value', 2 ** 31],
    ['int32Value', '1'],
    ['uint32Value', -1],
    ['int64Value', '9223372036854775808'],
    ['uint64Value', '-1'],
    ['int64Value', 2 ** 60],
    ['floatValue', 1e39],
    ['boolValue', ''],
    ['boolValue', 0],
    ['stringValue', false],
    ['stringValue', '\ud800'],
    ['bytesValue', 'a'],
    ['bytesValue', 'a b='],
    ['state', 'GONE'],
    ['numbers', 5],
    ['numbers', [null]],
    ['orders', []],
    ['flags', { x: true }],
    ['words', { maybe: 'x' }],
    ['time', '2026-02-30T00:00:00Z'],
    ['time', '0000-12-31T23:59:59Z'],
    ['duration', '1'],
    ['duration', '315576000001s'],
    ['struct', []],
    ['any', { x: 1 }],
    ['any', { '@type': 'x/no.Such' }],
    ['empty', { x: 1 }],
    ['inner', 'x'],
    ['toString', 'x'],
  ])('refuses %s %j', (name, value) => {
    expect(() => encode({ [name]: value })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  it('names the place of a fault', () => {
    const faulty = { inner: { orders: { a: { lines: [{}, { count: -1 }] } } } };
    const path = ['inner', 'orders', 'a', 'lines', 1, 'count'];
    expect(() => encode(faulty)).toThrow(
      expect.objectContaining({ extras: { issues: [expect.objectContaining({ path })] } }),
    );
  });

  it('has one value of a oneof, the last one', () => {
    const bytes = Buffer.concat([encode({ text: 'a' }), encode({ count: 0 })]);
    const decoded = decode(bytes);
    expect(decoded).toMatchObject({ count: 0 });
    expect(decoded).not.toHaveProperty('text');
    expect(() => encode({ text: '', count: 0 })).toThrow();
  });

  it('that comes in parts is put together', () => {
    const parts = [{ inner: { texts: ['a'] } }, { inner: { texts: ['b'], int32Value: 1 } }];
    const decoded = decode(Buffer.concat(parts.map(encode)));
    expect(decoded).toMatchObject({ inner: { texts: ['a', 'b'], int32Value: 1 } });
    expect(shortened(decode(Buffer.alloc(0)))).toEqual({});
  });

  it('from outside is refused where it is cut off or nonsense, and never anything else happens', () => {
    const full = encode({
      texts: ['abc'],
      numbers: [1, 300],
      orders: { a: { orderId: 'x' } },
      struct: { a: [1] },
      doubleValue: 1.5,
      any: { '@type': 'a/shop.v1.Event', number: 1 },
    });
    const attempt = (bytes: Uint8Array): void => {
      try {
        decode(bytes, 100_000);
      } catch (error) {
        const isExpected =
          error instanceof MalformedMessage ||
          Reflect.get(error as object, 'code') === 'OUTPUT_TOO_LARGE';
        if (!isExpected) throw error;
      }
    };
    for (let size = 0; size <= full.length; size++) attempt(full.subarray(0, size));
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), attempt), { numRuns: 3000 });
  });

  it('made of any JSON is a message or a validation error', () => {
    const names = [...(types.message(EVERYTHING)?.byName.keys() ?? [])];
    const any = fc.record({ name: fc.constantFrom(...names), value: fc.jsonValue() });
    fc.assert(
      fc.property(any, ({ name, value }) => {
        try {
          decode(encode({ [name]: value }));
        } catch (error) {
          expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('nested deeper than 100 messages is refused both ways', () => {
    let bytes = Buffer.alloc(0);
    for (let depth = 0; depth < 120; depth++) {
      const size =
        bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
      bytes = Buffer.concat([Buffer.from([0xe2, 0x01, ...size]), bytes]);
    }
    expect(() => decode(bytes)).toThrow('too deep');
    let value = {};
    for (let depth = 0; depth < 120; depth++) value = { inner: value };
    expect(() => encode(value)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });

  it('of few bytes that stands for much JSON is refused by the size of the JSON', () => {
    const lines = Buffer.from(Array.from({ length: 20_000 }, () => [0x32, 0x00]).flat());
    const decoding = newDecoding(types, 200_000);
    expect(() => decodeMessage('shop.v1.Order', lines, decoding)).toThrow(
      expect.objectContaining({ code: 'OUTPUT_TOO_LARGE' }),
    );
  });

  it('cannot reach the prototype of objects by the keys of a map', () => {
    const key = Buffer.from([0x0a, 0x09, ...Buffer.from('__proto__'), 0x12, 0x00]);
    const bytes = Buffer.concat([Buffer.from([0xb2, 0x01, key.length]), key]);
    const decoding = newDecoding(types, 10_000);
    const decoded = decodeMessage(EVERYTHING, bytes, decoding) as { readonly orders: object };
    expect(Object.getPrototypeOf(decoded.orders)).toBe(Object.prototype);
    expect(decoding.leftOut).toBe(1);
  });

  it('with fields that have the names of inherited members is read as any other', () => {
    const inherited = createTypeTable({
      messages: {
        'a.Odd': {
          fields: [
            { name: 'toString', number: 1, type: 'message', ref: 'a.Odd', presence: true },
            { name: 'valueOf', number: 2, type: 'int32', presence: true, oneof: 'x' },
            { name: 'hasOwnProperty', number: 3, type: 'int32', presence: true, oneof: 'x' },
          ],
        },
      },
      enums: {},
    });
    const value = { toString: { valueOf: 1 } };
    const bytes = encodeMessage('a.Odd', value, inherited);
    expect(decodeMessage('a.Odd', bytes, newDecoding(inherited, 1000))).toEqual(value);
    expect(Object.hasOwn(Object.prototype.toString, 'valueOf')).toBe(false);
  });

  it('with fields that nobody knows says so', () => {
    const decoding = newDecoding(types, 1000);
    const bytes = Buffer.from([0xf8, 0x7f, 0x01, 0x0a, 0x01, 0xff]);
    expect(decodeMessage('shop.v1.Event', bytes, decoding)).toEqual({ number: 0, text: '' });
    expect(decoding.unknownFields).toBe(2);
    decodeMessage('shop.v1.GetRequest', Buffer.from([0x0a, 0x01, 0xff]), decoding);
    expect(decoding.faultyTexts).toBe(1);
  });
});
