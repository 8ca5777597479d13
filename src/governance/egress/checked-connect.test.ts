/** Connections for programs: to checked addresses of declared hosts, on the ports of the web or declared ones. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CheckedConnectSettings, createCheckedConnect } from './checked-connect.ts';

let server: Server;
let port = 0;
let calls = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    calls += 1;
    socket.end('hello');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => server.close());

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'local.test': ['127.0.0.1'],
  'private.test': ['10.0.0.1'],
  'mixed.test': ['127.0.0.1', '10.0.0.1'],
  'meta.test': ['169.254.169.254'],
};
const open = (hosts: readonly string[], more: CheckedConnectSettings = {}) =>
  createCheckedConnect({
    allowPrivate: ['127.0.0.1'],
    lookup: async (host) => NAMES[host] ?? [],
    ...more,
  })(hosts);
const never = new AbortController().signal;
const codeOf = (run: Promise<unknown>) =>
  run.then(
    () => 'connected',
    (error: { code?: unknown }) => error.code,
  );

describe('checked connections', { timeout: 30_000 }, () => {
  it.each(['local.test', 'LOCAL.test.', '127.0.0.1'])(
    'reach %s when it is declared',
    async (host) => {
      const socket = await open([`local.test:${port}`, `127.0.0.1:${port}`])({ host, port }, never);
      expect(String((await once(socket, 'data'))[0])).toBe('hello');
      socket.destroy();
    },
  );

  it.each([
    ['another host', 'other.test', 443, 'PERMISSION_DENIED'],
    ['a host below', 'x.local.test', 443, 'PERMISSION_DENIED'],
    ['the same address by number', '127.0.0.1', 443, 'PERMISSION_DENIED'],
    ['no host', '', 443, 'VALIDATION_ERROR'],
    ['a host with a path', 'local.test/x', 443, 'VALIDATION_ERROR'],
    ['a user before the host', 'local.test@other.test', 443, 'VALIDATION_ERROR'],
    ['NUL in the host', 'local.test\0.other.test', 443, 'VALIDATION_ERROR'],
    ['a port of mail', 'local.test', 25, 'PERMISSION_DENIED'],
    ['a port that was not declared', 'local.test', 5432, 'PERMISSION_DENIED'],
  ])('threat: %s is refused', async (_, host, wanted, code) => {
    const before = calls;
    expect(await codeOf(open(['local.test'])({ host, port: wanted }, never))).toBe(code);
    expect(calls).toBe(before);
  });

  it.each([
    ['private.test', 'PERMISSION_DENIED'],
    ['mixed.test', 'SECURITY_VIOLATION'],
    ['meta.test', 'SECURITY_VIOLATION'],
    ['169.254.169.254', 'SECURITY_VIOLATION'],
    ['metadata.google.internal', 'SECURITY_VIOLATION'],
    ['::1', 'PERMISSION_DENIED'],
    ['nowhere.test', 'NETWORK'],
  ])('threat: a star does not lead to %s', async (host, code) => {
    expect(await codeOf(open(['*'])({ host, port: 443 }, never))).toBe(code);
  });

  it('a star with a port matches that port too', async () => {
    expect(await codeOf(open([`*:${port}`])({ host: 'local.test', port }, never))).toBe(
      'connected',
    );
    expect(await codeOf(open(['*'])({ host: 'local.test', port }, never))).toBe(
      'PERMISSION_DENIED',
    );
  });

  it('fail when the port is closed, when the signal has fired and when it takes too long', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const free = (closed.address() as AddressInfo).port;
    closed.close();
    await once(closed, 'close');
    const to = { host: 'local.test', port: free };
    expect(await codeOf(open([`local.test:${free}`])(to, never))).toBe('NETWORK');
    const there = { host: 'local.test', port };
    const gone = open([`local.test:${port}`])(there, AbortSignal.abort());
    expect(await codeOf(gone)).toBe('NETWORK');
    const slow = open(['slow.test'], { lookup: () => new Promise(() => undefined), timeoutMs: 20 });
    expect(await codeOf(slow({ host: 'slow.test', port: 443 }, never))).toBe('TIMEOUT');
  });

  it('stop the start when the configuration cannot be read', () => {
    expect(() => createCheckedConnect({ allowPrivate: ['*'] })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
    expect(createCheckedConnect()).toBeTypeOf('function');
  });
});
