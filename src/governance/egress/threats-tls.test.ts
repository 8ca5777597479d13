/** Certificates are checked for the name that was asked for, although an address is connected to. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inCi } from '../../../test/fixtures/in-ci.ts';
import {
  codeOf,
  type Guarded,
  type GuardSettings,
  guarded,
  type LocalSite,
  openSite,
  serve,
} from '../../../test/fixtures/local-site.ts';

const makeCertificate = (): { key: string; cert: string } | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'egress-tls-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=shop.example -addext subjectAltName=DNS:shop.example';
  try {
    const args = [...words.split(' '), '-keyout', keyFile, '-out', certFile];
    if (spawnSync('openssl', args).status !== 0) return undefined;
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const certificate = makeCertificate();
if (certificate === undefined) {
  if (inCi()) throw new Error('openssl is needed for the TLS tests');
  process.stderr.write(
    'Skipped: openssl cannot make a certificate (Debian: apt-get install openssl).\n',
  );
}

describe.runIf(certificate)('TLS', () => {
  let site: LocalSite;
  let canary: LocalSite;
  let open: Guarded[];
  let named: unknown[];

  beforeEach(async () => {
    named = [];
    open = [];
    canary = await openSite();
    const server = createServer(certificate ?? {}, (request, response) => {
      named.push([(request.socket as TLSSocket).servername, request.headers.host]);
      if (request.url === '/down') {
        response.writeHead(302, { location: `http://shop.example:${canary.port}/` });
      }
      response.end('hello');
    });
    site = await serve(server.on('tlsClientError', () => undefined));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const { egress } of open) await egress.close();
    await site.close();
    await canary.close();
  });

  const guard = (settings: GuardSettings): Guarded => {
    const made = guarded({
      allowPrivate: ['127.0.0.1'],
      zone: { '*': ['127.0.0.1'] },
      ...settings,
    });
    open.push(made);
    return made;
  };
  const trusting = (): Guarded => guard(certificate ? { ca: certificate.cert } : {});
  const at = (host: string, path = '/'): string => `https://${host}:${site.port}${path}`;

  it('the name is sent and verified, with and without a trailing dot', async () => {
    for (const host of ['shop.example', 'shop.example.', 'SHOP.example']) {
      expect(await (await trusting().get(at(host))).text()).toBe('hello');
      expect(named.pop()).toEqual(['shop.example', `shop.example:${site.port}`]);
    }
  });

  it('a certificate for another name is refused', async () => {
    for (const host of ['other.example', '127.0.0.1', 'a.shop.example']) {
      await expect(trusting().get(at(host))).rejects.toMatchObject({
        code: 'NETWORK',
        message: 'The certificate of the remote host was not accepted.',
        extras: { retryable: false },
      });
    }
    expect(named).toEqual([]);
  });

  it('a self-signed certificate is refused, whatever the environment says', async () => {
    expect(await codeOf(guard({}).get(at('shop.example')))).toBe('NETWORK');
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    expect(await codeOf(guard({}).get(at('shop.example')))).toBe('NETWORK');
    expect(named).toEqual([]);
  });

  it('a redirect from https to http is refused', async () => {
    expect(await codeOf(trusting().get(at('shop.example', '/down')))).toBe('SECURITY_VIOLATION');
    expect(canary.sockets()).toBe(0);
  });
});
