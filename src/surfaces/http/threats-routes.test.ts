/** Every route of the table, against everything that should not get in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { ROLES, type Role } from '../../contract/tokens.ts';
import { isAdmitted } from './auth/admit.ts';
import type { Route } from './route.ts';
import samples from './route-samples.json' with { type: 'json' };
import { ROUTES } from './routes/route-table.ts';

let http: TestHttp;
beforeAll(async () => {
  const answers = {
    events: () => new Response('', { headers: { 'content-type': 'text/event-stream' } }),
    metrics: () => new Response('up 1'),
    mcp: async () => Response.json({ jsonrpc: '2.0' }),
  };
  http = await openHttp([aTool()], {
    ...answers,
    limits: { failedAttempts: 1e9, bodyBytes: 4096 },
  });
});
afterAll(() => http.close());

const titleOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;
const isSample = (title: string): title is keyof typeof samples => Object.hasOwn(samples, title);

const pathOf = ({ path }: Route): string =>
  path.replace(':name', 'echo').replace(':id', 'nothing').replace(':token', 'forged');

const asked = (route: Route): { path: string; method: string } => ({
  path: route.path === '/approve' && route.method === 'get' ? '/approve?token=x' : pathOf(route),
  method: route.method.toUpperCase(),
});

const bodyFor = (route: Route, more: object = {}) => {
  const title = titleOf(route);
  if (!isSample(title)) return {};
  const sample = { ...samples[title], ...more };
  if (!route.form) return { body: sample };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { raw: new URLSearchParams(sample as Record<string, string>).toString(), headers };
};

const guarded = ROUTES.filter(({ role }) => role !== 'public');
const withBody = ROUTES.filter(({ input }) => input.body);
const byTitle = (routes: readonly Route[]) =>
  routes.map((route) => [titleOf(route), route] as const);

/** A token that the route lets in. */
const tokenFor = ({ role }: Route): object => {
  if (role === 'public') return {};
  return { token: http.tokens[role === 'member' ? 'admin' : role] };
};

describe('the route table', () => {
  it('names each route once, and has a sample for each body', () => {
    expect(new Set(ROUTES.map(titleOf)).size).toBe(ROUTES.length);
    expect(withBody.map(titleOf).sort()).toEqual(Object.keys(samples).sort());
  });
});

describe('HTTP: a route refuses requests without a token', () => {
  it.each(byTitle(guarded))('%s', async (_, route) => {
    const { path, method } = asked(route);
    for (const token of [undefined, `tc_0000000000000000_${'A'.repeat(43)}`, 'nonsense', '']) {
      const headers = token === '' ? { authorization: 'Basic YTpi' } : {};
      const given = token ? { token } : {};
      const answer = await http.ask(path, { method, ...bodyFor(route), ...given, headers });
      expect(answer.status).toBe(401);
      expect(answer.json.error.code).toBe('AUTH_MISSING');
      expect(answer.headers.get('www-authenticate')).toContain('Bearer');
    }
  });
});

describe('HTTP: a route admits only its roles', () => {
  it.each(byTitle(ROUTES))('%s', async (_, route) => {
    const { path, method } = asked(route);
    for (const role of ROLES) {
      const answer = await http.ask(path, {
        method,
        token: http.tokens[role as Role],
        ...bodyFor(route),
      });
      const isRefused =
        answer.status === 403 && /role of this token/.test(answer.json?.error?.message ?? '');
      expect(isRefused, role).toBe(!isAdmitted(route.role, role));
      expect(answer.status, `${role}: ${answer.text}`).not.toBe(500);
      expect(answer.headers.get('x-request-id'), role).toMatch(/^[\w-]{16}$/);
    }
  });
});

describe('HTTP: a route refuses a foreign Host and Origin', () => {
  const HOSTS = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil', 'localhost@evil', ''];
  const ORIGINS = [
    'http://evil.example',
    'null',
    'http://127.0.0.1:9999',
    'file://',
    'https://localhost',
  ];

  it.each(byTitle(ROUTES))('%s', async (_, route) => {
    const { path, method } = asked(route);
    const asking = { method, ...tokenFor(route), ...bodyFor(route) };
    const { headers = {} } = asking as { headers?: Record<string, string> };
    for (const host of HOSTS) {
      const answer = await http.ask(path, { ...asking, headers: { ...headers, host } });
      expect(answer.status, host).toBe(403);
    }
    for (const origin of ORIGINS) {
      const answer = await http.ask(path, { ...asking, headers: { ...headers, origin } });
      expect(answer.status, origin).toBe(403);
      expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    }
    const own = await http.ask(path, {
      ...asking,
      headers: { ...headers, origin: 'http://127.0.0.1:7420' },
    });
    expect(own.text).not.toContain('Origin');
  });
});

