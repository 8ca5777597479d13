import { describe, expect, it } from 'vitest';
import { AMBIGUOUS, SOUND } from '../../../../test/fixtures/ambiguous-json.ts';
import { StrictLines } from './strict-lines.ts';

const through = async (...chunks: (string | Buffer)[]) => {
  const refusals: string[] = [];
  const lines = new StrictLines((line) => void refusals.push(line));
  const passed: Buffer[] = [];
  lines.on('data', (chunk: Buffer) => passed.push(chunk));
  for (const chunk of chunks) lines.write(chunk);
  await new Promise<void>((resolve) => {
    lines.on('end', resolve);
    lines.end();
  });
  return {
    passed: Buffer.concat(passed).toString(),
    refusals: refusals.map((line) => JSON.parse(line) as unknown),
  };
};

const callWith = (data: string): string =>
  `{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"pay","arguments":{"data":${data.replaceAll('\n', ' ')}}}}\n`;

describe('threat: JSON that two readers understand differently, over stdio', () => {
  it.each(AMBIGUOUS)('a call with %s is answered with a parse error', async (_, text) => {
    const { passed, refusals } = await through(callWith(text));
    expect(passed).toBe('');
    expect(refusals).toMatchObject([{ jsonrpc: '2.0', id: 'c1', error: { code: -32700 } }]);
  });

  it.each(SOUND)('a call with %s passes unchanged', async (_, text) => {
    const line = callWith(text);
    expect(await through(line)).toEqual({ passed: line, refusals: [] });
  });

  it('lines that are cut into pieces anywhere are judged as a whole', async () => {
    const good = callWith('"é😀"');
    const bytes = Buffer.from(`${good}${callWith('{"a":1,"a":2}')}${good}`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) =>
      bytes.subarray(n * 7, n * 7 + 7),
    );
    const { passed, refusals } = await through(...chunks);
    expect(passed).toBe(good + good);
    expect(refusals).toHaveLength(1);
  });

  it('a notification with a name given twice is dropped without an answer', async () => {
    const line = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"a":1,"a":2}}\n';
    expect(await through(line)).toEqual({ passed: '', refusals: [] });
  });

  it('a batch with a name given twice is refused as a whole', async () => {
    const { passed, refusals } = await through('[{"a":1,"a":2}]\n');
    expect(passed).toBe('');
    expect(refusals).toMatchObject([{ id: null, error: { code: -32700 } }]);
  });

  it('leaves text that is no JSON to the library', async () => {
    expect((await through('hello\n')).passed).toBe('hello\n');
  });
});

describe('a batch of the 2025-03-26 protocol, over stdio', () => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });

  it('reaches the library message by message', async () => {
    const { passed, refusals } = await through(` ${JSON.stringify([ping(1), ping(2)])}\n`);
    expect(passed).toBe(`${JSON.stringify(ping(1))}\n${JSON.stringify(ping(2))}\n`);
    expect(refusals).toEqual([]);
  });

  it.each([
    ['nothing in it', []],
    ['too much in it', Array.from({ length: 101 }, (_, id) => ping(id))],
  ])('is refused with %s', async (_, batch) => {
    const { passed, refusals } = await through(`${JSON.stringify(batch)}\n`);
    expect(passed).toBe('');
    expect(refusals).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });

  it('threat: a call in a batch that two readers understand differently is refused', async () => {
    const { passed, refusals } = await through(`[${callWith('{"a":1,"a":2}').trim()}]\n`);
    expect(passed).toBe('');
    expect(refusals).toMatchObject([{ error: { code: -32700 } }]);
  });
});

describe('a message of the wrong shape, over stdio', () => {
  const request = (more: object) => ({ jsonrpc: '2.0', id: 7, method: 'ping', ...more });

  it.each([
    ['a key that no request has', request({ extra: 1 }), 7, -32600],
    ['another version', request({ jsonrpc: '1.0' }), 7, -32600],
    ['no method', { jsonrpc: '2.0', id: 'a' }, 'a', -32600],
    ['an id that is a fraction', request({ id: 1.5 }), null, -32600],
    ['an id of null', request({ id: null }), null, -32600],
    ['parameters that are a list', request({ params: [] }), 7, -32602],
    ['parameters that are null', request({ params: null }), 7, -32602],
    ['meta data that is text', request({ params: { _meta: 'x' } }), 7, -32602],
    ['text for a message', 'hello', null, -32600],
  ])('is answered: %s', async (_, message, id, code) => {
    const line = `${JSON.stringify(message)}\n`;
    const { passed, refusals } = await through(line);
    expect(passed).toBe('');
    expect(refusals).toMatchObject([{ jsonrpc: '2.0', id, error: { code } }]);
    const inBatch = await through(`[${JSON.stringify(message)}]\n`);
    expect(inBatch).toEqual({ passed: '', refusals });
  });

  it.each([
    ['a request', request({ params: { _meta: {}, cursor: 'x' } })],
    ['a request without parameters', request({})],
    ['a notification, whatever its shape', { jsonrpc: '2.0', method: 'x', params: [] }],
    ['a response', { jsonrpc: '2.0', id: 1, result: {} }],
    ['a response with an error', { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }],
  ])('benign: %s reaches the library', async (_, message) => {
    const line = `${JSON.stringify(message)}\n`;
    expect(await through(line)).toEqual({ passed: line, refusals: [] });
  });
});

describe('a line that is too long, over stdio', () => {
  it('is answered and dropped to its end, and the next one passes', async () => {
    const piece = Buffer.alloc(4_000_000, 'x');
    const next = callWith('1');
    const { passed, refusals } = await through(piece, piece, piece, piece, `x\n${next}`);
    expect(passed).toBe(next);
    expect(refusals).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(await through(Buffer.concat([piece, piece, piece, Buffer.from(`\n${next}`)]))).toEqual({
      passed: next,
      refusals,
    });
  });

  it('benign: one of megabytes passes', async () => {
    const line = callWith(`"${'x'.repeat(5_000_000)}"`);
    expect((await through(line)).passed).toBe(line);
  });
});
