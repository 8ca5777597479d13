/** Credentials by host, from the configuration through the whole crib to a real server. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { testCrib } from '../../../test/fixtures/test-crib.ts';
import { ALLOW_ALL, trailOf } from '../../../test/fixtures/vendors/vendor-crib.ts';
import { type Arrived, openVendor } from '../../../test/fixtures/vendors/vendor-site.ts';
import { type HostCredential, headerFor } from '../host-credential.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const SECRET = 'canary-0123456789';

const openSite = async (answer: (request: Arrived) => object = () => ({ body: {} })) => {
  const site = await openVendor(answer);
  open.push(site);
  return { ...site, host: new URL(site.url).host };
};

const openCrib = async (host: string, credential: object = {}, value = SECRET) => {
  const crib = await testCrib([], {
    builtins: true,
    policy: ALLOW_ALL,
    config: {
      egress: { allowPrivate: ['127.0.0.1'] },
      services: { credentials: { [host]: { secret: 'SITE_KEY', ...credential } } },
    },
    secrets: { get: async (key) => (key === 'SITE_KEY' ? value : undefined) },
  });
  open.push(crib);
  return crib;
};

describe('a credential that the configuration gives a host', () => {
  it.each([
    [{}, 'authorization', `Bearer ${SECRET}`],
    [{ scheme: 'header', header: 'X-Api-Key' }, 'x-api-key', SECRET],
    [
      { scheme: 'basic', username: 'ada' },
      'authorization',
      `Basic ${Buffer.from(`ada:${SECRET}`).toString('base64')}`,
    ],
  ])('%j is sent by rest_api_call and graphql_query', async (credential, header, value) => {
    const site = await openSite(() => ({ body: { data: { hello: 1 } } }));
    const crib = await openCrib(site.host, credential);
    await crib.execute('rest_api_call', { url: site.url });
    await crib.execute('graphql_query', { endpoint: site.url, query: '{ hello }' });
    expect(site.arrived.map(({ headers }) => headers[header])).toEqual([value, value]);
    expect(await trailOf(crib)).not.toContain(SECRET);
  });

  it('a secret with a line break at its end is sent without it', async () => {
    const site = await openSite();
    const crib = await openCrib(site.host, {}, `${SECRET}\n`);
    await crib.execute('rest_api_call', { url: site.url });
    expect(site.arrived[0]?.headers.authorization).toBe(`Bearer ${SECRET}`);
  });
});

describe('threat: a caller tries to extract the credential of a host', () => {
  it.each([
    {},
    { scheme: 'basic', username: 'ada' },
    { scheme: 'basic', username: 'ad' },
    { scheme: 'header', header: 'X-Api-Key' },
  ])('hostile: a host that echoes its headers does not show %j', async (credential) => {
    const site = await openSite(({ headers }) => ({
      body: headers,
      headers: { 'x-back': SECRET },
    }));
    const crib = await openCrib(site.host, credential);
    const result = await crib.execute('rest_api_call', { url: site.url });
    const shown = JSON.stringify([result, await trailOf(crib)]);
    expect(result.success).toBe(true);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain(Buffer.from(`:${SECRET}`).toString('base64').slice(4, -4));
  });

  it('hostile: other ports, names, redirects and headers of the caller do not get it', async () => {
    const other = await openSite();
    const site = await openSite(({ path }) =>
      path === '/away' ? { status: 307, headers: { location: other.url } } : { body: 'x' },
    );
    const crib = await openCrib(site.host, { scheme: 'header', header: 'X-Api-Key' });
    const { port } = new URL(site.url);
    await crib.execute('rest_api_call', { url: other.url });
    await crib.execute('rest_api_call', { url: other.url, headers: { Host: site.host } });
    await crib.execute('rest_api_call', { url: `${site.url}/away` });
    await crib.execute('rest_api_call', { url: `http://localhost:${port}/` });
    await crib.execute('rest_api_call', { url: site.url, headers: { 'x-api-key': 'mine' } });
    expect(other.arrived.map(({ headers }) => headers['x-api-key'])).toEqual(
      Array(3).fill(undefined),
    );
    const sentTo = (host: string | undefined) =>
      site.arrived
        .filter(({ headers }) => headers.host === host)
        .map((one) => one.headers['x-api-key']);
    expect(sentTo(site.host)).toEqual([SECRET, SECRET]);
    expect(sentTo(`localhost:${port}`).every((each) => each === undefined)).toBe(true);
  });

  it.each(['a\nb-0123456789', 'schlüssel-\u{1F511}', '  '])(
    'hostile: the secret %j, which no header can hold, is a coded error that does not show it',
    async (value) => {
      const site = await openSite();
      const crib = await openCrib(site.host, {}, value);
      const result = await crib.execute('rest_api_call', { url: site.url });
      expect([result.error?.code, site.arrived.length]).toEqual(['AUTH_MISSING', 0]);
      if (value.trim() !== '') expect(JSON.stringify(result)).not.toContain(value.trim());
    },
  );

  const offered = async (url: string, host: string, own: HostCredential = { secret: 'K' }) => {
    const context = { secret: vi.fn(async () => SECRET), warn: vi.fn() };
    const header = await headerFor(new URL(url), { [host]: own }, context);
    return { sent: header !== undefined, asked: context.secret.mock.calls.length };
  };

  it.each([
    ['http://api.example.com/', 'api.example.com'],
    ['http://127.0.0.1.example.com/', '127.0.0.1.example.com'],
    ['http://localhost.example.com/', 'localhost.example.com'],
    ['http://10.0.0.1/', '10.0.0.1'],
    ['https://api.example.com./', 'api.example.com'],
    ['https://api.example.com:8443/', 'api.example.com'],
    ['https://api.example.com.evil.example/', 'api.example.com'],
    ['https://evil.example/?api.example.com', 'api.example.com'],
    ['https://evil.example/', 'constructor'],
  ])('hostile: %s gets nothing of the credential of %s', async (url, host) => {
    expect(await offered(url, host)).toEqual({ sent: false, asked: 0 });
  });

  it.each([
    ['https://api.example.com/', 'api.example.com'],
    ['https://API.EXAMPLE.com:443/x?y', 'api.example.com'],
    ['http://localhost:8080/', 'localhost:8080'],
    ['http://127.1:8080/', '127.0.0.1:8080'],
    ['http://[::1]:8080/', '[::1]:8080'],
  ])('benign: %s gets the credential of %s', async (url, host) => {
    expect(await offered(url, host)).toEqual({ sent: true, asked: 1 });
  });
});
