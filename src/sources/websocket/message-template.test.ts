import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { FloodMeter } from './flood-meter.ts';
import { readPath, readTemplate, valueAt, withValueAt } from './message-template.ts';

/** Looks like a reference of the configuration, and is data. */
const TEXT = `\${secret:KEY}`;

const scope = (input: unknown) => ({ input, secret: (key: string) => `<${key}>` });

describe('a message template', () => {
  it('takes values of the input, secrets and fixed values, and leaves out what is absent', () => {
    const { fill, secrets } = readTemplate({
      op: 'x',
      all: { from: 'input' },
      city: { from: 'input.place.city' },
      gone: { from: 'input.gone' },
      list: [{ from: 'input.n' }, 1, null],
      token: { secret: 'KEY' },
      raw: { value: { from: 'input.n' } },
    });
    expect(secrets).toEqual(['KEY']);
    const input = { n: 2, place: { city: TEXT } };
    expect(fill(scope(input))).toEqual({
      op: 'x',
      all: input,
      city: TEXT,
      list: [2, 1, null],
      token: '<KEY>',
      raw: { from: 'input.n' },
    });
  });

  it('reads own properties only', () => {
    expect(readTemplate({ from: 'input.toString' }).fill(scope({}))).toBeUndefined();
    expect(valueAt({ a: { b: 1 } }, ['a', 'b'])).toBe(1);
    expect(valueAt('text', ['length'])).toBeUndefined();
  });

  it.each([
    [{ from: 'caller.user' }],
    [{ from: 'input.__proto__' }],
    [{ from: 1 }],
    [{ secret: 'mcp.oauth:x' }],
    [{ secret: 'a b' }],
    [{ a: { constructor: 1 } }],
    [JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`)],
  ])('%j is refused', (spec) => {
    expect(() => readTemplate(spec)).toThrow();
  });

  it('puts the id where the path says, over what is there', () => {
    expect(withValueAt({ meta: { id: 'mine', a: 1 } }, ['meta', 'id'], 'ours')).toEqual({
      meta: { id: 'ours', a: 1 },
    });
    expect(withValueAt({ meta: 'text' }, ['meta', 'id'], 'ours')).toEqual({ meta: { id: 'ours' } });
    expect(() => readPath('a..b')).toThrow('path');
  });
});

describe('the meter of messages that nobody asked for', () => {
  it('allows many over time, and few at once', async () => {
    const runtime = fakeRuntime();
    const meter = new FloodMeter(runtime, 1000);
    for (let at = 0; at < 2000; at += 1) expect(meter.isFlooded(1)).toBe(false);
    expect(meter.isFlooded(1)).toBe(true);
    await runtime.advance(11_000);
    expect(meter.isFlooded(8000)).toBe(false);
    expect(meter.isFlooded(1)).toBe(true);
  });
});
