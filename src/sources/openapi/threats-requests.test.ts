/** Threats: what an agent fills in, a document declares or an API answers changes what a call may do. */
import { describe, expect, it } from 'vitest';
import { openapiWire } from '../../../test/fixtures/openapi-wire.ts';

const wire = openapiWire();
const { seen } = wire;

const getting = (path: string, parameters: readonly object[], more: object = {}) => ({
  paths: { [path]: { get: { operationId: 'call', parameters, responses: {} } } },
  ...more,
});
/** So that a second call is no way out for what the first one answered. */
const PUBLIC = { labels: { sensitivity: 'public' } };
const inHeader = (name: string) => ({ name, in: 'header', schema: { type: 'string' } });

describe('threat: a parameter changes what the request is', () => {
  it.each([
    'X-HTTP-Method-Override',
    'x-http-method',
    'X-Method-Override',
    'X-Original-URL',
    'X-Rewrite-URL',
    'Accept-Encoding',
    'Host',
    'Authorization',
    'Cookie',
  ])('hostile: a read-only operation cannot set the header %s', async (name) => {
    const crib = await wire.open(getting('/things', [inHeader(name), inHeader('X-Trace')]));
    seen.length = 0;
    const refused = await crib.execute('call', { [name]: 'DELETE', 'X-Trace': 't' });
    expect([refused.error?.code, seen]).toEqual(['VALIDATION_ERROR', []]);
    expect((await crib.execute('call', { 'X-Trace': 't' })).success).toBe(true);
    expect(seen[0]?.headers['x-trace']).toBe('t');
  });

  it.each(['..', '.', '../admin', 'a/../../admin', '..\\admin', 'a/./b', '/..'])(
    'hostile: the value %s of a path parameter does not lead to another path',
    async (id) => {
      const at = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
      const crib = await wire.open(getting('/users/{id}/name', [at]));
      seen.length = 0;
      expect((await crib.execute('call', { id })).success).toBe(false);
      expect(seen).toEqual([]);
    },
  );

  it('benign: values with slashes and dots are sent, encoded', async () => {
    const at = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
    const crib = await wire.open(getting('/files/{id}', [at]), PUBLIC);
    seen.length = 0;
    for (const id of ['src/a.ts', 'v1...v2', '..a', 'a..b/.hidden']) {
      expect((await crib.execute('call', { id })).success).toBe(true);
    }
    expect(seen.map(({ url }) => url)).toEqual([
      '/v1/files/src%2Fa.ts',
      '/v1/files/v1...v2',
      '/v1/files/..a',
      '/v1/files/a..b%2F.hidden',
    ]);
  });
});

const CLIENT = {
  components: {
    securitySchemes: {
      one: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: {} } } },
    },
  },
  security: [{ one: [] }],
};

describe('threat: the call of one caller harms another one', () => {
  it('a cancelled call does not fail the one that waits for the same token', async () => {
    const crib = await wire.open(getting('/things', [], CLIENT), {
      auth: { one: { clientId: 'me', clientSecret: 'CLIENT_SECRET' } },
    });
    seen.length = 0;
    let release: (value?: unknown) => void = () => undefined;
    const when = new Promise((resolve) => {
      release = resolve;
    });
    const token = { body: JSON.stringify({ access_token: 'tok-1', expires_in: 3600 }) };
    wire.answers = [{ ...token, when }, token];
    const first = new AbortController();
    const cancelled = crib.execute('call', {}, { signal: first.signal });
    while (seen.length === 0) await new Promise((resolve) => void setTimeout(resolve, 5));
    const waiting = crib.execute('call', {});
    await new Promise((resolve) => void setTimeout(resolve, 50));
    first.abort();
    expect((await cancelled).status).toBe('cancelled');
    expect((await waiting).error).toBeUndefined();
    release();
    expect(seen.map(({ url }) => url)).toEqual(['/token', '/token', '/v1/things']);
  });
});

const KEYED = (scheme: object) => ({
  components: { securitySchemes: { one: scheme } },
  security: [{ one: [] }],
});

describe('threat: an API tells its caller the secret', () => {
  it.each([
    ['a bearer token', { type: 'http', scheme: 'bearer' }, {}],
    ['a password', { type: 'http', scheme: 'basic' }, { username: 'ada' }],
    ['a key in the address', { type: 'apiKey', in: 'query', name: 'k' }, {}],
    ['a key in a cookie', { type: 'apiKey', in: 'cookie', name: 'k' }, {}],
  ])('hostile: %s that the API echoes is redacted', async (_what, scheme, more) => {
    const crib = await wire.open(getting('/things', [], KEYED(scheme)), {
      ...PUBLIC,
      auth: { one: { secret: 'API_KEY', ...more } },
    });
    const told: string[] = [];
    for (const name of ['call.started', 'call.finished', 'call.traced'] as const) {
      crib.events.on(name, (event) => void told.push(JSON.stringify(event)));
    }
    seen.length = 0;
    await crib.execute('call', {});
    const { headers, url } = seen[0] ?? { headers: {}, url: '' };
    const echo = `${headers.authorization} ${headers.cookie} ${url}`;
    const problem = JSON.stringify({ title: 'No', detail: echo, headers });
    let calls = seen.length;
    for (const status of [200, 400, 500]) {
      wire.answers = [
        { status, body: problem, headers: { 'content-type': 'application/problem+json' } },
      ];
      const result = await crib.execute('call', {});
      expect(seen.length).toBeGreaterThan(calls);
      calls = seen.length;
      const rows = JSON.stringify(await crib.audit.query({}));
      const shown = JSON.stringify(result) + told.join('') + rows;
      expect(shown).not.toContain('key-4711');
      const encoded = /Basic (\S+)/.exec(echo)?.[1];
      if (encoded !== undefined) expect(shown).not.toContain(encoded);
    }
  });
});

describe('threat: a document leads to this machine', () => {
  it('hostile: a server of this machine is not called, and the error says how to allow it', async () => {
    const local = { servers: [{ url: `${wire.origin}/v1` }] };
    const refused = await wire.open(getting('/things', [], local), { baseUrl: undefined });
    seen.length = 0;
    const { error } = await refused.execute('call', {});
    expect([error?.code, seen]).toEqual(['PERMISSION_DENIED', []]);
    expect(error?.suggestions.join()).toContain(`--base-url ${wire.origin}/v1`);
    const allowed = await wire.open(getting('/things', [], local));
    expect((await allowed.execute('call', {})).success).toBe(true);
  });
});
