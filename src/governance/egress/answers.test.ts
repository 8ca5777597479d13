/** What becomes of an answer: packed in every way, informed about, too fast, abandoned, broken off. */
import { EventEmitter, once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  codeOf,
  type GuardSettings,
  guarded,
  type LocalSite,
  openSite,
  serve,
} from '../../../test/fixtures/local-site.ts';
import { createEgress } from './create-egress.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const opened = <T extends { close(): Promise<void> }>(one: T): T => {
  open.push(one);
  return one;
};

const local = (settings: GuardSettings = {}) => {
  const guard = guarded({ allowPrivate: ['127.0.0.1'], ...settings });
  opened(guard.egress);
  return guard;
};

const at = ({ port }: LocalSite, path = '/'): string => `http://127.0.0.1:${port}${path}`;

/** Answers with these bytes under this encoding. */
const packedSite = async (encoding: string, bytes: Uint8Array): Promise<LocalSite> =>
  opened(
    await openSite((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes);
    }),
  );

/** Writes a text to each connection that asks. */
const rawSite = async (answer: (socket: Socket) => void): Promise<LocalSite> =>
  opened(await serve(createServer((socket) => socket.once('data', () => answer(socket)))));

describe('a packed answer', () => {
  const text = 'what was packed '.repeat(100);

  it.each([
    ['gzip', gzipSync(text)],
    ['X-GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
    ['gzip', gzipSync(text).subarray(0, -4)],
  ])('under %s is unpacked, also without its last bytes', async (encoding, bytes) => {
    const site = await packedSite(encoding, bytes);
    expect(await (await local().get(at(site))).text()).toBe(text);
  });

  it('of an unknown encoding is returned as it was sent', async () => {
    const site = await packedSite('gzip, rot13', Buffer.from('abc'));
    expect(await (await local().get(at(site))).text()).toBe('abc');
  });

  it('without bytes is empty', async () => {
    const site = await packedSite('gzip', new Uint8Array());
    expect(await (await local().get(at(site))).text()).toBe('');
  });

  it('that is not what it says, or is packed too often, fails as a break', async () => {
    const wrong = await packedSite('gzip', Buffer.from('not packed'));
    expect(await codeOf((await local().get(at(wrong))).text())).toBe('NETWORK');
    const often = await packedSite('gzip,gzip,gzip,gzip,gzip,gzip', gzipSync(text));
    expect(await codeOf(local().get(at(often)))).toBe('NETWORK');
  });

  it('ends with the call, and when its reader stops', async () => {
    const site = opened(
      await openSite((_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        response.write(gzipSync(text).subarray(0, 30));
      }),
    );
    const call = new AbortController();
    const reading = (await local({ signal: call.signal }).get(at(site))).text();
    call.abort(new Error('over'));
    await expect(reading).rejects.toThrow('over');
    await (await local().get(at(site))).body?.cancel();
  });

  it('is asked for as both sides can, and plain for a part of it', async () => {
    const asked: (string | undefined)[] = [];
    const site = opened(
      await openSite(({ headers }, response) => {
        asked.push(String(headers['accept-encoding']));
        response.end();
      }),
    );
    const guard = local();
    await guard.get(at(site));
    await guard.get(at(site), { headers: { range: 'bytes=0-3' } });
    await guard.get(at(site), { headers: { 'accept-encoding': 'br' } });
    expect(asked).toEqual(['gzip, deflate', 'identity', 'br']);
  });
});

describe('the head of an answer', () => {
  it('comes after answers that only inform', async () => {
    const site = await rawSite((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      socket.end(
        'HTTP/1.1 200 Fine\r\nx-a: 1\r\nx-a: 2\r\nset-cookie: a\r\nset-cookie: b\r\n\r\nok',
      );
    });
    const response = await local().get(at(site));
    expect([response.status, response.statusText, await response.text()]).toEqual([
      ...[200, 'Fine', 'ok'],
    ]);
    expect(response.headers.get('x-a')).toBe('1, 2');
    expect(response.headers.getSetCookie()).toEqual(['a', 'b']);
  });

  it('has no body where the status allows none', async () => {
    const site = opened(await openSite((_request, response) => response.writeHead(204).end()));
    const response = await local().get(at(site));
    expect([response.status, response.body, await response.text()]).toEqual([204, null, '']);
  });

  it('keeps the path and the query as they were asked for', async () => {
    const site = opened(await openSite());
    for (const path of ['/a%20b?', '/?a=1&a=%2F', '/x?q#part', '/']) {
      await (await local().get(at(site, path))).text();
    }
    expect(site.hits).toEqual(['GET /a%20b?', 'GET /?a=1&a=%2F', 'GET /x?q', 'GET /']);
  });
});

describe('a body that comes faster than it is read', () => {
  it('waits at the other side, and arrives whole', async () => {
    // More than the buffers of both sockets hold.
    const size = 40_000_000;
    let left = false;
    const site = opened(
      await openSite((_request, response) =>
        response.end(Buffer.alloc(size, 'x'), () => {
          left = true;
        }),
      ),
    );
    const response = await local().get(at(site));
    await wait(100);
    expect(left).toBe(false);
    expect((await response.arrayBuffer()).byteLength).toBe(size);
  });
});

describe('a response that is no longer used', () => {
  it('frees its connection when it is collected', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const closed: Promise<unknown>[] = [];
    const site = opened(
      await openSite((request, response) => {
        closed.push(once(request.socket, 'close'));
        response.write('x');
      }),
    );
    const guard = local();
    expect((await guard.get(at(site))).status).toBe(200);
    const isFree = Promise.all(closed).then(() => true);
    for (let turn = 0; turn < 50; turn++) {
      collect();
      if (await Promise.race([isFree, wait(20)])) return;
    }
    throw new Error('the connection is still open');
  });

  it('stays readable while only its stream is held', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let finish: () => void = () => undefined;
    const site = opened(
      await openSite((_request, response) => {
        response.write('a');
        finish = () => response.end('b');
      }),
    );
    const { body } = await local().get(at(site));
    for (let turn = 0; turn < 5; turn++) {
      collect();
      await wait(5);
    }
    finish();
    expect(await new Response(body).text()).toBe('ab');
  });
});

describe('a call that ends', () => {
  it('does not wait for a connection that is being made, and sends nothing on it', async () => {
    const site = opened(await openSite());
    const call = new AbortController();
    const lookups = new EventEmitter();
    const lookup = async (): Promise<string[]> => {
      lookups.emit('asked');
      await once(lookups, 'answer');
      return ['127.0.0.1'];
    };
    const egress = opened(createEgress({ allowPrivate: ['127.0.0.1'], lookup }));
    const scope = { hosts: ['*'], signal: () => call.signal, onHop: () => undefined };
    const asked = once(lookups, 'asked');
    const asking = egress.fetch(`http://slow.example:${site.port}/`, { scope });
    await asked;
    call.abort(new Error('over'));
    await expect(asking).rejects.toThrow('over');
    lookups.emit('answer');
    await expect.poll(() => site.sockets()).toBe(1);
    await wait(20);
    expect(site.hits).toEqual([]);
  });
});
