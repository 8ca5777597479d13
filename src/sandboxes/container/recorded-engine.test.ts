/** What the driver asks of an engine, read by a server that speaks the engine's API on a socket. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import type { SandboxConfig } from '../../contract/sandbox.ts';
import { createRuntime } from '../../create-runtime.ts';
import { createContainerSandbox } from './create-container-sandbox.ts';
import { findEngine } from './find-engine.ts';

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

/** Answers by "METHOD path", the id of containers left out. */
interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** Never answered, like a wait for a container that runs on. */
  readonly hangs?: boolean;
}

const ID = 'c0ffee';
const ENDED = { State: { OOMKilled: false } };

let folder = '';
let server: Server;
let asked: Asked[] = [];
let answers: Record<string, Answer> = {};
let says: Buffer = Buffer.alloc(0);
let lines: Duplex[] = [];

/** One piece of output as the engine frames it. */
const frame = (stream: 1 | 2, text: string): Buffer => {
  const head = Buffer.alloc(8);
  head.writeUInt8(stream, 0);
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
};

const keyOf = (method: string, url: string): string =>
  `${method} ${url.split('?')[0]?.replace(ID, ':id')}`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-engine-'));
  asked = [];
  lines = [];
  says = frame(1, 'out\n');
  answers = {
    'GET /containers/json': { status: 200, body: [] },
    'GET /info': { status: 200, body: { Runtimes: { runc: {} } } },
    'GET /images/the-image/json': { status: 200, body: {} },
    'POST /containers/create': { status: 201, body: { Id: ID } },
    'POST /containers/:id/start': { status: 204 },
    'POST /containers/:id/wait': { status: 200, body: { StatusCode: 3 } },
    'GET /containers/:id/json': { status: 200, body: ENDED },
    'POST /containers/:id/kill': { status: 204 },
    'DELETE /containers/:id': { status: 204 },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { method = '', url = '' } = request;
    asked.push({ method, path: url, body: text === '' ? undefined : JSON.parse(text) });
    const { status, body, hangs } = answers[keyOf(method, url)] ?? { status: 500 };
    if (hangs) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(body === undefined ? '' : JSON.stringify(body));
  };
  server = createServer((request, response) => void answer(request, response));
  server.on('upgrade', (request, socket) => {
    lines.push(socket);
    asked.push({ method: 'UPGRADE', path: request.url ?? '', body: undefined });
    socket.write('HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n');
    const hangs = answers['POST /containers/:id/wait']?.hangs;
    if (hangs) socket.write(says);
    else socket.end(says);
  });
  await new Promise<void>((done) => server.listen(join(folder, 'engine.sock'), done));
});
afterEach(async () => {
  for (const line of lines) line.destroy();
  server.closeAllConnections();
  await new Promise<void>((done) => server.close(() => done()));
  rmSync(folder, { recursive: true });
});

const sandboxOf = (type: 'container' | 'vm' = 'container') =>
  createContainerSandbox({
    type,
    engine: { socketPath: join(folder, 'engine.sock') },
    image: 'the-image',
    identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    runtime: createRuntime(),
    masks: {
      isSecret: ({ below }) => below.at(-1) === '.env' || below.at(-1) === '.ssh',
      isProtected: (below) => below.at(-1) === '.git',
    },
  });

const run = (config: Partial<SandboxConfig> = {}, sandbox = sandboxOf()) =>
  sandbox.run({
    task: { kind: 'command', argv: ['echo', 'a b'] },
    config: { type: sandbox.type, ...config },
    signal: new AbortController().signal,
  });

const failureOf = (work: Promise<unknown>): Promise<ToolFailure> =>
  work.then(
    () => Promise.reject(new Error('it ran')),
    (error: unknown) =>
      error instanceof ToolFailure ? error : Promise.reject(new Error(String(error))),
  );

const ordered = () => {
  const { body } = asked.find(({ path }) => path.startsWith('/containers/create')) ?? {};
  return body as { readonly HostConfig: Record<string, unknown> } & Record<string, unknown>;
};
const keys = () => asked.map(({ method, path }) => keyOf(method, path));

