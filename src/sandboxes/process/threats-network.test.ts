/** What a program with network must not reach through the proxy, judged by who was called on the host. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { watchTemporaryFolders } from '../../../test/fixtures/temporary-folders.ts';
import type { SandboxConfig, SandboxOutcome } from '../../contract/sandbox.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createCheckedConnect } from '../../governance/egress/checked-connect.ts';
import { createProcessSandbox } from './create-process-sandbox.ts';

const missing = isMissing('bwrap');

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'allowed.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'private.test': ['10.0.0.5'],
  'mixed.test': ['127.0.0.1', '10.0.0.5'],
  'meta.test': ['169.254.169.254'],
};
const asked: string[] = [];
const connectTo = createCheckedConnect({
  allowPrivate: ['127.0.0.1'],
  lookup: async (host) => {
    asked.push(host);
    return NAMES[host] ?? [];
  },
});

const sandbox = createProcessSandbox({
  platform: process.platform,
  processor: process.arch,
  cores: 2,
  identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  node: process.execPath,
  runtime: createRuntime(),
  masks: { isSecret: () => false, isProtected: () => false },
  connectTo,
});

/** Every request that arrived anywhere: `host url` for the web, the bytes for the plain one. */
const arrived: string[] = [];
let web: Server;
let plain: TcpServer;
let tls: Server;
let keys = '';
const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;
const listening = async <T extends TcpServer | Server>(server: T): Promise<T> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

beforeAll(async () => {
  web = await listening(
    createServer((request, response) => {
      arrived.push(`${request.headers.host} ${request.url}`);
      let size = 0;
      request.on('data', (chunk: Buffer) => {
        size += chunk.length;
      });
      request.on('end', () => response.end(`hello ${size} ${request.headers['x-kept'] ?? ''}`));
    }),
  );
  plain = await listening(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => void arrived.push(String(bytes)));
      socket.write('220 mail\r\n');
    }),
  );
  keys = mkdtempSync(join(tmpdir(), 'toolcrib-tls-'));
  const [key, cert] = [join(keys, 'key'), join(keys, 'cert')];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', cert, '-subj', '/CN=allowed.test', '-days', '2'],
      ...['-addext', 'subjectAltName=DNS:allowed.test'],
    ],
    { stdio: 'ignore' },
  );
  tls = await listening(
    createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      arrived.push(`tls ${request.url}`);
      response.end('secret hello');
    }) as unknown as Server,
  );
}, 60_000);
afterAll(async () => {
  for (const server of [web, plain, tls]) server.close();
  rmSync(keys, { recursive: true });
  await sandbox.close();
});
beforeEach(() => {
  arrived.length = 0;
  asked.length = 0;
});

const run = (
  argv: readonly string[],
  config: Partial<SandboxConfig> = {},
  signal = new AbortController().signal,
): Promise<SandboxOutcome> =>
  sandbox.run({
    task: { kind: 'command', argv },
    config: { type: 'process', timeLimit: 60_000, ...config },
    signal,
  });

/** Not `once`, which rejects when a connection is reset instead of ended; either will do. */
const closing = (socket: Socket): Promise<void> =>
  new Promise((resolve) => socket.once('close', () => resolve()));

const allowed = () => [`allowed.test:${portOf(web)}`];
const node = (script: string, networkAccess: readonly string[], env = {}) =>
  run(['node', '-e', script], { networkAccess, environmentVariables: env });

/** Says each text to the proxy and prints how its answers start. */
const SPEAK = `
const say = (text) => new Promise((done) => {
  let answer = '';
  const socket = net.connect(3128, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')));
  socket.setTimeout(8000, () => socket.destroy());
  socket.on('data', (bytes) => { answer += bytes; socket.end(); });
  socket.on('error', () => {}).on('close', () => done(answer.split('\\r\\n')[0]));
});
(async () => {
  const out = [];
  for (const text of JSON.parse(process.env.SAY)) out.push(await say(text));
  console.log(JSON.stringify(out));
})();
`;
const speak = async (
  texts: readonly string[],
  networkAccess: readonly string[],
): Promise<readonly string[]> => {
  const { stdout } = await node(SPEAK, networkAccess, { SAY: JSON.stringify(texts) });
  return JSON.parse(stdout) as string[];
};

