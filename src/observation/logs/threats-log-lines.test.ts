/** What somebody outside can put into a log: no forged lines, no secrets, no endless work. */
import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import { Redactor } from '../../governance/redaction/redaction.ts';
import { createLogger } from './create-logger.ts';
import { createJsonSink } from './json-sink.ts';
import { createPrettySink } from './pretty-sink.ts';

const plain = (text: string): string => text;
const PAINT = { dim: plain, debug: plain, info: plain, warn: plain, error: plain };

/** A log with both sinks, and what each of them wrote. */
const openBoth = (redactor = new Redactor()) => {
  const json: string[] = [];
  const pretty: string[] = [];
  const { log } = createLogger({
    level: 'debug',
    redactor,
    runtime: fakeRuntime(),
    sinks: [
      createJsonSink({ target: { write: (text) => json.push(text) }, pid: 7, process: 'serve' }),
      createPrettySink({ write: (text) => pretty.push(text), paint: PAINT, withTime: true }),
    ],
  });
  const parsed = (at = 0): Record<string, unknown> => JSON.parse(json[at] ?? '');
  return { log, json, pretty, parsed, all: () => [...json, ...pretty].join('') };
};

/** Characters that a terminal, an editor or a log viewer takes for a line break or a command. */
const CONTROLS = ['\n', '\r', '\u001b[2J', '\u0085', '\u2028', '\u202e', '\u009b31m', '\u0000'];

