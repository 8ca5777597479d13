/** The driver against a real Podman, started for these tests, with an image of busybox and Node. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openCanary } from '../../../test/conformance/sandbox-canary.ts';
import { echoHost } from '../../../test/conformance/sandbox-host.ts';
import {
  type RealPodman,
  reasonAgainstPodman,
  startPodman,
} from '../../../test/fixtures/real-podman.ts';
import type { Sandbox, SandboxConfig, SandboxTask } from '../../contract/sandbox.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { SANDBOX_MASKS } from '../../crib/open-sandboxes.ts';
import { createContainerSandbox } from './create-container-sandbox.ts';

const why = reasonAgainstPodman();

let podman: RealPodman;
let folder = '';
let sandbox: Sandbox;

const run = (task: SandboxTask, config: Partial<SandboxConfig> = {}, host = echoHost()) =>
  sandbox.run({
    task,
    host,
    config: { type: 'container', timeLimit: 20_000, ...config },
    signal: new AbortController().signal,
  });
const sh = (script: string, config: Partial<SandboxConfig> = {}) =>
  run({ kind: 'command', argv: ['sh', '-c', script] }, config);
const code = (body: string, input: unknown = {}) =>
  run({ kind: 'code', code: `export const run = async (input, context) => { ${body} };`, input });

if (why !== undefined) console.warn(`Not tried on a real Podman: ${why}.`);

describe.skipIf(why !== undefined)('container: on a real Podman', { timeout: 60_000 }, () => {
  beforeAll(async () => {
    podman = await startPodman();
    ({ folder } = podman);
    sandbox = createContainerSandbox({
      findEngine: () => podman,
      image: podman.image,
      identity: { uid: 0, gid: 0 },
      runtime: createRuntime(),
      masks: { isSecret: ({ below }) => below.at(-1) === '.env', isProtected: () => false },
    });
  }, 120_000);
  afterAll(async () => {
    await sandbox?.close();
    podman?.close();
  }, 60_000);

  it('is ready', async () => {
    expect(await sandbox.readiness()).toEqual({ ready: true });
  });

  it('gives output and exit code, and passes input and arguments unchanged', async () => {
    const argv = ['sh', '-c', 'cat; echo "$1" >&2; exit 3', 'sh', '$(id) "a'];
    expect(await run({ kind: 'command', argv, stdin: 'in ü\n' })).toEqual({
      exitCode: 3,
      stdout: 'in ü\n',
      stderr: '$(id) "a\n',
    });
  });

  it('loses no output of programs that end at once, also when we are slow to listen', async () => {
    for (let i = 0; i < 10; i += 1) {
      const outcome = run({ kind: 'command', argv: ['echo', `line ${i}`], stdin: 'unread' });
      // Nothing is read for a while: the program has ended when we look again.
      const busy = setInterval(() => {
        const until = Date.now() + 150;
        while (Date.now() < until);
      }, 10);
      await outcome.finally(() => clearInterval(busy));
      expect(await outcome).toEqual({ exitCode: 0, stdout: `line ${i}\n`, stderr: '' });
    }
  }, 180_000);

  it('threat: a project with a store starts, and its store and secrets stay as they are', async () => {
    const project = join(folder, 'project');
    for (const name of ['.toolcrib', '.docker', 'src']) {
      mkdirSync(join(project, name), { recursive: true });
      chmodSync(join(project, name), 0o777);
    }
    for (const name of ['.toolcrib/state.db', '.toolcrib/config.yaml', '.docker/config.json']) {
      writeFileSync(join(project, name), 'kept', { mode: 0o666 });
    }
    const real = createContainerSandbox({
      findEngine: () => podman,
      image: podman.image,
      identity: { uid: 1000, gid: 1000 },
      runtime: createRuntime(),
      masks: SANDBOX_MASKS,
    });
    const script =
      'cat .toolcrib/state.db .docker/config.json; echo x > .toolcrib/state.db; echo x > .toolcrib/new; echo x > src/new; ls .toolcrib src';
    const outcome = await real.run({
      task: { kind: 'command', argv: ['sh', '-c', script], cwd: project },
      config: {
        type: 'container',
        timeLimit: 20_000,
        fileSystemAccess: { write: [project] },
      },
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ stdout: '.toolcrib:\nconfig.yaml\nstate.db\n\nsrc:\nnew\n' });
    expect(readFileSync(join(project, '.toolcrib/state.db'), 'utf8')).toBe('kept');
    await real.close();
  });

  it.each([
    [10, 0, 'all\n'],
    [40, 2, ''],
  ])('holds the limit of 20 processes when %i are started', async (count, exitCode, stdout) => {
    const script = `i=0; while [ $i -lt ${count} ]; do sleep 5 & i=$((i+1)); done; echo all`;
    const outcome = await sh(script, { resourceLimits: { processes: 20 } });
    expect(outcome).toMatchObject({ exitCode, stdout });
  });

  it('threat: refuses a vm, because this Podman runs its own runtime for every request', async () => {
    const vm = createContainerSandbox({
      type: 'vm',
      ociRuntime: 'runsc',
      findEngine: () => podman,
      image: podman.image,
      identity: { uid: 0, gid: 0 },
      runtime: createRuntime(),
      masks: { isSecret: () => false, isProtected: () => false },
    });
    expect(await vm.readiness()).toMatchObject({
      ready: false,
      reason: expect.stringContaining('would not run it with the runtime'),
      install: expect.stringContaining('containers.conf'),
    });
    const task = { kind: 'command', argv: ['echo', 'in runc'] } as const;
    const signal = new AbortController().signal;
    await expect(vm.run({ task, config: { type: 'vm' }, signal })).rejects.toMatchObject({
      code: 'SANDBOX_ERROR',
    });
    await vm.close();
  });

  it('runs code, with its input, its output and the way back to the host', async () => {
    const body = 'console.log("printed"); return [input, await context.call("x", { a: 1 })];';
    expect(await code(body, 7)).toEqual({ value: [7, { a: 1 }], stdout: 'printed\n', stderr: '' });
  });

  it('keeps the error code of a refusal, and reports what the code threw', async () => {
    await expect(code('await context.secret("K");')).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    await expect(code('throw new TypeError("boom");')).rejects.toMatchObject({
      code: 'EXECUTION_FAILED',
      message: expect.stringContaining('boom'),
    });
  });

  it('shows what is granted, and no secret in it', async () => {
    const work = join(folder, 'work');
    mkdirSync(work);
    chmodSync(work, 0o777);
    writeFileSync(join(work, '.env'), 'canary');
    const { stdout } = await sh('echo new > made; cat .env; id -u', {
      fileSystemAccess: { write: [work] },
    });
    expect(stdout).toBe('65534\n');
    expect(readFileSync(join(work, 'made'), 'utf8')).toBe('new\n');
  });

  it.each([
    ['file', 'cat "$FILE" "/proc/1/root$FILE"'],
    ['write', 'echo x > "$DROP"; touch /x /bin/x && echo x > "$DROP"'],
    ['environment', 'env; cat /proc/*/environ'],
    ['port', `node -e 'net.connect(+process.env.PORT, "127.0.0.1").on("error", () => {})'`],
    ['mount', 'mount -o remount,rw / && touch /x'],
    ['namespace', 'unshare -U cat "$FILE"'],
    ['kernel', 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern && touch /tmp/x'],
  ])('threat: does not reach the %s', async (_, script) => {
    const canary = await openCanary();
    const { file, drop, port } = canary.bait;
    const environmentVariables = { FILE: file, DROP: drop, PORT: String(port) };
    const outcome = await sh(script, { environmentVariables });
    expect(canary.traces(JSON.stringify(outcome))).toEqual([]);
    await canary.close();
  });

  it.each([
    ['endless loop', 'while :; do :; done', { timeLimit: 1500 }, ['TIMEOUT']],
    [
      'loop that ignores signals',
      'trap "" TERM; while :; do :; done',
      { timeLimit: 1500 },
      ['TIMEOUT'],
    ],
    [
      '1 GB of output',
      'cat /dev/zero',
      { resourceLimits: { outputBytes: 1e6 } },
      ['OUTPUT_TOO_LARGE'],
    ],
    [
      '10 GB of memory',
      `exec node -e 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))'`,
      { resourceLimits: { memoryMb: 100 } },
      ['SANDBOX_ERROR', 137, 134],
    ],
    [
      'fork bomb',
      'b() { b | b & }; b; sleep 2; exit 5',
      { timeLimit: 6000, resourceLimits: { processes: 20 } },
      ['TIMEOUT', 'SANDBOX_ERROR', 1, 2, 5],
    ],
  ])('threat: %s is stopped', async (_, script, config, endings) => {
    const ended = await sh(script, config).then(
      ({ exitCode }) => exitCode,
      (error: { code?: unknown }) => error.code,
    );
    expect(endings).toContain(ended);
    expect((await sh('echo alive')).stdout).toBe('alive\n');
  });

  it('says that a program does not exist', async () => {
    await expect(run({ kind: 'command', argv: ['no-such'] })).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
    });
  });

  it('leaves no container behind', async () => {
    await sandbox.close();
    expect(podman.listed()).toBe('');
  });
});