const connectLine = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
const getLine = (url: string, host = 'x') => `GET ${url} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

describe.skipIf(missing)('threat: egress through the sandbox proxy', { timeout: 60_000 }, () => {
  it('other hosts, addresses, spellings and ports are refused, and no connection is made', async () => {
    const port = portOf(web);
    const targets = [
      ...[`other.test:${port}`, `127.0.0.1:${port}`, `127.1:${port}`, `2130706433:${port}`],
      ...[`0x7f000001:${port}`, `[::ffff:127.0.0.1]:${port}`, `localhost:${port}`],
      ...[`evil-allowed.test:${port}`, `allowed.test.evil.test:${port}`, `x.allowed.test:${port}`],
      ...['169.254.169.254:80', 'metadata.google.internal:80', 'allowed.test:22'],
      ...[`allowed.test:${portOf(plain)}`, 'allowed.test:0', 'allowed.test:65536', 'allowed.test'],
      ...[`allowed.test@other.test:${port}`, `other.test@allowed.test:${port}`],
      ...[`allowed.test%00.other.test:${port}`, `allowed.test\0.other.test:${port}`],
      ...[`http://allowed.test:${port}`, `allowed.test:${port}/../`, `allowed.test:${port}#`],
    ];
    const urls = [
      ...[`http://other.test:${port}/`, `http://127.0.0.1:${port}/`, `http://2130706433:${port}/`],
      ...[`http://allowed.test:x@other.test:${port}/`, `http://@other.test:${port}/`],
      ...[`http://u:p@allowed.test:${port}/`, `http://@allowed.test:${port}/`],
      ...[`http://%6fther.test:${port}/`, `http://other.test\\@allowed.test:${port}/`],
      ...[`https://allowed.test:${port}/`, `ftp://allowed.test:${port}/`, '/', '*', 'http:///x'],
      ...[`http://allowed.test\0.other.test:${port}/`, 'http://169.254.169.254/latest/meta-data/'],
    ];
    const hostHeader = `allowed.test:${port}`;
    const answers = await speak(
      [...targets.map(connectLine), ...urls.map((url) => getLine(url, hostHeader))],
      allowed(),
    );
    expect(answers.length).toBe(targets.length + urls.length);
    for (const answer of answers) expect(answer).toMatch(/^$|^HTTP\/1\.1 (?:400|403|502)/);
    expect(arrived).toEqual([]);
    expect(asked).toEqual([]);
  });

  it('control: the same requests reach the declared host, by either form', async () => {
    const to = `allowed.test:${portOf(web)}`;
    const answers = await speak(
      [
        connectLine(to),
        getLine(`http://${to}/here?q=1`),
        connectLine(`ALLOWED.test.:${portOf(web)}`),
      ],
      allowed(),
    );
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200/);
    expect(arrived).toEqual([`${to} /here?q=1`]);
    expect(asked).toEqual(['allowed.test', 'allowed.test', 'allowed.test']);
  });

  it('a Host header that names somebody else is replaced by the host that was judged', async () => {
    const to = `allowed.test:${portOf(web)}`;
    await speak([getLine(`http://${to}/`, 'internal.other.test')], allowed());
    expect(arrived).toEqual([`${to} /`]);
  });

  it('names that resolve to private or metadata addresses are refused, also mixed ones', async () => {
    const hosts = ['private.test', 'meta.test', 'mixed.test', 'nowhere.test'];
    const answers = await speak(
      hosts.map((host) => connectLine(`${host}:443`)),
      ['*'],
    );
    expect(answers.map((line) => line.slice(9, 12))).toEqual(['403', '403', '403', '502']);
    expect(asked).toEqual(hosts);
  });

  it('a star matches hosts, not every port, and not local addresses', async () => {
    const lines = [
      `allowed.test:${portOf(plain)}`,
      '10.1.2.3:443',
      '[::1]:443',
      '169.254.169.254:80',
    ];
    for (const answer of await speak(lines.map(connectLine), ['*'])) {
      expect(answer).toMatch(/^HTTP\/1\.1 403/);
    }
    expect(arrived).toEqual([]);
  });

  it('there is no way around the proxy, with its variables or without', async () => {
    const script = `
const tries = [['127.0.0.1', ${portOf(web)}], ['192.0.2.1', 80], ['169.254.169.254', 80], ['::1', ${portOf(web)}]];
for (const name of Object.keys(process.env)) if (/proxy/i.test(name)) delete process.env[name];
Promise.all(tries.map(([host, port]) => new Promise((done) => {
  const socket = net.connect({ host, port, timeout: 4000 }, () => done('THROUGH'));
  socket.on('error', ({ code }) => done(code)).on('timeout', () => done('timeout'));
}))).then(async (out) => {
  const udp = require('dgram').createSocket('udp4');
  udp.send('x', 53, '192.0.2.1', (error) => { console.log([...out, error?.code ?? 'THROUGH'].join()); udp.close(); });
});`;
    const { stdout } = await node(script, allowed());
    expect(stdout).not.toContain('THROUGH');
    expect(stdout.split(',')).toHaveLength(5);
    expect(arrived).toEqual([]);
  });

  it('the result lists what was refused', async () => {
    const { stderr } = await node(SPEAK, allowed(), {
      SAY: JSON.stringify([connectLine('other.test:443')]),
    });
    expect(stderr).toMatch(/Connection to other\.test:443 refused: .*not among those/);
  });
});

