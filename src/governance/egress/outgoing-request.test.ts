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

  it('keeps what has an end as bytes, and streams as they are', async () => {
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
});
