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

  it('what is no JSON is left to the library', async () => {
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