describe.skipIf(missing)('the network of a sandbox', { timeout: 60_000 }, () => {
  it('carries TLS from end to end', async () => {
    const port = portOf(tls);
    const script = `
const tunnel = http.request({ agent: new http.Agent(), host: '127.0.0.1', port: 3128, method: 'CONNECT', path: 'allowed.test:${port}' });
tunnel.on('connect', (_answer, socket) => {
  https.get({ host: 'allowed.test', path: '/deep', ca: process.env.CA, createConnection: () =>
    tls.connect({ socket, servername: 'allowed.test', ca: process.env.CA }) }, (answer) => answer.pipe(process.stdout));
});
tunnel.end();`;
    const { stdout } = await node(script, [`allowed.test:${port}`], {
      CA: readFileSync(join(keys, 'cert'), 'utf8'),
    });
    expect(stdout).toBe('secret hello');
    expect(arrived).toEqual(['tls /deep']);
  });

  it('carries bodies, and headers but those of the hop', async () => {
    const to = `allowed.test:${portOf(web)}`;
    const script = `
const post = http.request({ agent: new http.Agent(), host: '127.0.0.1', port: 3128, method: 'POST', path: 'http://${to}/up',
  headers: { 'x-kept': 'kept', 'proxy-authorization': 'canary', connection: 'x-dropped' } },
  (answer) => answer.pipe(process.stdout));
for (let i = 0; i < 100; i += 1) post.write('x'.repeat(10000));
post.end();`;
    expect((await node(script, allowed())).stdout).toBe('hello 1000000 kept');
  });

  it('keeps streams, exit codes and signals of the program as they are', async () => {
    const outcome = await sandbox.run({
      task: { kind: 'command', argv: ['sh', '-c', 'cat; echo err >&2; exit 7'], stdin: 'told' },
      config: { type: 'process', networkAccess: allowed() },
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ exitCode: 7, stdout: 'told', stderr: 'err\n' });
    expect((await run(['sh', '-c', 'kill -9 $$'], { networkAccess: allowed() })).exitCode).toBe(
      137,
    );
    await expect(run(['no-such-program'], { networkAccess: allowed() })).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
    });
  });

  it('serves code, too, and leaves no socket, folder or connection behind', async () => {
    const noneIsLeft = watchTemporaryFolders('toolcrib-net-');
    const code = `import net from 'node:net';
export const run = () => new Promise((done) => {
  const socket = net.connect(3128, '127.0.0.1', () => socket.write(${JSON.stringify(connectLine('HOST'))}.replaceAll('HOST', 'allowed.test:${portOf(plain)}')));
  let text = '';
  socket.on('data', (bytes) => { text += bytes; if (text.includes('mail')) done(text); });
});`;
    const gone = once(plain, 'connection').then(([socket]) => closing(socket));
    const { value } = await sandbox.run({
      task: { kind: 'code', code, input: {} },
      config: { type: 'process', networkAccess: [`allowed.test:${portOf(plain)}`] },
      signal: new AbortController().signal,
    });
    expect(value).toContain('220 mail');
    await gone;
    await noneIsLeft();
  });

  it('ends with the run when it is cancelled', async () => {
    const stop = new AbortController();
    const to = `allowed.test:${portOf(plain)}`;
    const called = once(plain, 'connection');
    const running = run(
      ['node', '-e', SPEAK.replace('socket.end()', '')],
      {
        networkAccess: [to],
        environmentVariables: { SAY: JSON.stringify([connectLine(to)]) },
      },
      stop.signal,
    ).catch((error: unknown) => error);
    const [socket] = await called;
    const closed = closing(socket);
    stop.abort();
    expect(await running).toMatchObject({ code: 'CANCELLED' });
    await closed;
  });
});
