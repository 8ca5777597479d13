/** rest_api_call through a whole crib, against a real server on this machine. */
import { afterEach, describe, expect, it } from 'vitest';
import { titlesOf } from '../../../test/fixtures/run-tool.ts';
import type { TestCrib } from '../../../test/fixtures/test-crib.ts';
import {
  exampleAt,
  runThrough,
  trailOf,
  vendorCrib,
} from '../../../test/fixtures/vendors/vendor-crib.ts';
import {
  type Answer,
  type Arrived,
  openVendor,
  TOO_MANY,
  type VendorSite,
} from '../../../test/fixtures/vendors/vendor-site.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import { defineRestApiCall } from './rest-api-call.ts';

const restApiCall = defineRestApiCall();

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

const items = ({ method, path, text, query }: Arrived): Answer => {
  if (path !== '/items') return { status: 404, body: { error: 'none' } };
  if (method === 'POST') return { status: 201, body: { id: 'i1', ...JSON.parse(text) } };
  return { body: { items: [1, 2, 3].slice(0, Number(query.get('limit') ?? 3)) } };
};

const setUp = async (
  answer: (request: Arrived) => Answer = items,
  options: CribOptions & { tool?: typeof restApiCall; keys?: Record<string, string> } = {},
): Promise<{ site: VendorSite; crib: TestCrib }> => {
  const site = await openVendor(answer);
  const { tool = restApiCall, ...rest } = options;
  const crib = await vendorCrib(tool, rest);
  open.push(crib, site);
  return { site, crib };
};