describe('HTTP: bodies', () => {
  it.each(byTitle(withBody))('%s takes no other content type', async (_, route) => {
    const { path, method } = asked(route);
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/jsonp']) {
      const headers = { 'content-type': type };
      const answer = await http.ask(path, { method, ...tokenFor(route), raw: '{}', headers });
      expect(answer.status).toBe(415);
    }
    const headers = { 'content-encoding': 'gzip' };
    const packed = await http.ask(path, { method, ...tokenFor(route), raw: '{}', headers });
    expect(packed.status).toBe(415);
  });

  it.each(byTitle(withBody))('%s reads no more than allowed', async (_, route) => {
    const { path, method } = asked(route);
    const type = route.form ? 'application/x-www-form-urlencoded' : 'application/json';
    const raw = JSON.stringify('x'.repeat(5000));
    const asking = { method, ...tokenFor(route), raw, headers: { 'content-type': type } };
    expect((await http.ask(path, asking)).status).toBe(413);
    const announced = { 'content-type': type, 'content-length': '999999999' };
    expect((await http.ask(path, { ...asking, raw: '{}', headers: announced })).status).toBe(413);
  });

  it.each(byTitle(withBody.filter(({ form }) => !form)))('%s takes JSON only', async (_, route) => {
    const { path, method } = asked(route);
    for (const raw of ['{', 'a=b', '{"a":1}}', new Uint8Array([0x22, 0xff, 0x22])]) {
      const answer = await http.ask(path, { method, ...tokenFor(route), raw });
      expect(answer.status).toBe(400);
      expect(answer.json.error.code).toBe('VALIDATION_ERROR');
    }
  });

  it('names a field that is missing', async () => {
    const [route] = withBody.filter(({ path }) => path.endsWith('/execute'));
    if (!route) throw new Error('There is no route that executes a tool.');
    const { path, method } = asked(route);
    const { json } = await http.ask(path, { method, ...tokenFor(route), body: {} });
    expect(json.error.issues).toEqual([{ path: ['input'], message: 'is required' }]);
  });

  it.each(byTitle(withBody))('%s takes no field it does not know', async (_, route) => {
    const { path, method } = asked(route);
    const asking = { method, ...tokenFor(route) };
    const wrong = await http.ask(path, { ...asking, ...bodyFor(route, { surprise: '1' }) });
    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.json.error.issues)).toContain('surprise');
    const right = await http.ask(path, { ...asking, ...bodyFor(route) });
    expect(right.status).not.toBe(400);
  });

  it.each(byTitle(guarded.filter(({ input }) => input.body)))(
    '%s is not read before the sender is known',
    async (_, route) => {
      const { path, method } = asked(route);
      let pulled = 0;
      const body = new ReadableStream(
        {
          pull: (controller) => {
            pulled += 1;
            controller.enqueue(new Uint8Array(1024));
          },
        },
        { highWaterMark: 0 },
      );
      const request = new Request(`http://127.0.0.1:7420${path}`, {
        method,
        headers: { host: '127.0.0.1:7420', 'content-type': 'application/json' },
        body,
        duplex: 'half',
      } as RequestInit);
      expect((await http.surface.fetch(request)).status).toBe(401);
      expect(pulled).toBe(0);
    },
  );
});

describe('HTTP: a route refuses unknown and repeated query parameters', () => {
  it.each(byTitle(ROUTES.filter(({ input }) => input.query)))('%s', async (_, route) => {
    const { path, method } = asked(route);
    const mark = path.includes('?') ? '&' : '?';
    for (const query of ['surprise=1', '__proto__=1', 'limit=1&limit=2', 'token=a&token=b']) {
      const answer = await http.ask(`${path}${mark}${query}`, { method, ...tokenFor(route) });
      expect(answer.status, query).toBe(400);
    }
  });
});

describe('HTTP: a route refuses a session without its CSRF token', () => {
  it.each(byTitle(guarded.filter(({ method }) => method !== 'get')))('%s', async (_, route) => {
    const { path, method } = asked(route);
    const code = http.surface.issueCode({ user: 'local', role: 'admin' });
    const login = await http.ask('/v1/session', { method: 'POST', body: { code } });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    for (const csrf of ['', 'wrong', `${login.json.csrf}x`]) {
      const headers = { cookie, 'x-toolcrib-csrf': csrf };
      const answer = await http.ask(path, { method, ...bodyFor(route), headers });
      expect(answer.status).toBe(403);
      expect(answer.json.error.message).toContain('CSRF');
    }
    const headers = { cookie, 'x-toolcrib-csrf': login.json.csrf };
    const answer = await http.ask(path, { method, ...bodyFor(route), headers });
    expect(answer.text).not.toContain('CSRF');
  });
});
