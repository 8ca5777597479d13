/** Threat class "Egress": redirects, answers that change and connections that are used again. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  codeOf,
  type Guarded,
  type GuardSettings,
  guarded,
  type LocalSite,
  openSite,
  type Watch,
  watchConnections,
} from '../../../test/fixtures/local-site.ts';

interface Seen {
  readonly method: string | undefined;
  readonly headers: Record<string, unknown>;
  readonly body: string;
}

let canary: LocalSite;
let site: LocalSite;
let watch: Watch;
let seen: Seen[];
/** What `/go` answers. */
let go: { status: number; location?: string };
let open: Guarded[];

beforeEach(async () => {
  seen = [];
  open = [];
  canary = await openSite();
  site = await openSite((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { method, headers, url } = request;
      seen.push({ method, headers, body });
      if (url?.startsWith('/go')) {
        const { status, location } = go;
        response.writeHead(status, location === undefined ? {} : { location });
        response.end('elsewhere');
        return;
      }
      if (url === '/hang') response.write('x');
      else response.end(url);
    });
  });
  watch = watchConnections();
});

afterEach(async () => {
  watch.stop();
  for (const { egress } of open) await egress.close();
  await site.close();
  await canary.close();
});

/** `shop.example` and its sister lead to the site, and only the site's port is opened. */
const shop = (settings: GuardSettings = {}): Guarded => {
  const guard = guarded({
    hosts: ['shop.example', '*.shop.example'],
    allowPrivate: [`127.0.0.1:${site.port}`],
    zone: { '*': ['127.0.0.1'] },
    ...settings,
  });
  open.push(guard);
  return guard;
};

const at = (path: string, host = 'shop.example'): string => `http://${host}:${site.port}${path}`;

describe('redirect to a forbidden place', () => {
  it.each([
    ['loopback', 'http://127.0.0.1:{canary}/', 'PERMISSION_DENIED'],
    ['decimal address', 'http://2130706433:{canary}/', 'PERMISSION_DENIED'],
    ['mapped address', 'http://[::ffff:127.0.0.1]:{canary}/', 'PERMISSION_DENIED'],
    ['undeclared host', 'http://evil.example:{canary}/', 'PERMISSION_DENIED'],
    [
      'suffix of a declared host',
      'http://shop.example.evil.example:{canary}/',
      'PERMISSION_DENIED',
    ],
    ['relative to another host', '//evil.example:{canary}/', 'PERMISSION_DENIED'],
    ['backslashes', '\\\\evil.example:{canary}/', 'PERMISSION_DENIED'],
    ['userinfo', 'http://shop.example@evil.example:{canary}/', 'PERMISSION_DENIED'],
    ['userinfo on the same host', 'http://user:pw@shop.example:{site}/', 'PERMISSION_DENIED'],
    ['other scheme', 'file:///etc/passwd', 'PERMISSION_DENIED'],
    ['data URL', 'data:text/plain,hello', 'PERMISSION_DENIED'],
    ['declared host, private address', 'http://x.shop.example:{canary}/', 'PERMISSION_DENIED'],
    ['metadata', 'http://169.254.169.254/latest/meta-data/', 'PERMISSION_DENIED'],
    ['port of another protocol', 'http://shop.example:25/', 'PERMISSION_DENIED'],
    ['no URL', 'http://[', 'NETWORK'],
  ])('a redirect to %s is refused', async (_what, location, code) => {
    const target = location
      .replace('{canary}', String(canary.port))
      .replace('{site}', String(site.port));
    for (const status of [301, 302, 303, 307, 308]) {
      go = { status, location: target };
      expect(await codeOf(shop().get(at('/go')))).toBe(code);
    }
    expect(canary.sockets()).toBe(0);
    expect(new Set(site.hits)).toEqual(new Set(['GET /go']));
  });

  it('a redirect to a metadata service is refused, even with any host declared', async () => {
    go = { status: 302, location: 'http://169.254.169.254/latest/meta-data/' };
    expect(await codeOf(shop({ hosts: ['*'] }).get(at('/go')))).toBe('SECURITY_VIOLATION');
    expect(watch.attempts).toEqual(['127.0.0.1']);
  });

  it('a redirect to a name that resolves to the canary is refused, even with any host declared', async () => {
    go = { status: 302, location: `http://rebind.example:${canary.port}/` };
    expect(await codeOf(shop({ hosts: ['*'] }).get(at('/go')))).toBe('PERMISSION_DENIED');
    expect(canary.sockets()).toBe(0);
  });

  it('an endless chain of redirects ends after ten', async () => {
    go = { status: 302, location: '/go' };
    expect(await codeOf(shop().get(at('/go')))).toBe('NETWORK');
    expect(site.hits).toHaveLength(11);
  });
});