describe('rest_api_call', () => {
  it.each(titlesOf(restApiCall))('example: %s', async (title) => {
    const { site, crib } = await setUp();
    const { input, output } = exampleAt(restApiCall, title, ['https://api.example.com', site.url]);
    const { data } = await crib.execute('rest_api_call', input);
    expect(data).toMatchObject(output as object);
  });

  it('sends JSON, forms and text, each with its type', async () => {
    const { site, crib } = await setUp(() => ({ body: 'ok' }));
    const post = (more: object) =>
      crib.execute('rest_api_call', { method: 'POST', url: `${site.url}/x`, ...more });
    await post({ body: { a: [1] } });
    await post({ body: { a: 'x y', b: [1, 2] }, bodyType: 'form' });
    await post({ body: 'plain ü', bodyType: 'text', headers: { 'Content-Type': 'text/x' } });
    await post({});
    expect(site.arrived.map(({ text }) => text)).toEqual([
      '{"a":[1]}',
      'a=x+y&b=1&b=2',
      'plain ü',
      '',
    ]);
    expect(site.arrived.map(({ headers }) => headers['content-type'])).toEqual([
      'application/json',
      'application/x-www-form-urlencoded;charset=UTF-8',
      'text/x',
      undefined,
    ]);
  });

  it.each([
    ['auto', 'application/problem+json', '{"a":1}', { a: 1 }],
    ['auto', 'application/json', '{broken', '{broken'],
    ['auto', 'text/plain; charset=iso-8859-1', Buffer.from([0xe9]), 'é'],
    ['auto', 'text/plain; charset=no-such', 'x', 'x'],
    ['json', 'text/plain', '[1]', [1]],
    ['text', 'application/json', '[1]', '[1]'],
    ['base64', 'image/png', Buffer.from([1, 2]), 'AQI='],
    ['auto', 'text/plain', '', null],
  ])('response %s of %s', async (response, type, body, expected) => {
    const { site, crib } = await setUp(() => ({ headers: { 'content-type': type }, body }));
    const { data } = await crib.execute('rest_api_call', { url: site.url, response });
    expect(data).toMatchObject({ status: 200, body: expected });
  });

  it('fails when JSON is demanded and something else comes', async () => {
    const { site, crib } = await setUp(() => ({ body: '<p>' }));
    const { error } = await crib.execute('rest_api_call', { url: site.url, response: 'json' });
    expect(error).toMatchObject({ code: 'EXECUTION_FAILED', message: 'The response is no JSON.' });
  });

  it('gives a bad status as data', async () => {
    const { site, crib } = await setUp();
    const { data } = await crib.execute('rest_api_call', { url: `${site.url}/no` });
    expect(data).toMatchObject({ status: 404, ok: false, body: { error: 'none' } });
  });

  it('follows redirects or shows them', async () => {
    const { site, crib } = await setUp(({ path }) =>
      path === '/a' ? { status: 302, headers: { location: '/b' } } : { body: 'there' },
    );
    const url = `${site.url}/a`;
    const followed = await crib.execute('rest_api_call', { url });
    expect(followed.data).toMatchObject({ status: 200, url: `${site.url}/b`, body: 'there' });
    const shown = await crib.execute('rest_api_call', { url, followRedirects: false });
    expect(shown.data).toMatchObject({ status: 302, headers: { location: '/b' } });
  });

  it.each([
    ['no address', { url: 'nowhere' }, 'url'],
    ['another protocol', { url: 'ftp://example.com' }, 'url'],
    ['a body on GET', { url: 'https://example.com', body: {} }, 'body'],
    [
      'a form that is none',
      { url: 'https://example.com', method: 'PUT', body: [1], bodyType: 'form' },
      'body',
    ],
    [
      'a text that is none',
      { url: 'https://example.com', method: 'PUT', body: 1, bodyType: 'text' },
      'body',
    ],
    [
      'a line break in a header',
      { url: 'https://example.com', headers: { a: 'b\r\nc: d' } },
      'headers',
    ],
    [
      'a header that is no name',
      { url: 'https://example.com', headers: { 'a b': 'c' } },
      'headers',
    ],
    ['an unknown method', { url: 'https://example.com', method: 'TRACE' }, 'method'],
  ])('refuses %s', async (_what, input, field) => {
    const { crib } = await setUp();
    const { error } = await crib.execute('rest_api_call', input);
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(error?.issues?.[0]?.path[0]).toBe(field);
  });

  it('stops at the size limit', async () => {
    const { site, crib } = await setUp(() => ({ body: 'x'.repeat(5000) }));
    const { error } = await crib.execute('rest_api_call', { url: site.url, maxBytes: 4999 });
    expect(error?.code).toBe('OUTPUT_TOO_LARGE');
    const fits = await crib.execute('rest_api_call', { url: site.url, maxBytes: 5000 });
    expect(fits.data).toMatchObject({ bytes: 5000 });
  });

  it('fails with TIMEOUT after its own time limit', async () => {
    const retry = { maxRetries: 0, backoff: { type: 'none' } } as const;
    const tool = { ...restApiCall, retry };
    const site = await openVendor(() => new Promise<never>(() => undefined));
    const crib = await vendorCrib(tool);
    open.push(crib, site);
    const { error } = await crib.execute('rest_api_call', { url: site.url, timeout: 30 });
    expect(error?.code).toBe('TIMEOUT');
  });
});

describe('rest_api_call, when the service fails,', () => {
  it('waits as long as Retry-After says and sends the same idempotency key', async () => {
    const { site, crib } = await setUp();
    site.trouble.push(TOO_MANY);
    const input = { method: 'POST', url: `${site.url}/items`, body: { name: 'x' } };
    const result = await runThrough(crib, ['rest_api_call', input]);
    expect(result.data).toMatchObject({ status: 201 });
    expect(result.waitedMs).toBeGreaterThanOrEqual(7000);
    const [first, second] = site.arrived.map(({ headers }) => headers['idempotency-key']);
    expect(first).toBe(result.metadata.executionId);
    expect(second).toBe(first);
  });

  it('reads Retry-After as a date, by the clock of the service', async () => {
    const { site, crib } = await setUp();
    const date = 'Thu, 15 Jan 2026 12:00:00 GMT';
    const headers = { date, 'retry-after': 'Thu, 15 Jan 2026 12:00:09 GMT' };
    site.trouble.push({ status: 429, headers });
    const result = await runThrough(crib, ['rest_api_call', { url: `${site.url}/items` }]);
    expect(result.success).toBe(true);
    expect(result.waitedMs).toBeGreaterThanOrEqual(9000);
  });

  it('tries a read again after 503, a write never', async () => {
    const { site, crib } = await setUp();
    const url = `${site.url}/items`;
    site.trouble.push({ status: 503 });
    const read = await runThrough(crib, ['rest_api_call', { url }]);
    expect([read.success, site.arrived.length]).toEqual([true, 2]);
    site.trouble.push({ status: 503 });
    const write = await runThrough(crib, ['rest_api_call', { url, method: 'POST', body: {} }]);
    expect([write.error?.code, site.arrived.length]).toEqual(['SERVER_ERROR', 3]);
  });
});

