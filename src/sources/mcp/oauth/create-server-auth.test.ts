import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OauthServer, startOauthServer } from '../../../../test/fixtures/oauth-server.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { SecretVault } from '../../../contract/secrets.ts';
import { createServerAuth, type ServerAuth } from './create-server-auth.ts';

let server: OauthServer;
let kept: Map<string, string>;
let clock: number;
let errors: string[];
let opened: URL[];

beforeEach(async () => {
  server = await startOauthServer();
  kept = new Map();
  clock = 1_000_000;
  errors = [];
  opened = [];
});
afterEach(() => server.close());

const vault = (): SecretVault => ({
  label: 'memory',
  get: async (key) => kept.get(key),
  set: async (key, value) => void kept.set(key, value),
  remove: async (key) => kept.delete(key),
});

const runtime = (): Runtime => ({
  now: () => clock,
  elapsed: () => clock,
  random: () => 0.5,
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return { cancel: () => clearTimeout(timer), keepAlive: () => undefined };
  },
  log: {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: (message) => void errors.push(message),
  },
});

/** Follows the login page back to us, as a browser would. */
const browse = async (url: URL): Promise<void> => {
  opened.push(url);
  void fetch(url).catch(() => undefined);
};

interface Change {
  readonly url?: string;
  readonly clientId?: string;
  readonly openBrowser?: (url: URL) => Promise<void>;
}

const authFor = ({ openBrowser = browse, ...change }: Change = {}): ServerAuth =>
  createServerAuth({
    server: { name: 'guarded', url: server.url, ...change },
    secrets: vault(),
    runtime: runtime(),
    fetch,
    openBrowser,
  });

const listTools = async (auth: ServerAuth): Promise<readonly string[]> => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(server.url), {
    authProvider: auth.provider,
  });
  try {
    await client.connect(transport);
    return (await client.listTools()).tools.map(({ name }) => name);
  } finally {
    await client.close();
  }
};

const record = (): { tokens: { access: string; refresh: string } } =>
  JSON.parse(kept.get('mcp.oauth:guarded') ?? '{}');