describe('redirects that are fine', () => {
  it('are followed, relative and absolute, and the answer has the final address', async () => {
    const guard = shop();
    for (const location of ['/end', at('/end'), at('/end', 'a.shop.example'), 'end']) {
      go = { status: 302, location };
      const response = await guard.get(at('/go'));
      expect([await response.text(), response.redirected]).toEqual(['/end', true]);
      expect(response.url).toBe(new URL(location, at('/go')).href);
      expect(response).toBeInstanceOf(Response);
    }
    expect(guard.visited).toContain(`http://a.shop.example:${site.port}`);
  });

  it('a redirect without a location is an answer', async () => {
    go = { status: 302 };
    const response = await shop().get(at('/go'));
    expect([response.status, response.redirected]).toEqual([302, false]);
  });

  it('are returned or refused when the tool asks for that', async () => {
    go = { status: 302, location: `http://127.0.0.1:${canary.port}/` };
    const response = await shop().get(at('/go'), { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, go.location]);
    expect(await codeOf(shop().get(at('/go'), { redirect: 'error' }))).toBe('NETWORK');
    expect(canary.sockets()).toBe(0);
  });

  it.each([
    ['POST', 301, 'GET', ''],
    ['POST', 302, 'GET', ''],
    ['POST', 303, 'GET', ''],
    ['PUT', 303, 'GET', ''],
    ['PUT', 301, 'PUT', 'x=1'],
    ['POST', 307, 'POST', 'x=1'],
    ['POST', 308, 'POST', 'x=1'],
  ])('%s with status %i continues as %s', async (method, status, next, body) => {
    go = { status, location: '/end' };
    for (const sent of [
      'x=1',
      new URLSearchParams({ x: '1' }),
      Buffer.from('x=1'),
      new Blob(['x=1']),
    ]) {
      await shop().get(at('/go'), { method, body: sent });
      const [first, last] = seen.splice(0);
      expect(first).toMatchObject({ method, body: 'x=1' });
      expect(last).toMatchObject({ method: next, body });
      if (body === '') expect(last?.headers).not.toHaveProperty('content-type');
    }
  });

  it('a redirected HEAD request stays HEAD', async () => {
    go = { status: 303, location: '/end' };
    await shop().get(at('/go'), { method: 'HEAD' });
    expect(site.hits).toEqual(['HEAD /go', 'HEAD /end']);
  });

  it('a redirect of a streamed body is returned, because the body cannot be sent again', async () => {
    go = { status: 307, location: '/end' };
    const body = new Blob(['x=1']).stream();
    const response = await shop().get(at('/go'), { method: 'POST', body, duplex: 'half' });
    expect(response.status).toBe(307);
    expect(seen).toMatchObject([{ method: 'POST', body: 'x=1' }]);
  });
});

describe('credentials', () => {
  const headers = {
    authorization: 'Bearer s3cret',
    cookie: 'sid=1',
    'x-api-key': 's3cret',
    accept: 'text/x',
  };

  it('do not follow to another origin, whatever their header is called', async () => {
    go = { status: 302, location: at('/end', 'a.shop.example') };
    await shop().get(at('/go'), { headers });
    expect(seen[0]?.headers).toMatchObject(headers);
    expect(JSON.stringify(seen[1])).not.toMatch(/s3cret|sid=1/);
    expect(seen[1]?.headers).toMatchObject({ accept: 'text/x' });
  });

  it('stay within one origin', async () => {
    go = { status: 302, location: '/end' };
    await shop().get(at('/go'), { headers });
    expect(seen[1]?.headers).toMatchObject(headers);
  });

  it('a Host header of the tool does not reach another site behind the address', async () => {
    await shop().get(at('/'), {
      headers: { host: 'evil.example', connection: 'close, x', te: 'x' },
    });
    expect(seen[0]?.headers).toMatchObject({ host: `shop.example:${site.port}` });
    expect(seen[0]?.headers).not.toHaveProperty('te');
  });
});

describe('answers that change', () => {
  it('the connection does not use a second DNS answer', async () => {
    const zone = { 'shop.example': [['127.0.0.1'], ['10.0.0.1']] };
    const guard = shop({ zone });
    expect((await guard.get(at('/'))).status).toBe(200);
    expect(guard.asked).toEqual(['shop.example']);
    expect(watch.attempts).toEqual(['127.0.0.1']);
  });

  it('a later connection is judged by its own DNS answer', async () => {
    const zone = { 'shop.example': [['127.0.0.1'], ['169.254.169.254']] };
    const guard = shop({ zone });
    // The first connection stays busy with its answer, so the second request needs another.
    expect((await guard.get(at('/hang'))).status).toBe(200);
    expect(await codeOf(guard.get(at('/')))).toBe('SECURITY_VIOLATION');
    expect(new Set(watch.attempts)).toEqual(new Set(['127.0.0.1']));
  });

  it('keep-alive does not carry the right to a host over to another tool', async () => {
    const guard = shop();
    for (let turn = 0; turn < 9; turn++) await (await guard.get(at('/'))).text();
    expect(site.sockets()).toBeLessThan(6);
    const scope = {
      hosts: ['other.example'],
      signal: () => new AbortController().signal,
      onHop: () => undefined,
    };
    expect(await codeOf(guard.egress.fetch(at('/'), { scope }))).toBe('PERMISSION_DENIED');
    expect(site.hits).toHaveLength(9);
  });

  it('connections are not shared between settings', async () => {
    await (await shop().get(at('/'))).text();
    expect(await codeOf(shop({ allowPrivate: [] }).get(at('/')))).toBe('PERMISSION_DENIED');
    expect(site.hits).toHaveLength(1);
  });
});
