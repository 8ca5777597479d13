import { describe, expect, it } from 'vitest';
import { parseSoundly, soundFetch } from './sound-message.ts';

const resultOf = (data: string): string =>
  `{"jsonrpc":"2.0","id":4,"result":{"content":[],"structuredContent":${data}}}`;

const DUPLICATE = resultOf('{"balance":1,"balance":1000000}');
const REFUSED = { jsonrpc: '2.0', id: 4, error: { code: -32700 } };

describe('threat: a server sends JSON that two readers understand differently', () => {
  it('a response with a name given twice becomes an error of its call', () => {
    expect(parseSoundly(DUPLICATE)).toMatchObject(REFUSED);
  });

  it('a notification with a name given twice is no message', () => {
    expect(() => parseSoundly('{"jsonrpc":"2.0","method":"x","method":"y"}')).toThrow();
  });

  it('whole numbers of a result that a double would round are kept as text', () => {
    const text = resultOf('{"id":1234567890123456789,"n":[-9007199254740993,7],"s":"x"}');
    expect(parseSoundly(text)).toMatchObject({
      result: {
        structuredContent: { id: '1234567890123456789', n: ['-9007199254740993', 7], s: 'x' },
      },
    });
  });

  it('bounds of 64 bits in a listed schema stay numbers', () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","inputSchema":{"maximum":18446744073709551615}}]}}';
    expect(parseSoundly(text)).toMatchObject(JSON.parse(text));
  });

  it('sound and deep messages are read as they are', () => {
    const deep = resultOf(`${'['.repeat(2000)}${']'.repeat(2000)}`);
    expect(JSON.stringify(parseSoundly(deep)) === JSON.stringify(JSON.parse(deep))).toBe(true);
  });
});

const fetched = async (type: string, ...chunks: string[]): Promise<string> => {
  const body = new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
  const answer = async () => new Response(body, { headers: { 'content-type': type } });
  return (await soundFetch(answer as typeof fetch)('http://127.0.0.1/')).text();
};

describe('messages of servers that are reached over HTTP', () => {
  it('a JSON body with a name given twice becomes an error of its call', async () => {
    expect(JSON.parse(await fetched('application/json; charset=utf-8', DUPLICATE))).toMatchObject(
      REFUSED,
    );
  });

  it('an event with a name given twice becomes an error, the others pass unchanged', async () => {
    const good = 'event: message\nid: 7\ndata: {"jsonrpc":"2.0","method":"a"}';
    const stream = `${good}\n\nevent: message\r\nid: 8\r\ndata: ${DUPLICATE}\r\n\r\n: note\n\n`;
    const pieces = stream.match(/[\s\S]{1,5}/g) ?? [];
    const [first, second, third] = (await fetched('text/event-stream', ...pieces)).split('\n\n');
    expect(first).toBe(good);
    expect(second).toMatch(/^event: message\nid: 8\ndata: \{"jsonrpc":"2.0","id":4,"error":/);
    expect(third).toBe(': note');
  });

  it('other bodies pass unread', async () => {
    expect(await fetched('text/plain', DUPLICATE)).toBe(DUPLICATE);
  });
});
