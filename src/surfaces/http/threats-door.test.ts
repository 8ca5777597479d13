/** What every answer carries, what the console's files give away, and what an error does not tell. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';

let http: TestHttp | undefined;
let folder: string | undefined;
afterEach(async () => {
  await http?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
  http = undefined;
  folder = undefined;
});

describe('every answer of the HTTP surface', () => {
  it('keeps browsers from doing more with it than they must', async () => {
    http = await openHttp([aTool()]);
    const { ask, tokens } = http;
    const answers = [
      await ask('/healthz'),
      await ask('/nothing'),
      await ask('/v1/tools'),
      await ask('/v1/tools', { token: tokens.viewer }),
      await ask('/v1/tools', { headers: { host: 'evil.example' } }),
      await ask('/docs'),
    ];
    for (const { headers } of answers) {
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('content-security-policy')).not.toContain('unsafe');
      expect(headers.get('cache-control')).toMatch(/no-store|no-cache/);
      expect(headers.get('access-control-allow-origin')).toBeNull();
      expect(headers.get('x-request-id')).toMatch(/^[\w-]{16}$/);
    }
    expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(6);
    const page = answers.at(-1)?.headers;
    expect(page?.get('x-frame-options')).toBe('DENY');
    expect(page?.get('referrer-policy')).toBe('no-referrer');
    expect(page?.get('cross-origin-opener-policy')).toBe('same-origin');
  });

  it('says the same for whatever does not exist', async () => {
    http = await openHttp([aTool()]);
    const { ask, tokens } = http;
    const missing = await ask('/v1/secret-name', { token: tokens.admin });
    expect(missing.status).toBe(404);
    expect(missing.text).not.toContain('secret-name');
    expect((await ask('/v1/secret-name')).text).toBe(missing.text);
    expect((await ask('/v1/tools', { method: 'DELETE' })).text).toBe(missing.text);
  });

  it('keeps the cause of a failure in the log', async () => {
    http = await openHttp([aTool()], {
      policy: async () => {
        throw new Error('/etc/toolcrib/policy.yml: hunter2');
      },
    });
    const answer = await http.ask('/v1/policy', { token: http.tokens.viewer });
    expect([answer.status, answer.json.error.code]).toEqual([500, 'INTERNAL']);
    expect(answer.text).not.toMatch(/hunter2|policy\.yml|at /);
    const { logged } = http.crib.runtime;
    const told = logged.find(({ level }) => level === 'error');
    expect(JSON.stringify(told)).toContain(answer.headers.get('x-request-id'));
  });
});

describe('origins of pages', () => {
  it('that are configured may call, without cookies; no other', async () => {
    const origin = 'https://ops.example.com';
    http = await openHttp([aTool()], { origins: [origin], hosts: ['tools.example.com'] });
    const { ask, tokens } = http;
    const preflight = { origin, 'access-control-request-method': 'POST' };
    const asked = await ask('/v1/process', { method: 'OPTIONS', headers: preflight });
    expect(asked.status).toBe(204);
    expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
    expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
    const got = await ask('/v1/tools', { token: tokens.viewer, headers: { origin } });
    expect(got.headers.get('access-control-allow-origin')).toBe(origin);
    const near = { origin: 'https://ops.example.com.evil.example' };
    expect((await ask('/v1/tools', { token: tokens.viewer, headers: near })).status).toBe(403);
    const named = { host: 'tools.example.com' };
    expect((await ask('/healthz', { headers: named })).status).toBe(200);
  });

  it('that are invalid are refused when the surface is created', async () => {
    await expect(openHttp([], { origins: ['ops.example.com'] })).rejects.toThrow(TypeError);
  });
});

describe("the console's files", () => {
  const open = async (): Promise<TestHttp> => {
    folder = await mkdtemp(join(tmpdir(), 'toolcrib-console-'));
    const services = join(folder, 'site');
    await mkdir(join(services, 'assets'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'secret');
    await writeFile(join(services, 'index.html'), '<!doctype html>page');
    await writeFile(join(services, 'assets', 'a-1.js'), 'code');
    await writeFile(join(services, 'key.pem'), 'secret');
    await symlink(join(folder, 'secret.txt'), join(services, 'link.txt'));
    http = await openHttp([aTool()], { consoleFolder: services });
    return http;
  };
  const page = { headers: { accept: 'text/html' } };

  it('are served with a strict policy, cached by their name', async () => {
    const { ask } = await open();
    const root = await ask('/', page);
    expect(root.text).toContain('page');
    expect(root.headers.get('content-security-policy')).toContain("script-src 'self'");
    expect(root.headers.get('content-security-policy')).not.toContain('unsafe');
    const code = await ask('/assets/a-1.js');
    expect(code.headers.get('content-type')).toContain('text/javascript');
    expect(code.headers.get('cache-control')).toContain('immutable');
    const headers = { 'if-none-match': code.headers.get('etag') ?? '' };
    expect((await ask('/assets/a-1.js', { headers })).status).toBe(304);
    expect((await ask('/activity/e1', page)).text).toContain('page');
  });

  it.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/link.txt',
    '/key.pem',
    '/assets',
    '/assets/a-1.js%00',
    '//secret.txt',
  ])('give nothing for %s', async (path) => {
    const { ask } = await open();
    const answer = await ask(path);
    expect(answer.status).toBe(404);
    expect(answer.text).not.toMatch(/^secret/);
  });

  it('never answer for the API', async () => {
    const { ask } = await open();
    for (const path of ['/v1/nothing', '/v1', '/approve/', '/.well-known/x']) {
      expect((await ask(path, page)).status, path).toBe(404);
    }
    expect((await ask('/', { method: 'POST' })).status).toBe(404);
  });
});
