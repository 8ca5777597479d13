import { createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  codeOf,
  type Guarded,
  type GuardSettings,
  guarded,
  type LocalSite,
  openSite,
  serve,
} from '../../../test/fixtures/local-site.ts';
import { createEgress } from './create-egress.ts';

type Answer = NonNullable<Parameters<typeof openSite>[0]>;

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const one of open.splice(0).reverse()) await one.close();
});

const siteWith = async (answer: Answer): Promise<LocalSite> => {
  const site = await openSite(answer);
  open.push(site);
  return site;
};

/** Answers every connection with these bytes and leaves it open. */
const rawSite = async (text: string): Promise<LocalSite> => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.write(text));
  });
  const site = await serve(server);
  open.push(site);
  return site;
};

const local = (settings: GuardSettings = {}): Guarded => {
  const guard = guarded({ allowPrivate: ['127.0.0.1'], ...settings });
  open.push(guard.egress);
  return guard;
};

const at = ({ port }: LocalSite, path = '/'): string => `http://127.0.0.1:${port}${path}`;

describe('size of a response', () => {
  const limit = { maxResponseBytes: 100_000 };
  const text = (response: Response): Promise<string> => response.text();

  it('a declared length over the cap is refused before it is read', async () => {
    const site = await siteWith((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      response.write('x');
    });
    expect(await codeOf(local(limit).get(at(site)))).toBe('OUTPUT_TOO_LARGE');
  });

  it('an endless body is cut at the cap', async () => {
    let sent = 0;
    const site = await siteWith((_request, response) => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const response = await local(limit).get(at(site));
    expect(await codeOf(text(response))).toBe('OUTPUT_TOO_LARGE');
    expect(sent).toBeLessThan(20_000_000);
  });

  it('a gzip bomb is cut at the cap, unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    expect(bomb.length).toBeLessThan(limit.maxResponseBytes);
    const site = await siteWith((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length });
      response.end(bomb);
    });
    const response = await local(limit).get(at(site));
    let read = 0;
    const reading = (async () => {
      for await (const chunk of response.body ?? []) read += chunk.byteLength;
    })();
    expect(await codeOf(reading)).toBe('OUTPUT_TOO_LARGE');
    expect(read).toBeLessThanOrEqual(limit.maxResponseBytes);
  });

  it('packed bytes that unpack to nothing count too', async () => {
    const empty = gzipSync('');
    const site = await siteWith((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      const more = (): void => {
        while (!response.destroyed && response.write(empty));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    const response = await local(limit).get(at(site));
    expect(await codeOf(text(response))).toBe('OUTPUT_TOO_LARGE');
  });

  it('a body at the cap is delivered whole, packed or not', async () => {
    const body = 'y'.repeat(limit.maxResponseBytes);
    const site = await siteWith(({ url }, response) => {
      if (url === '/packed') response.setHeader('content-encoding', 'gzip');
      response.end(url === '/packed' ? gzipSync(body) : body);
    });
    const guard = local(limit);
    for (const path of ['/plain', '/packed']) {
      expect(await text(await guard.get(at(site, path)))).toBe(body);
    }
  });

  it('HEAD may speak of any length', async () => {
    const site = await siteWith((_request, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 }).end();
    });
    const response = await local(limit).get(at(site), { method: 'HEAD' });
    expect([response.status, response.body]).toEqual([200, null]);
  });

  it('huge headers are refused', async () => {
    const site = await rawSite(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`);
    expect(await codeOf(local().get(at(site)))).toBe('NETWORK');
  });

  it('an unread body is released', async () => {
    const site = await siteWith((_request, response) => void response.write('x'));
    const guard = local();
    await (await guard.get(at(site))).body?.cancel();
    const reader = (await guard.get(at(site))).body?.getReader();
    expect((await reader?.read())?.value).toEqual(new TextEncoder().encode('x'));
    await reader?.cancel();
  });
});

describe('time', () => {
  it('slow headers, also when they drip', async () => {
    const server = createServer((socket) => {
      const drip = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.write('HTTP/1.1 200 OK\r\n');
      socket.once('close', () => clearInterval(drip));
    });
    const site = await serve(server);
    open.push(site);
    const guard = local({ headersTimeoutMs: 600 });
    expect(await codeOf(guard.get(at(site)))).toBe('TIMEOUT');
  });

  it('a body that stops', async () => {
    const site = await siteWith((_request, response) => void response.write('x'));
    const response = await local({ bodyTimeoutMs: 300 }).get(at(site));
    expect(await codeOf(response.text())).toBe('TIMEOUT');
  });

  it('the end of the call ends the request, its body and requests to come', async () => {
    const site = await siteWith((_request, response) => void response.write('x'));
    const call = new AbortController();
    const guard = local({ signal: call.signal });
    const response = await guard.get(at(site));
    const reading = response.text();
    const waiting = guard.get(at(site, '/2'));
    call.abort(new Error('over'));
    await expect(reading).rejects.toThrow('over');
    await expect(waiting.then((late) => late.text())).rejects.toThrow('over');
    await expect(guard.get(at(site))).rejects.toThrow('over');
  });

  it('a signal of the tool ends its request beside that of the call', async () => {
    const site = await siteWith(() => undefined);
    const own = new AbortController();
    const asking = local().get(at(site), { signal: own.signal });
    own.abort(new Error('enough'));
    await expect(asking).rejects.toThrow('enough');
  });
});

describe('failures', () => {
  it('the port is closed, the connection breaks, the answer is no HTTP, the status unknown', async () => {
    const site = await rawSite('SSH-2.0-OpenSSH\r\n');
    const gone = at(site);
    expect(await codeOf(local().get(gone))).toBe('NETWORK');
    await site.close();
    expect(await codeOf(local().get(gone))).toBe('NETWORK');
    const cut = await siteWith((request) => void request.socket.destroy());
    expect(await codeOf(local().get(at(cut)))).toBe('NETWORK');
    const odd = await rawSite('HTTP/1.1 999 No\r\ncontent-length: 1\r\n\r\nx');
    expect(await codeOf(local().get(at(odd)))).toBe('SERVER_ERROR');
    expect(await codeOf(local().get(at(odd), { method: 'HEAD' }))).toBe('SERVER_ERROR');
  });

  it('a request without a scope goes nowhere', async () => {
    const site = await siteWith((_request, response) => response.end());
    const egress = createEgress({ allowPrivate: ['127.0.0.1'] });
    expect(await codeOf(egress.fetch(at(site)))).toBe('PERMISSION_DENIED');
    expect(site.hits).toEqual([]);
    await egress.close();
  });

  it('after closing nothing is sent, whether it was used before or not', async () => {
    const site = await siteWith((_request, response) => response.end());
    const used = local();
    await used.get(at(site));
    for (const guard of [used, local()]) {
      await guard.egress.close();
      expect(await codeOf(guard.get(at(site)))).toBe('NETWORK');
    }
    expect(site.hits).toHaveLength(1);
  });
});

describe('ways around', () => {
  it('proxies of the environment are not used', async () => {
    const proxy = await siteWith((_request, response) => response.end('proxied'));
    const site = await siteWith((_request, response) => response.end('direct'));
    for (const name of [
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'ALL_PROXY',
      'http_proxy',
      'NODE_USE_ENV_PROXY',
    ]) {
      vi.stubEnv(name, name.startsWith('NODE') ? '1' : at(proxy));
    }
    expect(await (await local().get(at(site))).text()).toBe('direct');
    expect(proxy.sockets()).toBe(0);
  });

  it('a dispatcher or agent of the tool is ignored', async () => {
    const site = await siteWith((_request, response) => response.end('direct'));
    const dispatch = vi.fn(() => true);
    const init = { dispatcher: { dispatch }, agent: { dispatch }, client: { dispatch } };
    expect(await (await local().get(at(site), init as object)).text()).toBe('direct');
    expect(dispatch).not.toHaveBeenCalled();
  });

  it('a Request is judged by where it really goes, whatever it says of itself', async () => {
    const canary = await siteWith((_request, response) => response.end());
    const liar = Object.defineProperty(new Request(at(canary)), 'url', {
      value: 'https://api.example.com/',
    });
    const guard = local({ hosts: ['api.example.com'] });
    const asking = guard.egress.fetch(liar, {
      scope: {
        hosts: ['api.example.com'],
        signal: () => new AbortController().signal,
        onHop: () => undefined,
      },
    });
    expect(await codeOf(asking)).toBe('PERMISSION_DENIED');
    expect(canary.sockets()).toBe(0);
  });
});

describe('a local host that one scope names', () => {
  const never = new AbortController().signal;
  const scopeOf = (hosts: readonly string[], localHosts?: readonly string[]) => ({
    hosts,
    signal: () => never,
    onHop: () => undefined,
    ...(localHosts && { local: localHosts }),
  });
  const newEgress = () => {
    const egress = createEgress();
    open.push(egress);
    return egress;
  };

  it('is reached by that scope, again and by its address, and by no other scope', async () => {
    const site = await siteWith((_request, response) => response.end('here'));
    const egress = newEgress();
    const host = `127.0.0.1:${site.port}`;
    const ask = (localHosts?: readonly string[]) =>
      egress.fetch(at(site), { scope: scopeOf([host], localHosts) });
    expect(await (await ask([host])).text()).toBe('here');
    expect(await (await ask([host])).text()).toBe('here');
    const to = { host: '127.0.0.1', port: site.port };
    expect(await egress.resolve(to, scopeOf([host], [host]))).toBe('127.0.0.1');
    for (const other of [undefined, [], ['127.0.0.1:1']]) {
      expect(await codeOf(ask(other))).toBe('PERMISSION_DENIED');
    }
    expect(await codeOf(egress.resolve(to, scopeOf([host])))).toBe('PERMISSION_DENIED');
  });

  it('hostile: does not open the address of a metadata service', async () => {
    const host = '169.254.169.254';
    const scope = scopeOf([host], [host]);
    const code = await codeOf(newEgress().fetch(`http://${host}/latest`, { scope }));
    expect(['PERMISSION_DENIED', 'SECURITY_VIOLATION', 'CONFIG_INVALID']).toContain(code);
  });
});
