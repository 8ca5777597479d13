/** Getting in: one-time codes, sessions, tokens and the JWTs of an issuer. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { HttpDeps } from './http-deps.ts';

let http: TestHttp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});
const open = async (deps: Partial<HttpDeps> = {}): Promise<TestHttp> => {
  http = await openHttp([aTool()], deps);
  return http;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const login = async ({ surface, ask }: TestHttp, headers: Record<string, string> = {}) => {
  const code = surface.issueCode({ user: 'local', role: 'admin' });
  const answer = await ask('/v1/session', { method: 'POST', body: { code }, headers });
  const set = answer.headers.get('set-cookie') ?? '';
  return { code, answer, set, cookie: set.split(';')[0] ?? '' };
};

describe('the console code', () => {
  it('is valid once, and gives a session that needs the cookie for reading', async () => {
    const door = await open();
    const { code, answer, set, cookie } = await login(door);
    expect(answer.status).toBe(200);
    expect(answer.json).toMatchObject({ user: 'local', role: 'admin' });
    expect(set).toMatch(
      /^toolcrib_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    expect((await door.ask('/v1/tokens', { headers: { cookie } })).status).toBe(200);
    expect((await door.ask('/v1/session', { headers: { cookie } })).json).toEqual(answer.json);
    const again = await door.ask('/v1/session', { method: 'POST', body: { code } });
    expect(again.status).toBe(401);
    expect(again.headers.get('set-cookie')).toBeNull();
  });

  it('expires after ten minutes', async () => {
    const door = await open();
    const code = door.surface.issueCode({ user: 'local', role: 'admin' });
    await door.crib.runtime.advance(10 * MINUTE);
    const late = await door.ask('/v1/session', { method: 'POST', body: { code } });
    expect(late.status).toBe(401);
  });

  it('is protected against guessing: failures have to wait, a valid code does not', async () => {
    const door = await open({ limits: { failedAttempts: 3 } });
    const guess = (address: string) =>
      door.ask('/v1/session', { method: 'POST', body: { code: 'guess' }, address });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await guess('10.0.0.1')).status);
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(Number((await guess('10.0.0.1')).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await guess('10.0.0.2')).status).toBe(401);
    const bad = await door.ask('/v1/tools', { token: 'tc_wrong', address: '10.0.0.1' });
    expect(bad.status).toBe(429);
    const code = door.surface.issueCode({ user: 'local', role: 'admin' });
    const good = await door.ask('/v1/session', {
      method: 'POST',
      body: { code },
      address: '10.0.0.1',
    });
    expect(good.status).toBe(200);
    await door.crib.runtime.advance(MINUTE);
    expect((await guess('10.0.0.1')).status).toBe(401);
  });

  it('makes the cookie secure where the server is reached by https', async () => {
    const { set, answer } = await login(await open({ publicUrl: 'https://tools.example.com' }));
    expect(set).toContain('; Secure');
    expect(answer.headers.get('strict-transport-security')).toContain('max-age');
  });
});

describe('a console session', () => {
  it('is never one that the browser brought along (session fixation)', async () => {
    const door = await open();
    const first = await login(door);
    const planted = await login(door, { cookie: 'toolcrib_session=planted-by-somebody' });
    expect(planted.cookie).not.toContain('planted');
    const second = await login(door, { cookie: first.cookie });
    expect(second.cookie).not.toBe(first.cookie);
    expect((await door.ask('/v1/tools', { headers: { cookie: first.cookie } })).status).toBe(401);
    expect((await door.ask('/v1/tools', { headers: { cookie: second.cookie } })).status).toBe(200);
  });

  it('ends when its user leaves', async () => {
    const door = await open();
    const { cookie, answer } = await login(door);
    const headers = { cookie, 'x-toolcrib-csrf': answer.json.csrf };
    const left = await door.ask('/v1/session', { method: 'DELETE', headers });
    expect(left.json).toEqual({ ended: true });
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0');
    expect((await door.ask('/v1/session', { headers: { cookie } })).status).toBe(401);
  });

  it('ends after two idle hours, and after twelve in any case', async () => {
    const door = await open();
    const idle = await login(door);
    const busy = await login(door);
    const isIn = async ({ cookie }: { cookie: string }) =>
      (await door.ask('/v1/session', { headers: { cookie } })).status === 200;
    await door.crib.runtime.advance(HOUR);
    expect(await isIn(busy)).toBe(true);
    await door.crib.runtime.advance(HOUR);
    expect([await isIn(idle), await isIn(busy)]).toEqual([false, true]);
    for (let i = 0; i < 9; i++) {
      await door.crib.runtime.advance(HOUR);
      expect(await isIn(busy)).toBe(true);
    }
    await door.crib.runtime.advance(HOUR);
    expect(await isIn(busy)).toBe(false);
  });

  it('is not saved by a cookie when the token in the header is bad', async () => {
    const door = await open();
    const { cookie } = await login(door);
    const answer = await door.ask('/v1/tools', { token: 'tc_bad', headers: { cookie } });
    expect(answer.status).toBe(401);
  });
});

describe('an API token', () => {
  const create = (door: TestHttp, body: object) =>
    door.ask('/v1/tokens', { method: 'POST', token: door.tokens.admin, body });

  it('is shown once; only its hash is kept', async () => {
    const door = await open();
    const made = await create(door, { name: 'ci', role: 'agent' });
    expect(made.status).toBe(201);
    expect(made.json.token).toMatch(/^tc_[0-9a-f]{16}_[\w-]{43}$/);
    const secret = made.json.token.split('_').slice(2).join('_');
    const listed = await door.ask('/v1/tokens', { token: door.tokens.admin });
    const kept = JSON.stringify(await (await door.crib.store()).tokens.list());
    for (const text of [listed.text, kept]) expect(text).not.toContain(secret);
    expect(listed.text).not.toContain('hash');
    expect((await create(door, { name: 'ci', role: 'agent' })).status).toBe(409);
  });

  it('is listed without the seal that proves its record to this machine', async () => {
    const door = await open();
    const { tokens } = await door.crib.store();
    const [record] = await tokens.list();
    if (!record) throw new Error('There is no token to copy.');
    await tokens.add({ ...record, id: 'f'.repeat(16), name: 'sealed', seal: 'proof' });
    const { text } = await door.ask('/v1/tokens', { token: door.tokens.admin });
    expect(text).toContain('sealed');
    expect(text).not.toContain('proof');
  });

  it('is refused at once when it is revoked', async () => {
    const door = await open();
    const { json } = await create(door, { name: 'ci', role: 'viewer' });
    expect((await door.ask('/v1/tools', { token: json.token })).status).toBe(200);
    const revoke = () =>
      door.ask(`/v1/tokens/${json.id}`, { method: 'DELETE', token: door.tokens.admin });
    expect((await revoke()).json).toEqual({ revoked: true });
    expect((await door.ask('/v1/tools', { token: json.token })).status).toBe(401);
    expect((await revoke()).status).toBe(404);
    expect((await create(door, { name: 'ci', role: 'viewer' })).status).toBe(201);
  });

  it('ends when it expires, and tells when it was last used', async () => {
    const door = await open();
    const { json } = await create(door, { name: 'ci', role: 'viewer', expiresInDays: 1 });
    expect((await door.ask('/v1/tools', { token: json.token })).status).toBe(200);
    const listed = await door.ask('/v1/tokens', { token: door.tokens.admin });
    const mine = listed.json.items.find(({ id }: { id: string }) => id === json.id);
    expect(mine.lastUsedAt).toBe(door.crib.runtime.now());
    await door.crib.runtime.advance(24 * HOUR);
    expect((await door.ask('/v1/tools', { token: json.token })).status).toBe(401);
  });

  it('with the id of one token and the secret of another is refused', async () => {
    const door = await open();
    const [, id] = door.tokens.admin.split('_');
    const secret = door.tokens.viewer.slice(20);
    expect((await door.ask('/v1/tools', { token: `tc_${id}_${secret}` })).status).toBe(401);
  });
});

describe('the JWT of an issuer', () => {
  const ISSUER = 'https://login.example.com';
  const setUp = async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' };
    const asked: string[] = [];
    const issuerFetch = async (url: unknown) => {
      asked.push(String(url));
      return String(url).endsWith('/keys')
        ? Response.json({ keys: [jwk] })
        : Response.json({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` });
    };
    const door = await open({
      oidc: { issuer: ISSUER, audience: 'toolcrib' },
      fetch: issuerFetch as typeof fetch,
      publicUrl: 'https://tools.example.com',
    });
    const sign = (claims: object, change: (jwt: SignJWT) => SignJWT = (jwt) => jwt) => {
      const now = Math.floor(door.crib.runtime.now() / 1000);
      const jwt = new SignJWT({ sub: 'alice', toolcrib_role: 'viewer', ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .setIssuer(ISSUER)
        .setAudience('toolcrib')
        .setIssuedAt(now)
        .setExpirationTime(now + 600);
      return change(jwt).sign(privateKey);
    };
    const status = async (token: string) => (await door.ask('/v1/tools', { token })).status;
    return { door, sign, status, asked };
  };

  it('gives the role that it names', async () => {
    const { door, sign, status } = await setUp();
    expect(await status(await sign({}))).toBe(200);
    const token = await sign({});
    expect((await door.ask('/v1/tokens', { token })).status).toBe(403);
    const admin = await sign({ toolcrib_role: 'admin' });
    expect((await door.ask('/v1/tokens', { token: admin })).status).toBe(200);
  });

  it('is refused for another audience or issuer, too old, without a role, or not signed', async () => {
    const { sign, status, door } = await setUp();
    const past = Math.floor(door.crib.runtime.now() / 1000) - 60;
    const [head = '', body = ''] = (await sign({})).split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const bad = [
      await sign({}, (jwt) => jwt.setAudience('other')),
      await sign({}, (jwt) => jwt.setIssuer('https://evil.example')),
      await sign({}, (jwt) => jwt.setExpirationTime(past)),
      await sign({ toolcrib_role: undefined }),
      await sign({ toolcrib_role: 'constructor' }),
      await sign({ sub: '' }),
      `${none}.${body}.`,
      `${head}.${body}.AAAA`,
    ];
    for (const token of bad) expect(await status(token), token).toBe(401);
  });

  it('has its issuer named in the metadata of the MCP endpoint', async () => {
    const { door } = await setUp();
    const metadata = await door.ask('/.well-known/oauth-protected-resource');
    expect(metadata.json).toMatchObject({
      resource: 'https://tools.example.com/mcp',
      authorization_servers: [ISSUER],
    });
    const refused = await door.ask('/mcp', { method: 'POST', body: {} });
    expect(refused.headers.get('www-authenticate')).toContain(
      'resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource"',
    );
  });

  it('is refused where no issuer is configured', async () => {
    const { sign } = await setUp();
    const token = await sign({});
    await http?.close();
    const door = await open();
    expect((await door.ask('/v1/tools', { token })).status).toBe(401);
    expect((await door.ask('/.well-known/oauth-protected-resource')).status).toBe(404);
  });
});
