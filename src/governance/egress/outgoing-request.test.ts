import { describe, expect, it } from 'vitest';
import { takeRequest } from './outgoing-request.ts';

const URL_ASKED = new URL('https://api.example.com/');

describe('taking a request over', () => {
  it('leaves out the headers that would steer the connection', async () => {
    const names = [
      'Host',
      'Connection',
      'Content-Length',
      'Transfer-Encoding',
      'Upgrade',
      'Expect',
    ];
    const headers = Object.fromEntries([...names, 'X-Kept'].map((name) => [name, '1']));
    const { request } = await takeRequest(URL_ASKED, { headers });
    expect([...request.headers.keys()]).toEqual(['x-kept']);
  });

  it('keeps finite bodies as bytes, and streams as streams', async () => {
    const form = new FormData();
    form.set('a', 'b');
    for (const body of ['x', Buffer.from('x'), new URLSearchParams('x'), new Blob(['x']), form]) {
      const { request } = await takeRequest(URL_ASKED, { method: 'POST', body });
      expect(request.body).toBeInstanceOf(Uint8Array);
    }
    const stream = { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' } as const;
    expect((await takeRequest(URL_ASKED, stream)).request.body).toBeInstanceOf(ReadableStream);
    const carried = new Request(URL_ASKED, { method: 'POST', body: 'x' });
    expect((await takeRequest(carried)).request.body).toBeInstanceOf(ReadableStream);
    expect((await takeRequest(URL_ASKED)).request.body).toBeNull();
  });

  it('bytes that the tool changes afterwards go out as they were', async () => {
    const body = Buffer.from('before');
    const { request } = await takeRequest(URL_ASKED, { method: 'POST', body });
    body.write('after!');
    expect(Buffer.from(request.body as Uint8Array).toString()).toBe('before');
  });

  it('says of a text that it is one, unless the tool says what it is', async () => {
    const typeOf = async (headers: Record<string, string>) => {
      const init = { method: 'POST', body: 'x', headers };
      return (await takeRequest(URL_ASKED, init)).request.headers.get('content-type');
    };
    expect(await typeOf({})).toBe('text/plain;charset=UTF-8');
    expect(await typeOf({ 'Content-Type': 'application/json' })).toBe('application/json');
  });

  it('refuses what fetch refuses, and spells methods as it does', async () => {
    const refused: readonly RequestInit[] = [
      { body: 'x' },
      { method: 'HEAD', body: 'x' },
      { method: 'CONNECT' },
      { method: 'A B' },
      { redirect: 'odd' as 'follow' },
      { signal: {} as AbortSignal },
      { headers: { 'a b': 'c' } },
    ];
    for (const init of refused) {
      await expect(takeRequest(URL_ASKED, init)).rejects.toThrow(TypeError);
    }
    expect((await takeRequest(URL_ASKED, { method: 'post' })).request.method).toBe('POST');
    const { signal } = new AbortController();
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY']) {
      const taken = await takeRequest(URL_ASKED, { method, redirect: 'error', signal });
      expect(taken.request).toMatchObject({ method, redirect: 'error', body: null });
    }
    expect((await takeRequest(URL_ASKED, { signal: null })).signal).toBeUndefined();
    expect((await takeRequest(URL_ASKED, { signal })).signal).toBe(signal);
  });
});
