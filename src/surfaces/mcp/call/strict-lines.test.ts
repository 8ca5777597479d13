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

  it('a batch with a name given twice is dropped: no request can be told apart', async () => {
    const { passed, refusals } = await through('[{"a":1,"a":2}]\n');
    expect({ passed, refusals: refusals.length }).toEqual({ passed: '', refusals: 0 });
  });

  it('what is no JSON is left to the library', async () => {
    expect((await through('hello\n')).passed).toBe('hello\n');
  });
});