describe('the order', () => {
  it('has every wall, whatever else is asked', async () => {
    const limits = { memoryMb: 100, cpus: 1.5, processes: 7 };
    await run({ resourceLimits: limits, environmentVariables: { GIVEN: 'a=b' } });
    expect(ordered()).toMatchObject({
      Image: 'the-image',
      Cmd: ['echo', 'a b'],
      WorkingDir: '/tmp',
      NetworkDisabled: true,
      Tty: false,
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Privileged: false,
        Memory: 104_857_600,
        MemorySwap: 104_857_600,
        NanoCpus: 1_500_000_000,
        PidsLimit: 7,
        IpcMode: 'private',
        Binds: [],
        Tmpfs: { '/tmp': expect.stringContaining('size=26214400') },
      },
    });
    expect(ordered().User).not.toMatch(/^0|root/);
    expect(ordered().Env).toContain('GIVEN=a=b');
    expect(JSON.stringify(ordered().Env)).not.toContain('VITEST');
  });

  it('binds what is granted and covers what is secret or protected', async () => {
    chmodSync(folder, 0o755);
    const work = join(folder, 'work');
    for (const name of ['.ssh', '.git']) mkdirSync(join(work, name), { recursive: true });
    writeFileSync(join(work, '.env'), 'x');
    if (process.getuid?.() === 0) chownSync(work, 1234, 1235);
    await run({ fileSystemAccess: { write: [work] } });
    const { Binds, Tmpfs } = ordered().HostConfig;
    expect(Binds).toEqual(
      expect.arrayContaining([
        `${work}:${work}:rw`,
        `/dev/null:${work}/.env:ro`,
        `${work}/.git:${work}/.git:ro`,
      ]),
    );
    expect(Tmpfs).toMatchObject({ [`${work}/.ssh`]: expect.stringMatching(/^ro/) });
    expect(ordered().WorkingDir).toBe(work);
  });

  it.skipIf(process.getuid?.() !== 0)('threat: no container runs as root for a path', async () => {
    expect((await failureOf(run({ fileSystemAccess: { write: [folder] } }))).code).toBe(
      'SANDBOX_ERROR',
    );
    expect(ordered()).toBeUndefined();
  });

  it('a network by name, another isolation and a path with a colon are refused', async () => {
    expect((await failureOf(run({ networkAccess: ['a.example'] }))).code).toBe('SANDBOX_ERROR');
    expect((await failureOf(run({ type: 'vm' }))).code).toBe('SANDBOX_ERROR');
    const odd = join(folder, 'a:b');
    mkdirSync(odd);
    const access = { fileSystemAccess: { read: [odd] } };
    expect((await failureOf(run(access))).message).toContain('colon');
    expect(ordered()).toBeUndefined();
  });
});

describe('the life of a container', () => {
  it('is attached before it starts, waited for and removed', async () => {
    const sandbox = sandboxOf();
    says = Buffer.concat([frame(1, 'out\n'), frame(2, 'err\n')]);
    expect(await run({}, sandbox)).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' });
    await sandbox.close();
    expect(keys()).toEqual([
      'GET /containers/json',
      'POST /containers/create',
      'UPGRADE /containers/:id/attach',
      'POST /containers/:id/start',
      'POST /containers/:id/wait',
      'GET /containers/:id/json',
      'DELETE /containers/:id',
    ]);
  });

  it.each([
    ['time', 'TIMEOUT', { timeLimit: 50 }],
    ['output', 'OUTPUT_TOO_LARGE', { resourceLimits: { outputBytes: 2 } }],
  ] as const)('is killed and removed when the %s is over', async (_, code, config) => {
    answers['POST /containers/:id/wait'] = { status: 200, hangs: true };
    const sandbox = sandboxOf();
    expect((await failureOf(run(config, sandbox))).code).toBe(code);
    await sandbox.close();
    expect(keys()).toContain('POST /containers/:id/kill');
    expect(keys()).toContain('DELETE /containers/:id');
  });

  it('says that memory was the reason', async () => {
    answers['GET /containers/:id/json'] = { status: 200, body: { State: { OOMKilled: true } } };
    expect(await failureOf(run())).toMatchObject({ code: 'SANDBOX_ERROR', message: /memory/ });
  });

  it('containers whose parent was killed are removed by the next one, and only those', async () => {
    const of = (at: number) => ({ 'toolcrib.sandbox.ends-at': String(at) });
    const body = [
      { Id: 'old', Labels: of(1) },
      { Id: 'live', Labels: of(Date.now() + 1e6) },
      { Id: 'odd', Labels: { 'toolcrib.sandbox.ends-at': 'x' } },
    ];
    answers['GET /containers/json'] = { status: 200, body };
    await run();
    expect(keys().filter((key) => /DELETE .*(old|live|odd)/.test(key))).toEqual([
      'DELETE /containers/old',
    ]);
  });

  it.each([
    ['create', { status: 404 }, 'SANDBOX_ERROR'],
    ['create', { status: 500, body: { message: 'unknown runtime' } }, 'SANDBOX_ERROR'],
    [
      ':id/start',
      { status: 400, body: { message: 'executable file not found' } },
      'DEPENDENCY_MISSING',
    ],
    [':id/start', { status: 500, body: { message: '/secret/path' } }, 'SANDBOX_ERROR'],
  ])('an engine that refuses to %s is a coded failure: %o', async (step, answer, code) => {
    answers[`POST /containers/${step}`] = answer;
    const failure = await failureOf(run());
    expect(failure.code).toBe(code);
    expect(failure.message).not.toContain('secret');
  });
});

