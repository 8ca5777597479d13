/** A person logs in to an API; calls of its tools carry the token. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseConfig } from '../../config/load/parse-config.ts';
import { createCrib } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';
import { openSourceLogin } from './source-login.ts';
import { sourceSettings } from './source-settings.ts';

const seen: string[] = [];
let issued = 0;
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '', 'http://x');
  const json = (body: object, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  if (url.pathname === '/authorize') {
    const back = new URL(url.searchParams.get('redirect_uri') ?? '');
    back.searchParams.set('code', 'c0de');
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    seen.push(`authorize ${url.searchParams.get('scope')} ${url.searchParams.has('resource')}`);
    response.writeHead(302, { location: back.href }).end();
  } else if (url.pathname === '/token') {
    const form = new URLSearchParams(await text(request));
    seen.push(`token ${form.get('grant_type')} ${form.has('code_verifier')}`);
    issued += 1;
    json({
      access_token: `t${issued}-secret`,
      token_type: 'Bearer',
      refresh_token: 'r1',
      expires_in: 3600,
    });
  } else {
    seen.push(`call ${request.headers.authorization}`);
    json({ echo: request.headers.authorization }, request.headers.authorization ? 200 : 401);
  }
};
const server = createServer((request, response) => void answer(request, response));

let origin = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

it('a login to an OpenAPI source gives its calls a token, which no result shows', async () => {
  const home = await mkdtemp(join(tmpdir(), 'toolcrib-login-'));
  const document = join(home, 'api.json');
  const get = { operationId: 'whoami', security: [{ login: [] }], responses: {} };
  const components = { securitySchemes: { login: { type: 'oauth2', flows: {} } } };
  await writeFile(
    document,
    JSON.stringify({ openapi: '3.1.0', paths: { '/me': { get } }, components }),
  );
  const login = {
    login: true,
    clientId: 'me',
    scopes: ['read'],
    authorizationUrl: `${origin}/authorize`,
    tokenUrl: `${origin}/token`,
  };
  const own = { document, baseUrl: origin, auth: { login } };
  const config = { registry: { lock: 'off' as const }, sources: { openapi: { api: own } } };
  const crib = await createCrib({
    home,
    root: home,
    builtins: false,
    store: 'memory' as const,
    config,
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow' }] },
  });
  const before = await crib.execute('whoami', {});
  expect(before.error).toMatchObject({ code: 'AUTH_MISSING' });
  expect(before.error?.suggestions).toEqual(['Log in: toolcrib sources login api']);
  expect(seen).toEqual([]);
  await crib.close();

  const parsed = parseConfig(config);
  const settings = sourceSettings('openapi', 'api', parsed.sources.openapi.api as never);
  const auth = await openSourceLogin(settings, {
    config: parsed,
    runtime: createRuntime({}),
    home,
    secret: async () => undefined,
    openBrowser: async (url) => void (await fetch(url)),
  });
  expect(await auth.login()).toMatchObject({ state: 'signed_in' });
  expect(seen).toEqual(['authorize read false', 'token authorization_code true']);

  const again = await createCrib({
    home,
    root: home,
    builtins: false,
    store: 'memory' as const,
    config,
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow' }] },
  });
  const result = await again.execute('whoami', {});
  expect(seen.at(-1)).toBe('call Bearer t1-secret');
  expect(result.success).toBe(true);
  expect(JSON.stringify(result)).not.toContain('t1-secret');
  await again.close();
});
