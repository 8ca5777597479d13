import { describe, expect, it } from 'vitest';
import { decodeText, parseJson, readBytes, retryAfterMs } from './read-reply.ts';

describe('Retry-After', () => {
  const DATE = 'Thu, 15 Jan 2026 12:00:00 GMT';
  it.each([
    [{}, undefined],
    [{ 'retry-after': '' }, undefined],
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '999999999' }, 86_400_000],
    [{ 'retry-after': 'Thu, 15 Jan 2026 12:00:05 GMT' }, undefined],
    [{ 'retry-after': 'Thu, 15 Jan 2026 12:00:05 GMT', date: DATE }, 5000],
    [{ 'retry-after': 'Thu, 15 Jan 2026 11:00:00 GMT', date: DATE }, 0],
    [{ 'x-ratelimit-reset': '1768478404', date: DATE }, 4000],
    [{ 'x-ratelimit-reset': '30', date: DATE }, undefined],
  ])('%j is %s', (headers, expected) => {
    expect(retryAfterMs(new Headers(headers as Record<string, string>))).toBe(expected);
  });
});

describe('the body of a response', () => {
  it('is read to its limit and not further', async () => {
    let pulled = 0;
    const endless = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            pulled++;
            controller.enqueue(new Uint8Array(1000));
          },
        }),
      );
    await expect(readBytes(endless(), 4500)).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
    expect(pulled).toBeLessThan(10);
    expect(await readBytes(new Response('abc'), 3)).toHaveLength(3);
    expect(await readBytes(new Response(null), 3)).toHaveLength(0);
  });

  it('is decoded, and parsed where it is JSON', () => {
    expect(decodeText(new Uint8Array([0xe9]), 'latin1')).toBe('é');
    expect(decodeText(new Uint8Array([0x41]), 'no-such-charset')).toBe('A');
    expect(parseJson('null')).toEqual({ value: null });
    expect(parseJson('{')).toBeUndefined();
  });
});