describe('threat: credentials and addresses of rest_api_call', () => {
  const keys = { API_TOKEN: 'token-0123456789' };

  it('hostile: a credential goes to its own host only, also after a redirect', async () => {
    const other = await openVendor(() => ({ body: 'other' }));
    open.push(other);
    const site = await openVendor(({ path }) =>
      path === '/away' ? { status: 307, headers: { location: other.url } } : { body: 'mine' },
    );
    const tool = defineRestApiCall({
      credentials: { [new URL(site.url).host]: { secret: 'API_TOKEN' } },
    });
    const crib = await vendorCrib(tool, { keys });
    open.push(crib, site);
    await crib.execute('rest_api_call', { url: site.url, headers: { Authorization: 'mine' } });
    await crib.execute('rest_api_call', { url: `${site.url}/away` });
    await crib.execute('rest_api_call', { url: other.url });
    expect(site.arrived.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${keys.API_TOKEN}`,
      `Bearer ${keys.API_TOKEN}`,
    ]);
    expect(other.arrived.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      undefined,
    ]);
    expect(await trailOf(crib)).not.toContain(keys.API_TOKEN);
  });

  it('hostile: an echoed credential and cookies do not come back', async () => {
    const site = await openVendor(({ headers }) => ({
      headers: { 'set-cookie': ['sid=abc', 'b=c'] },
      body: { echo: headers.authorization },
    }));
    const tool = defineRestApiCall({
      credentials: { [new URL(site.url).host]: { secret: 'API_TOKEN' } },
    });
    const crib = await vendorCrib(tool, { keys });
    open.push(crib, site);
    const result = await crib.execute('rest_api_call', { url: site.url });
    expect(result.success).toBe(true);
    expect(JSON.stringify(result)).not.toContain(keys.API_TOKEN);
    expect(JSON.stringify(result)).not.toContain('sid=abc');
  });

  it('a credential that is not there is AUTH_MISSING', async () => {
    const site = await openVendor(() => ({ body: 'x' }));
    const { host } = new URL(site.url);
    const tool = defineRestApiCall({ credentials: { [host]: { secret: 'API_TOKEN' } } });
    const crib = await vendorCrib(tool);
    open.push(crib, site);
    const { error } = await crib.execute('rest_api_call', { url: site.url });
    expect([error?.code, site.arrived.length]).toEqual(['AUTH_MISSING', 0]);
  });

  it.each(['http://169.254.169.254/latest', 'http://127.0.0.2/', 'http://user:pass@example.com/'])(
    'hostile: %s is not reached',
    async (url) => {
      const { crib } = await setUp();
      const { status, error } = await crib.execute('rest_api_call', { url });
      expect([status, error?.type]).toEqual([expect.stringMatching(/denied|failure/), 'security']);
    },
  );

  it('needs an approval, because an address that is only read can carry data out', async () => {
    const { site, crib } = await setUp(items, { policy: { version: 1, rules: [] } });
    const url = `${site.url}/items`;
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, error } = await crib.execute('rest_api_call', { url, method });
      expect([status, error?.code]).toEqual(['pending', 'APPROVAL_REQUIRED']);
    }
    expect(site.arrived).toHaveLength(0);
  });
});