describe('log lines', () => {
  it.each(CONTROLS)('a message, a value and a field name with %j stay one visible line', (bad) => {
    const forged = `x${bad}{"level":"info","msg":"approved by admin"}`;
    const { log, json, pretty } = openBoth();
    log.warn(forged, { value: forged, [forged]: 1 });
    for (const [text] of [json, pretty]) {
      expect(text?.endsWith('\n')).toBe(true);
      expect(text?.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
    expect(json).toHaveLength(1);
    expect(JSON.parse(json[0] ?? '')).toMatchObject({ msg: forged, value: forged });
  });

  it('fields cannot replace the time, level, message and process of a line', () => {
    const { log, json } = openBoth();
    log.info('real', { level: 'error', msg: 'false', time: '1999', pid: 1, process: 'other' });
    const text = json[0] ?? '';
    expect(text.match(/"(level|msg|time|pid|process)":/g)).toHaveLength(5);
    expect(JSON.parse(text)).toEqual({
      level: 'info',
      pid: 7,
      process: 'serve',
      time: '2026-01-15T12:00:00.000Z',
      msg: 'real',
      level_: 'error',
      msg_: 'false',
      time_: '1999',
      pid_: 1,
      process_: 'other',
    });
  });

  it('a field called __proto__ changes nothing', () => {
    const { log, parsed } = openBoth();
    log.info('x', JSON.parse('{"__proto__":{"admin":true},"a":1}') as Record<string, unknown>);
    expect(parsed()).toMatchObject({ a: 1 });
    expect(parsed().admin).toBeUndefined();
  });

  it('a known secret is in no line: in messages, nested fields, keys, errors and their causes', () => {
    const secret = 'canary-7f3e9a51c2';
    const redactor = new Redactor();
    redactor.learn(secret);
    const { log, all } = openBoth(redactor);
    const cause = new Error(`cause ${secret}`);
    const error = Object.assign(new Error(`failed with ${secret}`, { cause }), { detail: secret });
    log.error(`message ${secret}`, {
      error,
      deep: { list: [{ [`key-${secret}`]: secret }] },
      map: new Map([['k', secret]]),
      set: new Set([secret]),
      url: new URL(`https://example.com/?q=${secret}`),
      encoded: Buffer.from(secret).toString('base64'),
    });
    expect(all()).toContain('[REDACTED]');
    expect(all()).not.toContain(secret);
    expect(all()).not.toContain(Buffer.from(secret).toString('base64'));
  });

  it('the holder of a token is named by callerId, and a secret in such a name is redacted', () => {
    const { log, parsed } = openBoth();
    const secret = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    log.info('call finished', { callerId: 'token:ci-2026', note: 'token:ci-2026' });
    log.info('call finished', { callerId: `token:${secret}` });
    expect(parsed(0)).toMatchObject({ callerId: 'token:ci-2026', note: 'token:[REDACTED]' });
    expect(parsed(1)).toMatchObject({ callerId: 'token:[REDACTED]' });
  });

  it('a value under the name of a secret, and a token by its shape, are redacted', () => {
    const { log, all } = openBoth();
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    log.info(`Authorization: Bearer ${token}`, { password: 'correct-horse-battery', note: token });
    expect(all()).not.toContain(token);
    expect(all()).not.toContain('correct-horse-battery');
  });

  it('a secret that lies across the place where a long text is cut is redacted, not halved', () => {
    const secret = 'canary-0123456789abcdef';
    const redactor = new Redactor();
    redactor.learn(secret);
    const { log, all } = openBoth(redactor);
    log.info('x', { text: `${'a '.repeat(995)}${secret}${' b'.repeat(995)}` });
    expect(all()).not.toContain(secret.slice(0, 10));
  });

  it('long texts, wide records and deep ones are cut, and the line says so', () => {
    const { log, json, parsed } = openBoth();
    log.info('m'.repeat(5_000), { text: 'x'.repeat(1_000_000) });
    expect(parsed()).toMatchObject({ msg: expect.stringContaining('… (3000 more characters)') });
    let deep: object = {};
    for (let level = 0; level < 10_000; level++) deep = { deep };
    log.info('wide', { list: new Array(100_000).fill('y'.repeat(1_000)), deep });
    for (const text of json) expect(text.length).toBeLessThan(64_000);
    expect(json[1]).toContain('[more]');
  });

  it.each([
    [
      'a cycle',
      () => {
        const a: Record<string, unknown> = {};
        a.self = a;
        a.again = [a, a];
        return a;
      },
    ],
    [
      'a getter that throws',
      () => ({
        get bad() {
          throw new Error('no');
        },
        good: 1,
      }),
    ],
    [
      'a proxy that throws',
      () => ({
        proxy: new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('no');
            },
          },
        ),
      }),
    ],
    [
      'a toJSON that throws',
      () => ({
        odd: {
          toJSON: () => {
            throw new Error('no');
          },
        },
      }),
    ],
    [
      'odd values',
      () => ({
        big: 10n ** 400n,
        f: () => 1,
        s: Symbol('s'),
        n: Number.NaN,
        d: new Date(Number.NaN),
      }),
    ],
  ])('%s is logged without an error', (_, make) => {
    const { log, json, pretty } = openBoth();
    log.warn('odd', make() as Record<string, unknown>);
    expect(JSON.parse(json[0] ?? '')).toMatchObject({ msg: 'odd' });
    expect(pretty).toHaveLength(1);
  });

  it('a message that is no text is written as one', () => {
    const { log, parsed } = openBoth();
    log.info(Symbol('x') as never);
    expect(parsed().msg).toBe('Symbol(x)');
  });

  it('benign: ordinary text in many languages, numbers and ids are unchanged', () => {
    const { log, parsed, pretty } = openBoth();
    const fields = {
      tool: 'read_file',
      ms: 3.125,
      cached: true,
      none: null,
      list: [1, 'b'],
      text: 'Größe 東京 🙂 100 %s',
      path: '/home/ada/notes.md',
      executionId: '01a2b3c4-0000-7000-8000-000000000001',
    };
    log.info('Grüße: 50 %', fields);
    expect(parsed()).toMatchObject({ ...fields, msg: 'Grüße: 50 %' });
    expect(pretty[0]).toBe(
      '12:00:00.000 info: Grüße: 50 % tool=read_file ms=3.125 cached=true none=null list=[1,"b"]' +
        ' text="Größe 東京 🙂 100 %s" path=/home/ada/notes.md executionId=01a2b3c4-0000-7000-8000-000000000001\n',
    );
  });
});