describe('a login to a remote server', { timeout: 30_000 }, () => {
  it('logs in with PKCE, state and resource, and the tools can be listed', async () => {
    const auth = authFor();
    expect(await auth.state()).toEqual({ state: 'signed_out' });
    expect(await auth.login()).toMatchObject({ state: 'signed_in', expiresAt: clock + 3_600_000 });
    expect(opened[0]?.searchParams.get('resource')).toBe(server.url);
    expect(opened[0]?.searchParams.get('code_challenge_method')).toBe('S256');
    expect(opened[0]?.searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
    expect(await listTools(auth)).toEqual(['whoami']);
  });

  it('what is kept serves the next process, and the second login registers nothing', async () => {
    await authFor().login();
    expect(await listTools(authFor())).toEqual(['whoami']);
    await authFor().login();
    expect(server.registered.size).toBe(1);
  });

  it('a registration without a type is taken for a web page: it registers as native', async () => {
    await authFor().login();
    expect(server.applicationTypes).toEqual(['native']);
  });

  it('takes a configured client id and registers nothing', async () => {
    let redirect = '';
    const auth = authFor({
      clientId: 'by-hand',
      openBrowser: async (url) => {
        redirect = url.searchParams.get('redirect_uri') ?? '';
        server.registered.set('by-hand', [redirect]);
        await browse(url);
      },
    });
    expect(await auth.login()).toMatchObject({ state: 'signed_in' });
    expect([...server.registered.keys()]).toEqual(['by-hand']);
  });

  it('renews ahead of expiry, and the rotated refresh token is the one kept', async () => {
    const auth = authFor();
    await auth.login();
    const before = record().tokens;
    clock += 3_600_000 - 59_000;
    const token = await auth.provider.token();
    expect(token).not.toBe(before.access);
    expect(record().tokens.access).toBe(token);
    expect(record().tokens.refresh).not.toBe(before.refresh);
    expect(server.requests).toEqual(['authorization_code', 'refresh_token']);
  });

  it('many requests at once renew once', async () => {
    const auth = authFor();
    await auth.login();
    clock += 3_600_000;
    const tokens = await Promise.all(Array.from({ length: 8 }, () => auth.provider.token()));
    expect(new Set(tokens).size).toBe(1);
    expect(server.requests).toEqual(['authorization_code', 'refresh_token']);
  });

  it('does not spend a refresh token that another process has spent', async () => {
    const [one, two] = [authFor(), authFor()];
    await one.login();
    await two.provider.token();
    clock += 3_600_000;
    const token = await one.provider.token();
    expect(await two.provider.token()).toBe(token);
    expect(server.requests).toEqual(['authorization_code', 'refresh_token']);
  });

  it('renews when the server forgot the token', async () => {
    const auth = authFor();
    await auth.login();
    clock += 60_000;
    server.dropTokens();
    expect(await listTools(auth)).toEqual(['whoami']);
  });

  it('logs out: forgotten here and revoked there', async () => {
    const auth = authFor();
    await auth.login();
    const { refresh } = record().tokens;
    expect(await auth.logout()).toBe(true);
    expect(kept.size).toBe(0);
    expect(server.revoked).toEqual([refresh]);
    expect(await auth.logout()).toBe(false);
    expect(await auth.provider.token()).toBeUndefined();
  });

  it('a login server that is down for a moment costs nothing while the token lasts', async () => {
    const auth = authFor();
    await auth.login();
    const { access } = record().tokens;
    server.faults.brokenRefresh = true;
    clock += 3_600_000 - 30_000;
    expect(await auth.provider.token()).toBe(access);
    clock += 60_000;
    await expect(auth.provider.token()).rejects.toMatchObject({ code: 'NETWORK' });
    expect(await auth.state()).toMatchObject({ state: 'signed_in' });
    server.faults.brokenRefresh = false;
    expect(await auth.provider.token()).not.toBe(access);
  });

  it('says loudly that a refresh was refused, and a new login mends it', async () => {
    const auth = authFor();
    await auth.login();
    server.faults.refuseRefresh = true;
    clock += 3_600_000;
    await expect(auth.provider.token()).rejects.toMatchObject({
      code: 'AUTH_MISSING',
      message: expect.stringContaining('invalid_grant'),
      extras: { suggestions: ['Log in: toolcrib servers login guarded'] },
    });
    expect(errors).toEqual([expect.stringContaining('Log in to guarded again')]);
    expect(await authFor().state()).toMatchObject({ state: 'needs_login' });
    await expect(auth.provider.token()).rejects.toMatchObject({ code: 'AUTH_MISSING' });
    expect(server.requests.filter((kind) => kind === 'refresh_token')).toHaveLength(1);
    server.faults.refuseRefresh = false;
    await authFor().login();
    expect(await listTools(auth)).toEqual(['whoami']);
  });

  it('a server that wants a login nobody made: needs_login, and no browser opens', async () => {
    const auth = authFor();
    await expect(listTools(auth)).rejects.toThrow(/needs a login/);
    expect(await auth.state()).toMatchObject({ state: 'needs_login' });
    expect(opened).toEqual([]);
    await authFor().login();
    expect(await listTools(auth)).toEqual(['whoami']);
  });
});

/** The login does not get to the token endpoint, and nothing is kept. */
const expectRefused = async (
  auth: ServerAuth,
  failure: { readonly code: string; readonly message?: string },
): Promise<void> => {
  const waitMs = failure.code === 'TIMEOUT' ? 500 : 20_000;
  await expect(auth.login({ waitMs })).rejects.toMatchObject(failure);
  expect(kept.size).toBe(0);
  expect(server.requests).toEqual([]);
};

describe('threats to a login', { timeout: 30_000 }, () => {
  it('threat: an answer with another state is not taken', async () => {
    server.faults.callback = (query) => query.set('state', 'a'.repeat(43));
    await expectRefused(authFor(), { code: 'TIMEOUT' });
  });

  it('threat: a forged answer does not end the wait for the true one', async () => {
    const auth = authFor({
      openBrowser: async (url) => {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        for (const query of ['?code=x', '?code=x&state=', '?error=access_denied&state=no']) {
          expect((await fetch(`${back.href}${query}`)).status).toBe(400);
        }
        await browse(url);
      },
    });
    expect(await auth.login()).toMatchObject({ state: 'signed_in' });
  });

  it('threat: a page that reaches the listener by another host name is refused', async () => {
    const auth = authFor({
      openBrowser: async (url) => {
        const back = new URL(url.searchParams.get('redirect_uri') ?? '');
        back.hostname = 'localhost';
        back.searchParams.set('code', 'x');
        back.searchParams.set('state', url.searchParams.get('state') ?? '');
        expect((await fetch(back)).status).toBe(400);
      },
    });
    await expectRefused(auth, { code: 'TIMEOUT' });
  });

  it('threat: another redirect address is refused by the login server', async () => {
    const auth = authFor({
      openBrowser: async (url) => {
        url.searchParams.set('redirect_uri', 'http://127.0.0.1:1/callback');
        expect((await fetch(url)).status).toBe(400);
      },
    });
    await expectRefused(auth, { code: 'TIMEOUT' });
  });

  it('threat: the answer of another login server (mix-up) is not redeemed', async () => {
    server.faults.callback = (query) => query.set('iss', 'https://evil.example');
    await expectRefused(authFor(), { code: 'SECURITY_VIOLATION' });
  });

  it('threat: metadata that asks for a token of another resource', async () => {
    server.faults.resourceMetadata = (plain) => ({
      ...plain,
      resource: 'https://bank.example/api',
    });
    await expectRefused(authFor(), { code: 'SECURITY_VIOLATION' });
    expect(opened).toEqual([]);
  });

  it('threat: authorization server metadata that speaks for another origin', async () => {
    server.faults.serverMetadata = (plain) => ({ ...plain, issuer: 'https://login.example' });
    await expectRefused(authFor(), { code: 'SECURITY_VIOLATION' });
    expect(opened).toEqual([]);
  });

  it('threat: a challenge that names metadata on another host', async () => {
    server.faults.challengeMetadataUrl = 'https://evil.example/metadata';
    await expectRefused(authFor(), { code: 'SECURITY_VIOLATION' });
  });

  it.each([
    ['authorization_endpoint', 'file:///etc/passwd'],
    ['authorization_endpoint', 'http://login.example/authorize'],
    ['authorization_endpoint', 'https://user@login.example/'],
    ['token_endpoint', 'http://login.example/token'],
    ['registration_endpoint', 'http://login.example/register'],
  ])('threat: %s %s never reaches a browser or a socket', async (endpoint, address) => {
    server.faults.serverMetadata = (plain) => ({ ...plain, [endpoint]: address });
    await expect(authFor().login({ waitMs: 500 })).rejects.toThrow();
    expect(opened).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it('threat: a token for another audience is refused once, not asked for for ever', async () => {
    server.faults.audience = 'https://other.example/mcp';
    const auth = authFor();
    await auth.login();
    await expect(listTools(auth)).rejects.toThrow(/needs a login/);
    expect(await auth.state()).toMatchObject({ state: 'needs_login' });
    expect(server.requests).toEqual(['authorization_code']);
  });

  it('threat: a token is not sent to a server whose address was changed', async () => {
    await authFor().login();
    const moved = authFor({ url: 'http://127.0.0.1:9/mcp' });
    expect(await moved.provider.token()).toBeUndefined();
    expect(await moved.state()).toEqual({ state: 'signed_out' });
  });

  it('threat: a token is not asked for over a connection that anybody can read', async () => {
    const auth = authFor({ url: 'http://tools.example/mcp' });
    await expectRefused(auth, { code: 'SECURITY_VIOLATION' });
  });

  it.each([['http://169.254.169.254/'], ['http://login.example/']])(
    'threat: a server that names %s as its login server is not followed',
    async (address) => {
      server.faults.resourceMetadata = (plain) => ({ ...plain, authorization_servers: [address] });
      await expectRefused(authFor(), { code: 'SECURITY_VIOLATION' });
    },
  );

  it('threat: a server elsewhere must not have us ask around on this machine', async () => {
    const asked: string[] = [];
    const elsewhere = createServerAuth({
      server: { name: 'guarded', url: 'https://tools.example/mcp' },
      secrets: vault(),
      runtime: runtime(),
      fetch: async (url) => {
        asked.push(String(url));
        const metadata = {
          resource: 'https://tools.example/mcp',
          authorization_servers: [server.origin],
        };
        return String(url).includes('well-known')
          ? Response.json(metadata)
          : new Response(null, { status: 401 });
      },
      openBrowser: browse,
    });
    await expectRefused(elsewhere, { code: 'SECURITY_VIOLATION' });
    expect(asked.filter((url) => url.startsWith(server.origin))).toEqual([]);
  });

  it('a person who refuses ends the login', async () => {
    server.faults.callback = (query) => {
      query.delete('code');
      query.set('error', 'access_denied');
    };
    await expectRefused(authFor(), { code: 'AUTH_MISSING', message: 'The login was refused.' });
  });

  it('a person who gives up ends the login', async () => {
    const given = new AbortController();
    const auth = authFor({ openBrowser: async () => given.abort() });
    await expect(auth.login({ signal: given.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('a person who gives up need not wait for a server that never answers', async () => {
    const given = new AbortController();
    const silent = createServerAuth({
      server: { name: 'guarded', url: server.url },
      secrets: vault(),
      runtime: runtime(),
      fetch: (_url, init) =>
        new Promise((_, reject) => {
          init?.signal?.addEventListener('abort', () => reject(new TypeError('fetch failed')));
          given.abort();
        }),
      openBrowser: browse,
    });
    await expect(silent.login({ signal: given.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });
});
