import { describe, expect, it } from 'vitest';
import { MAX_PAYLOAD_BYTES } from '../contract/queue.ts';
import { checkPayload } from './check-payload.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < levels; n++) value = { value };
  return value;
};
const circular: Record<string, unknown> = {};
circular.self = circular;

/** Holds 2 to the power of so many values, in a few objects. */
const doubled = (times: number): unknown => {
  let value: unknown = 1;
  for (let n = 0; n < times; n++) value = [value, value];
  return value;
};

describe('checkPayload', () => {
  it.each([
    [undefined, null],
    [null, null],
    ['text', 'text'],
    [{ a: undefined, b: [1, null] }, { b: [1, null] }],
  ])('keeps %j as %j', (payload, kept) => {
    expect(checkPayload(payload)).toEqual(kept);
  });

  it('returns a copy that later changes do not reach', () => {
    const payload = { list: [1] };
    const kept = checkPayload(payload);
    payload.list.push(2);
    expect(kept).toEqual({ list: [1] });
  });

  it('keeps a field named __proto__ as a field', () => {
    const kept = checkPayload(JSON.parse('{"__proto__":{"admin":true}}'));
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"admin":true}}');
    expect((kept as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each([
    ['a function', { run: () => 1 }, ['run']],
    ['a big integer', [1n], [0]],
    ['a symbol', Symbol('x'), []],
    ['a hole in a list', [undefined], [0]],
    ['infinity', { n: Number.POSITIVE_INFINITY }, ['n']],
    ['a date', { at: new Date(0) }, ['at']],
    ['a map', new Map(), []],
  ])('refuses %s and says where it is', (_, payload, path) => {
    expect(() => checkPayload(payload)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        extras: expect.objectContaining({ issues: [expect.objectContaining({ path })] }),
      }),
    );
  });

  it.each([
    ['one that is nested too deep', nested(65)],
    ['one that holds itself', circular],
    ['one that names the same list again and again', doubled(60)],
    ['one that is too large', 'x'.repeat(MAX_PAYLOAD_BYTES)],
    ['one of too many bytes in few characters', 'ä'.repeat(MAX_PAYLOAD_BYTES / 2)],
  ])('refuses %s', (_, payload) => {
    expect(() => checkPayload(payload)).toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR' }),
    );
  });

  it.each(['payload', 'progress', 'result'] as const)('names the %s that it refuses', (part) => {
    expect(() => checkPayload(new Date(0), part)).toThrow(
      `The ${part} of the job cannot be kept: is an object of a class`,
    );
  });
});