describe('readiness', () => {
  it('is there with engine and image', async () => {
    expect(await sandboxOf().readiness()).toEqual({ ready: true });
  });

  it('tells to pull the image', async () => {
    answers['GET /images/the-image/json'] = { status: 404 };
    expect(await sandboxOf().readiness()).toMatchObject({ ready: false, install: /pull/ });
  });

  it('vm: tells what to install, and runs nothing in less', async () => {
    expect(await sandboxOf('vm').readiness()).toMatchObject({ ready: false, install: /Kata/ });
    expect((await failureOf(run({}, sandboxOf('vm')))).code).toBe('SANDBOX_ERROR');
    expect(ordered()).toBeUndefined();
  });

  it.each(['kata', 'runsc'])('vm: runs with the runtime %s', async (name) => {
    answers['GET /info'] = { status: 200, body: { Runtimes: { runc: {}, [name]: {} } } };
    expect(await sandboxOf('vm').readiness()).toEqual({ ready: true });
    await run({}, sandboxOf('vm'));
    expect(ordered().HostConfig.Runtime).toBe(name);
  });

  it('tells that the library or the engine is missing', async () => {
    const options = {
      image: 'the-image',
      identity: { uid: 1, gid: 1 },
      runtime: createRuntime(),
      masks: { isSecret: () => false, isProtected: () => false },
    };
    const none = createContainerSandbox({ ...options, engine: undefined });
    expect(await none.readiness()).toMatchObject({ ready: false, install: /Docker or Podman/ });
    const engine = { socketPath: join(folder, 'engine.sock') };
    const load = () => Promise.reject(new Error('not found'));
    const bare = createContainerSandbox({ ...options, engine, load });
    expect((await failureOf(run({}, bare))).code).toBe('DEPENDENCY_MISSING');
    const silent = createContainerSandbox({ ...options, engine: { socketPath: '/no/socket' } });
    expect(await silent.readiness()).toMatchObject({ ready: false, install: /start/ });
  });
});

it.each([
  ['unix:///a.sock', undefined, ['/a.sock', '/var/run/docker.sock'], '/a.sock'],
  ['unix:///a.sock', undefined, ['/var/run/docker.sock'], undefined],
  ['tcp://10.0.0.1:2375', undefined, ['/var/run/docker.sock'], undefined],
  ['', undefined, ['/var/run/docker.sock'], '/var/run/docker.sock'],
  [undefined, '/run/user/1', ['/run/user/1/podman/podman.sock'], '/run/user/1/podman/podman.sock'],
  [undefined, undefined, ['/run/podman/podman.sock'], '/run/podman/podman.sock'],
  [undefined, undefined, [], undefined],
])(
  'DOCKER_HOST %s, runtime folder %s, sockets %j: %s',
  (dockerHost, runtimeFolder, there, found) => {
    const exists = (path: string) => (there as readonly string[]).includes(path);
    expect(findEngine({ dockerHost, runtimeFolder, exists })?.socketPath).toBe(found);
  },
);
