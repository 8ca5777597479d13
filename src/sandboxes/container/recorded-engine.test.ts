/** What the driver asks of an engine, read by a server that speaks the engine's API on a socket. */
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  frame,
  openRecordedEngine,
  type RecordedEngine,
} from '../../../test/fixtures/recorded-engine.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { SandboxConfig } from '../../contract/sandbox.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createContainerSandbox } from './create-container-sandbox.ts';
import { findEngine } from './find-engine.ts';

let recorded: RecordedEngine;
let folder = '';
let answers: Record<string, Answer> = {};

beforeEach(async () => {
  recorded = await openRecordedEngine();
  ({ folder, answers } = recorded);
});
afterEach(() => recorded.close());

/** A runtime whose patience is short. */
const hasty = (): Runtime => {
  const real = createRuntime();
  return { ...real, after: (ms, then) => real.after(Math.min(ms, 100), then) };
};

const sandboxOf = (
  type: 'container' | 'vm' = 'container',
  ociRuntime?: string,
  runtime = createRuntime(),
) =>
  createContainerSandbox({
    type,
    ociRuntime,
    findEngine: () => ({ socketPath: recorded.socketPath }),
    image: 'the-image',
    identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    runtime,
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
  const { body } = recorded.asked.find(({ path }) => path.startsWith('/containers/create')) ?? {};
  return body as { readonly HostConfig: Record<string, unknown> } & Record<string, unknown>;
};
const keys = () => recorded.keys();

describe('the request for a container', () => {
  it('has every restriction, whatever else is requested', async () => {
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

  it('is refused with a network, another isolation or a path with a colon', async () => {
    expect((await failureOf(run({ networkAccess: ['a.example'] }))).code).toBe('SANDBOX_ERROR');
    expect((await failureOf(run({ type: 'vm' }))).code).toBe('SANDBOX_ERROR');
    const odd = join(folder, 'a:b');
    mkdirSync(odd);
    const access = { fileSystemAccess: { read: [odd] } };
    expect((await failureOf(run(access))).message).toContain('colon');
    expect(ordered()).toBeUndefined();
  });
});

describe('a container', () => {
  it('is attached before it starts, waited for and removed', async () => {
    const sandbox = sandboxOf();
    recorded.says = Buffer.concat([frame(1, 'out\n'), frame(2, 'err\n')]);
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

  it('gets its input before it starts: a write to one that has ended would lose its output', async () => {
    recorded.startsAfterInput = true;
    expect((await run({ timeLimit: 20_000 })).stdout).toBe('out\n');
  }, 30_000);

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

  it('ends in time also where the engine never confirms its creation', async () => {
    answers['POST /containers/create'] = { status: 201, hangs: true };
    const sandbox = sandboxOf('container', undefined, hasty());
    expect((await failureOf(run({ timeLimit: 50 }, sandbox))).code).toBe('TIMEOUT');
    await sandbox.close();
    expect(keys()).not.toContain('POST /containers/:id/start');
  });

  it('is removed and never started when it is made after the run was stopped', async () => {
    answers['POST /containers/create'] = { status: 201, body: { Id: 'c0ffee' }, afterMs: 300 };
    const sandbox = sandboxOf();
    expect((await failureOf(run({ timeLimit: 50 }, sandbox))).code).toBe('TIMEOUT');
    await sandbox.close();
    expect(keys()).toContain('DELETE /containers/:id');
    expect(keys()).not.toContain('POST /containers/:id/start');
  });

  it('reports that memory was the reason for its end', async () => {
    answers['GET /containers/:id/json'] = {
      status: 200,
      body: { State: { OOMKilled: true }, HostConfig: {} },
    };
    expect(await failureOf(run())).toMatchObject({
      code: 'SANDBOX_ERROR',
      message: expect.stringMatching(/memory/),
    });
  });

  it('is removed by the next process when its own was killed, and only then', async () => {
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

describe('readiness of a container engine', () => {
  it('is given with engine and image', async () => {
    expect(await sandboxOf().readiness()).toEqual({ ready: true });
  });

  it('says how to pull a missing image', async () => {
    answers['GET /images/the-image/json'] = { status: 404 };
    expect(await sandboxOf().readiness()).toMatchObject({
      ready: false,
      install: expect.stringMatching(/pull/),
    });
  });

  it('vm: says what to install, and runs nothing in a weaker sandbox', async () => {
    expect(await sandboxOf('vm').readiness()).toMatchObject({
      ready: false,
      install: expect.stringMatching(/Kata/),
    });
    expect((await failureOf(run({}, sandboxOf('vm')))).code).toBe('SANDBOX_ERROR');
    expect(ordered()).toBeUndefined();
  });

  const knows = (runtime: string, given = runtime) => {
    const body = { State: { OOMKilled: false }, HostConfig: { Runtime: given } };
    answers['GET /info'] = { status: 200, body: { Runtimes: { runc: {}, [runtime]: {} } } };
    answers['GET /containers/:id/json'] = { status: 200, body };
  };

  it.each(['kata', 'runsc'])('vm: runs with the runtime %s', async (name) => {
    knows(name);
    expect(await sandboxOf('vm').readiness()).toEqual({ ready: true });
    await run({}, sandboxOf('vm'));
    expect(ordered().HostConfig.Runtime).toBe(name);
  });

  it.each(['container', 'vm'] as const)(
    '%s: the runtime that is set, and no other',
    async (type) => {
      expect(await sandboxOf(type, 'mine').readiness()).toMatchObject({
        ready: false,
        reason: expect.stringContaining('mine'),
      });
      expect((await failureOf(run({}, sandboxOf(type, 'mine')))).code).toBe('SANDBOX_ERROR');
      expect(ordered()).toBeUndefined();
      knows('mine');
      expect(await sandboxOf(type, 'mine').readiness()).toEqual({ ready: true });
      expect((await run({}, sandboxOf(type, 'mine'))).stdout).toBe('out\n');
    },
  );

  it('threat: an engine that accepts a request for a vm and would run a plain container', async () => {
    knows('runsc', 'runc');
    expect(await sandboxOf('vm').readiness()).toMatchObject({ ready: false });
    expect((await failureOf(run({}, sandboxOf('vm')))).code).toBe('SANDBOX_ERROR');
    expect(keys()).not.toContain('POST /containers/:id/start');
    expect(keys()).toContain('DELETE /containers/:id');
  });

  it('threat: Podman names no runtime in its Docker API, so its own API is asked', async () => {
    knows('runsc', 'oci');
    const place = 'GET /v4.0.0/libpod/containers/:id/json';
    expect((await failureOf(run({}, sandboxOf('vm')))).code).toBe('SANDBOX_ERROR');
    answers[place] = { status: 200, body: { OCIRuntime: 'runc' } };
    expect((await failureOf(run({}, sandboxOf('vm')))).code).toBe('SANDBOX_ERROR');
    expect(keys()).not.toContain('POST /containers/:id/start');
    answers[place] = { status: 200, body: { OCIRuntime: 'runsc' } };
    expect((await run({}, sandboxOf('vm'))).stdout).toBe('out\n');
  });

  it('tells an engine that refuses from one that does not answer', async () => {
    knows('runsc');
    answers['POST /containers/create'] = { status: 500, body: { message: '/secret/path' } };
    expect(await sandboxOf('vm').readiness()).toMatchObject({
      ready: false,
      reason: expect.stringContaining('(500)'),
    });
  });

  it.each(['GET /containers/json', 'GET /_ping', 'GET /images/the-image/json'])(
    'an engine that never answers %s is none',
    async (question) => {
      answers[question] = { status: 200, hangs: true };
      const sandbox = sandboxOf('container', undefined, hasty());
      expect(await sandbox.readiness()).toMatchObject({
        ready: false,
        reason: 'The engine does not answer.',
        install: expect.stringContaining('Start Docker or Podman'),
      });
      answers[question] = { status: 200, body: [] };
      expect(await sandbox.readiness()).toEqual({ ready: true });
      await sandbox.close();
    },
  );

  it('says that the library or the engine is missing', async () => {
    const options = {
      image: 'the-image',
      identity: { uid: 1, gid: 1 },
      runtime: createRuntime(),
      masks: { isSecret: () => false, isProtected: () => false },
    };
    const none = createContainerSandbox({ ...options, findEngine: () => undefined });
    expect(await none.readiness()).toMatchObject({
      ready: false,
      install: expect.stringMatching(/Docker or Podman/),
    });
    const found = { ...options, findEngine: () => ({ socketPath: recorded.socketPath }) };
    const load = () => Promise.reject(new Error('not found'));
    const bare = createContainerSandbox({ ...found, load });
    expect((await failureOf(run({}, bare))).code).toBe('DEPENDENCY_MISSING');
    const silent = createContainerSandbox({
      ...options,
      findEngine: () => ({ socketPath: '/no/socket' }),
    });
    expect(await silent.readiness()).toMatchObject({
      ready: false,
      install: expect.stringMatching(/Start Docker/),
    });
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

it('looks only for the configured socket when there is one', () => {
  const search = { socket: '/mine.sock', dockerHost: 'unix:///a.sock', runtimeFolder: undefined };
  expect(findEngine({ ...search, exists: () => true })?.socketPath).toBe('/mine.sock');
  expect(findEngine({ ...search, exists: (path) => path !== '/mine.sock' })).toBeUndefined();
});
