/** Streams that stay open end with the right to read them. */
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttp, requestFor, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { createEventBroadcast } from './events/create-event-broadcast.ts';
import type { HttpDeps } from './http-deps.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
const ISSUER = 'https://id.example.com';

let http: TestHttp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

const open = async (deps: Partial<HttpDeps> = {}): Promise<TestHttp> => {
  http = await openHttp([aTool()], ({ events, runtime }) => {
    const stream = createEventBroadcast(events, { runtime, run: 'run1' });
    // As a library would make them: nobody but the door can end these.
    const endless = () =>
      new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } });
    return { events: stream.open.bind(stream), mcp: async () => endless(), ...deps };
  });
  return http;
};

/** Opens a stream, reads it to its end, and tells whether that has come. */
const watch = async (
  { surface, crib }: TestHttp,
  headers: Readonly<Record<string, string>>,
  path = '/v1/events',
) => {
  const answer = await surface.fetch(requestFor(path, { headers }), '127.0.0.1');
  expect(answer.status).toBe(200);
  const seen = { text: '', isOver: false };
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
      seen.text += decoder.decode(chunk);
    }
    seen.isOver = true;
  })();
  await crib.runtime.advance(0);
  expect(seen.isOver).toBe(false);
  return seen;
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const idOf = (token: string): string => token.split('_')[1] ?? '';

const login = async ({ surface, ask }: TestHttp) => {
  const code = surface.issueCode({ user: 'local', role: 'admin' });
  const { headers, json } = await ask('/v1/session', { method: 'POST', body: { code } });
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
  return { cookie, csrf: json.csrf as string };
};

describe.each(['/v1/events', '/mcp'])('threat: a stream of %s outlives its token', (path) => {
  it('a token that is revoked here loses its stream at once, and no other does', async () => {
    const door = await open();
    const { agent, operator, admin } = door.tokens;
    const lost = await watch(door, bearer(agent), path);
    const kept = await watch(door, bearer(operator), path);
    await door.ask(`/v1/tokens/${idOf(agent)}`, { method: 'DELETE', token: admin });
    await door.crib.runtime.advance(0);
    expect([lost.isOver, kept.isOver]).toEqual([true, false]);
    await door.crib.runtime.advance(20 * SECOND);
    expect(kept.isOver).toBe(false);
  });

  it('a token that another process revokes loses its stream within a second', async () => {
    const door = await open();
    const { runtime } = door.crib;
    const lost = await watch(door, bearer(door.tokens.agent), path);
    const { tokens } = await door.crib.store();
    await tokens.revoke(idOf(door.tokens.agent), runtime.now());
    await runtime.advance(SECOND);
    expect(lost.isOver).toBe(true);
  });

  it('a token that expires loses its stream', async () => {
    const door = await open();
    const { runtime } = door.crib;
    const wanted = { name: 'brief', role: 'agent', expiresAt: runtime.now() + 5 * SECOND } as const;
    const { token } = await door.surface.tokens.create(wanted, 'test');
    const lost = await watch(door, bearer(token), path);
    await runtime.advance(4 * SECOND);
    expect(lost.isOver).toBe(false);
    await runtime.advance(2 * SECOND);
    expect(lost.isOver).toBe(true);
  });
});

describe('threat: the stream of a console session outlives it', () => {
  it('ends at once when the person signs out, and that of another person does not', async () => {
    const door = await open();
    const { cookie, csrf } = await login(door);
    const lost = await watch(door, { cookie });
    const kept = await watch(door, { cookie: (await login(door)).cookie });
    const headers = { cookie, 'x-toolcrib-csrf': csrf };
    await door.ask('/v1/session', { method: 'DELETE', headers });
    await door.crib.runtime.advance(0);
    expect([lost.isOver, kept.isOver]).toEqual([true, false]);
  });

  it('ends at once when the browser signs in as another person', async () => {
    const door = await open();
    const { cookie } = await login(door);
    const lost = await watch(door, { cookie });
    const code = door.surface.issueCode({ user: 'other', role: 'viewer' });
    await door.ask('/v1/session', { method: 'POST', body: { code }, headers: { cookie } });
    await door.crib.runtime.advance(0);
    expect(lost.isOver).toBe(true);
  });

  it('ends when the session has been idle for too long: a stream is no use of it', async () => {
    const door = await open();
    const { cookie } = await login(door);
    const lost = await watch(door, { cookie });
    await door.crib.runtime.advance(2 * HOUR - SECOND);
    expect(lost.isOver).toBe(false);
    await door.crib.runtime.advance(2 * SECOND);
    expect(lost.isOver).toBe(true);
  });
});

describe('threat: the stream of a JWT outlives it', () => {
  it('ends when the JWT expires', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] };
    const door = await open({
      oidc: { issuer: ISSUER, audience: 'toolcrib', jwksUri: `${ISSUER}/keys` },
      fetch: async () => Response.json(keys),
    });
    const now = Math.floor(door.crib.runtime.now() / 1000);
    const jwt = await new SignJWT({ sub: 'alice', toolcrib_role: 'viewer' })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(ISSUER)
      .setAudience('toolcrib')
      .setExpirationTime(now + 5)
      .sign(privateKey);
    const lost = await watch(door, bearer(jwt));
    await door.crib.runtime.advance(4 * SECOND);
    expect(lost.isOver).toBe(false);
    await door.crib.runtime.advance(2 * SECOND);
    expect(lost.isOver).toBe(true);
  });
});
