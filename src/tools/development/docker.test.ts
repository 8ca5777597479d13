/** The docker tool with its real client, on an engine that writes down what it is asked and on Podman. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type RealPodman,
  reasonAgainstPodman,
  startPodman,
} from '../../../test/fixtures/real-podman.ts';
import { openRecordedEngine, type RecordedEngine } from '../../../test/fixtures/recorded-engine.ts';
import { runTool } from '../../../test/fixtures/run-tool.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { sensitiveRule } from '../../governance/paths/sensitive-names.ts';
import { createDockerEngine } from '../../sandboxes/container/create-docker-engine.ts';
import { defineDocker } from './docker.ts';

vi.setConfig({ testTimeout: 60_000 });

const toolOn = (socketPath: string | undefined) =>
  defineDocker({
    openEngine: () =>
      createDockerEngine({
        findEngine: () => (socketPath === undefined ? undefined : { socketPath }),
        identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
        runtime: createRuntime(),
        masks: {
          isSecret: (path) => sensitiveRule(path) !== undefined,
          isProtected: (below) => below.at(-1) === '.git',
        },
      }),
  });

let workspace: Workspace;
beforeEach(() => {
  workspace = createWorkspace({
    Dockerfile: 'FROM sandbox-test:latest\nCOPY . /app\n',
    'src/index.js': 'console.log(1)\n',
    '.env': 'canary-secret',
    '.git/config': 'canary-secret',
  });
  chmodSync(workspace.root, 0o777);
});
afterEach(() => workspace.remove());

describe('on a recorded engine', () => {
  let recorded: RecordedEngine;
  beforeEach(async () => {
    recorded = await openRecordedEngine();
  });
  afterEach(() => recorded.close());

  const run = (input: object, socketPath: string | undefined = recorded.socketPath) => {
    const tool = toolOn(socketPath);
    return runTool(tool, input, workspace.contextFor(tool));
  };
  const ordered = () =>
    recorded.asked.find(({ path }) => path.startsWith('/containers/create'))?.body as {
      readonly HostConfig: Record<string, unknown>;
    } & Record<string, unknown>;

  it('runs with every wall, and gives output and exit code', async () => {
    const asked = { image: 'the-image', args: ['a', 'b c'], env: { A: '1' }, workdir: '/w' };
    expect(await run({ action: 'run', ...asked, memoryMb: 64, cpus: 2, processes: 9 })).toEqual({
      action: 'run',
      success: false,
      exitCode: 3,
      stdout: 'out\n',
      stderr: '',
    });
    expect(ordered()).toMatchObject({
      Image: 'the-image',
      Cmd: ['a', 'b c'],
      Env: ['A=1'],
      WorkingDir: '/w',
      NetworkDisabled: true,
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        Privileged: false,
        IpcMode: 'private',
        Memory: 67_108_864,
        MemorySwap: 67_108_864,
        NanoCpus: 2_000_000_000,
        PidsLimit: 9,
        Binds: [],
      },
    });
    expect(ordered()).not.toHaveProperty('Entrypoint');
    expect(ordered().User).not.toMatch(/^0|root/);
    for (const key of [
      'PidMode',
      'UsernsMode',
      'Devices',
      'CapAdd',
      'VolumesFrom',
      'PortBindings',
    ]) {
      expect(ordered().HostConfig).not.toHaveProperty(key);
    }
    expect(recorded.keys()).toContain('DELETE /containers/:id');
  });

  it('mounts what is below the workspace, read-only unless asked, and covers secrets', async () => {
    const { root } = workspace;
    const mounts = [
      { source: '.', target: '/w', access: 'write' },
      { source: 'src', target: '/src' },
    ];
    await run({ action: 'run', image: 'the-image', mounts });
    expect(ordered().HostConfig.Binds).toEqual(
      expect.arrayContaining([
        `${root}:/w:rw`,
        `${root}/src:/src:ro`,
        '/dev/null:/w/.env:ro',
        `${root}/.git:/w/.git:ro`,
      ]),
    );
  });

  it.each([
    ['a path outside', '../..'],
    ['an absolute path', '/etc'],
    ['the socket of the engine', '/var/run/docker.sock'],
    ['a secret', '.env'],
    ['a link that leads out', 'link'],
    ['nothing', 'missing'],
    ['a socket in the workspace', 'live.sock'],
  ])('threat: %s is not mounted', async (_, source) => {
    symlinkSync('/etc', join(workspace.root, 'link'));
    const server = await new Promise<Server>((done) => {
      const made = createServer().listen(join(workspace.root, 'live.sock'), () => done(made));
    });
    const mounts = [{ source, target: '/m' }];
    await expect(run({ action: 'run', image: 'the-image', mounts })).rejects.toBeDefined();
    expect(ordered()).toBeUndefined();
    server.close();
  });

  it.each([
    ['privileged', { privileged: true }],
    ['network', { network: 'host' }],
    ['pid', { pid: 'host' }],
    ['capabilities', { capAdd: ['SYS_ADMIN'] }],
    ['user', { user: 'root' }],
    ['devices', { devices: ['/dev/kvm'] }],
    ['a field of another action', { tag: 'x' }],
    ['a mount over /proc', { mounts: [{ source: 'src', target: '/proc/sys' }] }],
    ['a mount over the root', { mounts: [{ source: 'src', target: '//' }] }],
    ['a mount with options', { mounts: [{ source: 'src', target: '/m:rw,exec' }] }],
    ['a climbing target', { mounts: [{ source: 'src', target: '/m/../proc' }] }],
    ['an image that is an option', { image: '--privileged' }],
  ])('threat: %s cannot be asked for', async (_, more) => {
    await expect(run({ action: 'run', image: 'the-image', ...more })).rejects.toThrow();
    expect(recorded.asked).toEqual([]);
  });

  it('an image that is not there is not fetched', async () => {
    await expect(run({ action: 'run', image: 'other' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(recorded.keys().join()).not.toContain('/images/create');
  });

  it('is killed and removed when its time is over', async () => {
    recorded.answers['POST /containers/:id/wait'] = { status: 200, hangs: true };
    await expect(run({ action: 'run', image: 'the-image', timeout: 100 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    expect(recorded.keys()).toContain('POST /containers/:id/kill');
    expect(recorded.keys()).toContain('DELETE /containers/:id');
  });

  const LINES = '{"stream":"Step 1\\n"}\n{"aux":{"ID":"sha256:abc"}}\n';

  /** What the engine was sent, unpacked by tar. */
  const sent = (): readonly string[] => {
    const { body } = recorded.asked.find(({ path }) => path.startsWith('/build')) ?? {};
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-sent-'));
    writeFileSync(join(folder, 'x.tar'), body as Buffer);
    execFileSync('tar', ['-xf', 'x.tar'], { cwd: folder });
    rmSync(join(folder, 'x.tar'));
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
    rmSync(folder, { recursive: true });
    return names;
  };

  it('builds from a folder: limits, no network, no secrets, no links', async () => {
    recorded.answers['POST /build'] = { status: 200, body: LINES };
    symlinkSync('/etc/passwd', join(workspace.root, 'src/link'));
    workspace.put('notes.md', 'x');
    workspace.put('.dockerignore', '*.md\n');
    const result = await run({ action: 'build', tag: 'app:1', buildArgs: { V: '2' } });
    expect(result).toMatchObject({ success: true, imageId: 'sha256:abc', log: 'Step 1\n' });
    expect(sent()).toEqual(['.dockerignore', 'Dockerfile', 'src', 'src/index.js']);
    const { path } = recorded.asked.find((one) => one.path.startsWith('/build')) ?? { path: '' };
    const query = new URL(path, 'http://engine').searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      t: 'app:1',
      networkmode: 'none',
      memory: '2147483648',
      memswap: '2147483648',
      cpuquota: '100000',
      buildargs: '{"V":"2"}',
    });
  });

  it('a build that fails is a result, with what the engine said', async () => {
    recorded.answers['POST /build'] = {
      status: 200,
      body: '{"stream":"Step 1\\n"}\nno json\n{"error":"it broke"}',
    };
    const result = await run({ action: 'build', tag: 'app:1' });
    expect(result).toMatchObject({ success: false, log: 'Step 1\nit broke\n' });
    expect(result).not.toHaveProperty('imageId');
  });

  it.each([
    ['no such folder', { context: 'nowhere' }],
    ['no such Dockerfile', { dockerfile: 'Other' }],
    ['a Dockerfile outside', { dockerfile: '../Dockerfile' }],
    ['a context outside', { context: '..' }],
    ['a tag that is none', { tag: 'A B' }],
  ])('threat: %s: nothing is built', async (_, more) => {
    await expect(run({ action: 'build', tag: 'app:1', ...more })).rejects.toBeDefined();
    expect(recorded.keys()).not.toContain('POST /build');
  });

  it('a build ends with its time', async () => {
    recorded.answers['POST /build'] = { status: 200, hangs: true };
    await expect(run({ action: 'build', tag: 'app:1', timeout: 100 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
  });

  it('lists containers', async () => {
    const one = { Id: 'a'.repeat(64), Names: ['/web'], Image: 'i', State: 'running', Status: 'Up' };
    recorded.answers['GET /containers/json'] = { status: 200, body: [{ ...one, Created: 0 }] };
    expect((await run({ action: 'ps', all: true })).containers).toEqual([
      {
        id: 'aaaaaaaaaaaa',
        names: ['web'],
        image: 'i',
        state: 'running',
        status: 'Up',
        created: '1970-01-01T00:00:00.000Z',
      },
    ]);
  });

  it.each([[undefined], ['/no/socket']])(
    'without an engine (%s) says how to get one',
    async (at) => {
      const tool = toolOn(at);
      await expect(
        runTool(tool, { action: 'ps' }, workspace.contextFor(tool)),
      ).rejects.toMatchObject({
        code: 'DEPENDENCY_MISSING',
        extras: { suggestions: [expect.stringContaining('Install and start Docker or Podman')] },
      });
    },
  );

  it('every action is of the tier that asks a person', () => {
    const { tier, capabilities } = toolOn(undefined);
    expect(tier).toBe('execute');
    expect(capabilities.map((one) => [one.action, one.tier, one.requiresConfirmation])).toEqual([
      ['build', 'execute', true],
      ['run', 'execute', true],
      ['ps', 'execute', true],
    ]);
  });
});

const why = reasonAgainstPodman();
if (why !== undefined) console.warn(`Not tried on a real Podman: ${why}.`);

describe.skipIf(why !== undefined)('on a real Podman', { timeout: 120_000 }, () => {
  let podman: RealPodman;
  beforeAll(async () => {
    podman = await startPodman();
  }, 120_000);
  afterAll(() => podman?.close(), 60_000);

  const run = (input: object) => {
    const tool = toolOn(podman.socketPath);
    return runTool(tool, input, workspace.contextFor(tool));
  };
  const sh = (script: string, more: object = {}) =>
    run({ action: 'run', image: podman.image, args: ['sh', '-c', script], ...more });

  it('runs, with input and mounts, and leaves nothing', async () => {
    const mounts = [
      { source: '.', target: '/w', access: 'write' },
      { source: 'src', target: '/src' },
    ];
    const script =
      'cat; cat /src/index.js; cat /w/.env; echo new > /w/made; echo x > /src/y; id -u';
    const result = await sh(script, { mounts, stdin: 'hello\n' });
    expect(result.stdout).toBe('hello\nconsole.log(1)\n65534\n');
    expect(workspace.text('made')).toBe('new\n');
    expect(podman.listed()).toBe('');
  });

  it('threat: no network, no new files in the root, no host', async () => {
    const script = 'ls /sys/class/net; touch /x || echo sealed; ls /w || echo unseen';
    const { stdout } = await sh(script);
    expect(stdout).toBe('lo\nsealed\nunseen\n');
  });

  it('builds an image from the workspace, and runs it', async () => {
    const dockerfile = `FROM ${podman.image}\nCOPY . /app\nRUN echo built > /built\nCMD ["cat","/built"]\n`;
    workspace.put('Dockerfile', dockerfile);
    const built = await run({ action: 'build', tag: 'made-by-test:1' });
    expect(built).toMatchObject({ success: true, imageId: expect.stringMatching(/^sha256:/) });
    const image = 'made-by-test:1';
    expect((await run({ action: 'run', image })).stdout).toBe('built\n');
    const { stdout } = await sh('cat /app/src/index.js; ls -a /app', { image });
    expect(stdout).toContain('console.log(1)');
    expect(stdout).not.toMatch(/\.env|\.git/);
  });

  it('tells why a build failed', async () => {
    workspace.put('Dockerfile', `FROM ${podman.image}\nRUN exit 7\n`);
    const built = await run({ action: 'build', tag: 'broken:1' });
    expect(built).toMatchObject({ success: false, log: expect.stringContaining('7') });
  });
});
