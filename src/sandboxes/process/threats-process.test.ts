/** What a program in the process sandbox must not reach, judged by effect on the host. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { isMissing } from '../../../test/fixtures/needed-programs.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { SandboxConfig } from '../../contract/sandbox.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { createProcessSandbox } from './create-process-sandbox.ts';

const missing = isMissing('bwrap');
const asRoot = process.getuid?.() === 0;
const sandbox = createProcessSandbox({
  platform: process.platform,
  processor: process.arch,
  cores: availableParallelism(),
  identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
  node: process.execPath,
  runtime: createRuntime(),
  masks: {
    isSecret: ({ below }) =>
      below.at(-1) === '.env' ||
      below.at(-1) === '.ssh' ||
      below.slice(-2).join('/') === '.docker/config.json',
    isProtected: (below) =>
      below.at(-1) === '.git' || below.slice(-2).join('/') === '.github/workflows',
  },
});

const sh = (script: string, config: Partial<SandboxConfig> = {}) =>
  sandbox.run({
    task: { kind: 'command', argv: ['bash', '-c', script] },
    config: { type: 'process', timeLimit: 10_000, ...config },
    signal: new AbortController().signal,
  });

const codeOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => 'ran',
    (error: unknown) => (error instanceof ToolFailure ? error.code : error),
  );

/** Every command line on the host that holds the text. */
const running = (text: string): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, 'utf8')];
      } catch {
        return [];
      }
    })
    .filter((line) => line.includes(text));

/** What stays would sleep for days. */
const untilGone = (text: string): Promise<void> =>
  eventually(() => expect(running(text)).toEqual([]));

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-process-'));
  mkdirSync(join(folder, 'work', '.git'), { recursive: true });
  mkdirSync(join(folder, 'work', '.ssh'));
  mkdirSync(join(folder, 'work', 'deep', 'er'), { recursive: true });
  writeFileSync(join(folder, 'work', '.env'), 'KEY=canary');
  writeFileSync(join(folder, 'work', 'deep', 'er', '.env'), 'KEY=canary');
  writeFileSync(join(folder, 'work', '.ssh', 'id'), 'canary');
  writeFileSync(join(folder, 'work', '.git', 'config'), '[core]');
  writeFileSync(join(folder, 'work', 'plain.txt'), 'plain');
  writeFileSync(join(folder, 'outside.txt'), 'canary');
  symlinkSync(join(folder, 'outside.txt'), join(folder, 'work', 'link'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const writable = () => ({ fileSystemAccess: { write: [join(folder, 'work')] } });
const readable = () => ({ fileSystemAccess: { read: [join(folder, 'work')] } });

describe.skipIf(missing)('threat: paths in the process sandbox', () => {
  it('a folder granted for writing is written, and what was written is there', async () => {
    const { exitCode } = await sh('echo new > made.txt && cat plain.txt', writable());
    expect(exitCode).toBe(0);
    expect(readFileSync(join(folder, 'work', 'made.txt'), 'utf8')).toBe('new\n');
  });

  it('a folder granted for reading is read and not written', async () => {
    const { stdout, exitCode } = await sh('cat plain.txt; echo x > plain.txt', readable());
    expect(stdout).toBe('plain');
    expect(exitCode).not.toBe(0);
    expect(readFileSync(join(folder, 'work', 'plain.txt'), 'utf8')).toBe('plain');
  });

  it.each(['writable', 'readable'])('secrets below a %s folder read as empty', async (kind) => {
    const { stdout } = await sh(
      'cat .env deep/er/.env; ls .ssh; cat .ssh/id; echo x > .env; rm -rf .env .ssh; mv .env e',
      kind === 'writable' ? writable() : readable(),
    );
    expect(stdout).toBe('');
    expect(readFileSync(join(folder, 'work', '.env'), 'utf8')).toBe('KEY=canary');
    expect(readFileSync(join(folder, 'work', '.ssh', 'id'), 'utf8')).toBe('canary');
  });

  it('protected names are read and not written, moved or replaced', async () => {
    const { stdout } = await sh(
      'cat .git/config; echo x > .git/config; echo x > .git/hook; mv .git old; rm -rf .git',
      writable(),
    );
    expect(stdout).toBe('[core]');
    expect(readdirSync(join(folder, 'work', '.git'))).toEqual(['config']);
  });

  it('a folder whose name makes its files secret or protected is not moved away', async () => {
    const work = join(folder, 'named');
    mkdirSync(join(work, 'home', '.docker'), { recursive: true });
    mkdirSync(join(work, '.github', 'workflows'), { recursive: true });
    writeFileSync(join(work, 'home', '.docker', 'config.json'), 'canary');
    writeFileSync(join(work, '.github', 'workflows', 'ci.yml'), 'on: push');
    const config = { fileSystemAccess: { write: [work] } };
    await sh(
      `cd ${work}; mv home/.docker home/plain; mv .github plain; mv .github/workflows wf; mv home moved`,
      config,
    );
    expect(readFileSync(join(work, '.github', 'workflows', 'ci.yml'), 'utf8')).toBe('on: push');
    // A folder above it may move: the name goes along.
    expect(readdirSync(join(work, 'moved'))).toEqual(['.docker']);
    const seen = await sh(`cd ${work}; cat */*/config.json */.docker/config.json`, config);
    expect(JSON.stringify(seen)).not.toContain('canary');
    rmSync(work, { recursive: true });
  });

  it('benign: beside what is covered in such a folder files are made, changed and moved', async () => {
    const work = join(folder, 'beside');
    mkdirSync(join(work, '.github', 'workflows'), { recursive: true });
    writeFileSync(join(work, '.github', 'a.md'), 'a');
    const script = `cd ${work}; mv .github/a.md b.md && echo c > .github/c.md && mv .github/c.md .github/d.md && mkdir .github/e && rmdir .github/e && ls .github`;
    const outcome = await sh(script, { fileSystemAccess: { write: [work] } });
    expect(outcome).toMatchObject({ stdout: 'd.md\nworkflows\n' });
    expect(readFileSync(join(work, 'b.md'), 'utf8')).toBe('a');
    rmSync(work, { recursive: true });
  });

  it('a link does not lead outside of what is granted', async () => {
    const { stdout } = await sh('cat link; ln -s / all; ls all/root all/work', writable());
    expect(stdout).not.toContain('canary');
    rmSync(join(folder, 'work', 'all'), { force: true });
  });

  it('a grant below a writable folder that has become a link is refused', async () => {
    const planted = join(folder, 'work', 'planted');
    symlinkSync('/etc', planted);
    const access = { write: [join(folder, 'work')], read: [planted] };
    expect(await codeOf(sh('ls', { fileSystemAccess: access }))).toBe('SANDBOX_ERROR');
    rmSync(planted);
  });

  it.each(['/', '/proc', '/proc/1', '/dev', '/sys/fs', 'relative', '/no/such/path'])(
    'the grant %s is refused',
    async (path) => {
      expect(await codeOf(sh('true', { fileSystemAccess: { read: [path] } }))).toBe(
        'SANDBOX_ERROR',
      );
    },
  );

  it('a socket below a granted folder cannot be reached', async () => {
    const path = join(folder, 'work', 'agent.sock');
    let calls = 0;
    const server = createServer(() => {
      calls += 1;
    });
    await new Promise<void>((done) => server.listen(path, done));
    await sh(`node -e 'net.connect("agent.sock").on("error", () => {})'`, writable());
    await new Promise<void>((done) => server.close(() => done()));
    expect(calls).toBe(0);
  });

  it('a program sees the system and no files of the user', async () => {
    const { stdout } = await sh('ls -A / /home /etc; ls /root /var /run /sys /opt /mnt /boot');
    expect(stdout).not.toMatch(/shadow|sudoers|^root$|^var$|^run$|^sys$|^opt$/m);
    expect(stdout).toMatch(/^usr$/m);
  });

  it('a program cannot start in a folder that it does not see', async () => {
    const run = sandbox.run({
      task: { kind: 'command', argv: ['pwd'], cwd: '/var' },
      config: { type: 'process', ...readable() },
      signal: new AbortController().signal,
    });
    expect(await codeOf(run)).toBe('SANDBOX_ERROR');
  });

  it.skipIf(!asRoot)('root-only files stay unread, though a folder above is granted', async () => {
    const { stdout } = await sh('cat /etc/shadow; cat /etc/hostname; id -u', {
      fileSystemAccess: { read: ['/etc'] },
    });
    expect(stdout).not.toContain('root:');
    expect(stdout).toContain('65534');
  });
});

/** Each writes its word only if it got through. */
const BREAKS: readonly (readonly [string, string])[] = [
  ['the kernel settings', 'cat /proc/sys/kernel/core_pattern > /proc/sys/kernel/core_pattern'],
  ['the host name', 'hostname other'],
  ['remounting the system', 'mount -o remount,rw /usr'],
  ['mounting', 'mount -t tmpfs none /tmp'],
  ['unmounting a mask', 'umount -l /dev/shm'],
  ['a new user namespace', 'unshare --user --map-root-user true'],
  ['a new mount namespace', 'unshare --mount true'],
  ['writing the system', 'touch /usr/bin/x'],
  ['writing the root', 'touch /x'],
  ['writing devices', 'touch /dev/x'],
  ['making a device', 'mknod /tmp/disk b 8 0'],
  ['becoming root by setuid', 'cp /bin/id /tmp/id && chmod u+s /tmp/id && /tmp/id -u | grep -x 0'],
  ['becoming another user', 'setpriv --reuid 1 true'],
  ['capabilities', 'grep -E "Cap(Prm|Eff|Bnd):.*[1-9a-f]" /proc/self/status'],
  ['new privileges', 'grep "NoNewPrivs:.0" /proc/self/status'],
  ['no system call filter', 'grep "Seccomp:.[01]" /proc/self/status'],
  ['the kernel log', 'dmesg || cat /proc/kmsg'],
  ['kernel memory', 'head -c 1 /proc/kcore || head -c 1 /dev/mem'],
  ['other processes', 'ls -d /proc/[0-9]* | grep -vE "^/proc/[0-9]{1,2}$"'],
  ['the environment of the parent', 'grep -aqE "VITEST|npm_" /proc/1/environ'],
  ['the mounts on the command line', 'grep -aqe "--ro[-]b" /proc/1/cmdline'],
  ['system request keys', 'test -w /proc/sysrq-trigger'],
  ['a vsock', 'python3 -c "import socket; socket.socket(40, 1)"'],
  [
    'the key ring',
    'python3 -c "import ctypes,sys; sys.exit(ctypes.CDLL(None).syscall(250,0,-4,1)<0)"',
  ],
  ['uncounted memory', 'python3 -c "import os; os.memfd_create(\'x\')"'],
  ['another interface', 'ls /sys/class/net; grep -vE "lo:|Inter|face" /proc/net/dev'],
  ['a lot of scratch space', 'head -c 2000000000 /dev/zero > /tmp/big'],
  ['a lot of shared memory', 'head -c 2000000000 /dev/zero > /dev/shm/big'],
];

describe.skipIf(missing)('threat: breaking out of the process sandbox', () => {
  it.each(BREAKS)('with nothing granted, not even %s', async (_, script) => {
    const { stdout } = await sh(`{ ${script}; } >/dev/null 2>&1 && echo THROUGH`);
    expect(stdout).toBe('');
  });

  it.each(BREAKS)('as the owner of the folder, not even %s', async (_, script) => {
    const { stdout } = await sh(`{ ${script}; } >/dev/null 2>&1 && echo THROUGH`, writable());
    expect(stdout).toBe('');
  });

  it('control: the same shell does tell when something gets through', async () => {
    expect((await sh('{ touch /tmp/x; } >/dev/null 2>&1 && echo THROUGH')).stdout).toBe(
      'THROUGH\n',
    );
  });

  it('signals do not reach processes of the host', async () => {
    const victim = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      await sh(`kill -9 ${victim.pid} ${process.pid}; kill -9 -1`, writable());
      await sleep(50);
      expect(victim.exitCode ?? victim.signalCode).toBeNull();
    } finally {
      victim.kill('SIGKILL');
    }
  });

  it('network access by name is refused, not dropped', async () => {
    expect(await codeOf(sh('true', { networkAccess: ['example.com'] }))).toBe('SANDBOX_ERROR');
  });
});

describe.skipIf(missing)('threat: processes that stay', () => {
  it('a daemon does not outlive the call', async () => {
    const mark = `31${process.pid}1`;
    await sh(`(setsid sleep ${mark} >/dev/null 2>&1 &) ; (nohup sleep ${mark} &) ; exit 0`);
    await untilGone(mark);
  });

  it('nothing outlives a time-out', async () => {
    const mark = `32${process.pid}2`;
    const script = `trap "" TERM; setsid sleep ${mark} & sleep ${mark}`;
    expect(await codeOf(sh(script, { timeLimit: 400 }))).toBe('TIMEOUT');
    await untilGone(mark);
  });

  it('nothing outlives closing', async () => {
    const own = createProcessSandbox({
      platform: process.platform,
      processor: process.arch,
      cores: 1,
      identity: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
      node: process.execPath,
      runtime: createRuntime(),
      masks: { isSecret: () => false, isProtected: () => false },
    });
    const mark = `33${process.pid}3`;
    const run = codeOf(
      own.run({
        task: { kind: 'command', argv: ['sleep', mark] },
        config: { type: 'process' },
        signal: new AbortController().signal,
      }),
    );
    await eventually(() => expect(running(mark)).not.toEqual([]));
    await own.close();
    expect(await run).toBe('CANCELLED');
    await untilGone(mark);
  });
});

describe.skipIf(missing)('threat: limits of the process sandbox', () => {
  it('a program over its memory limit fails, and the error says so', async () => {
    const script = `python3 -c 'a = bytearray(10**10); print(len(a))'`;
    const run = sh(script, { resourceLimits: { memoryMb: 200 } });
    await expect(run).rejects.toMatchObject({
      code: 'SANDBOX_ERROR',
      message: expect.stringMatching(/memory/),
    });
  });

  it('a program over its process limit fails, and the error says so', async () => {
    const run = sh('b() { b | b & }; b; sleep 5', { resourceLimits: { processes: 30 } });
    await expect(run).rejects.toMatchObject({
      code: 'SANDBOX_ERROR',
      message: expect.stringMatching(/processes/),
    });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'a limit of %s is refused',
    async (value) => {
      const run = sh('true', { resourceLimits: { memoryMb: value } });
      expect(await codeOf(run)).toBe('SANDBOX_ERROR');
    },
  );

  it('a program is limited to whole cores', async () => {
    const { stdout } = await sh('nproc', { resourceLimits: { cpus: 0.5 } });
    expect(stdout).toBe('1\n');
  });

  it('benign: a program may use memory below its limit', async () => {
    const script = `python3 -c 'a = bytearray(50 * 10**6); print(len(a))'`;
    const { stdout } = await sh(script, { resourceLimits: { memoryMb: 200 } });
    expect(stdout).toBe('50000000\n');
  });
});

it.skipIf(missing)('the process sandbox leaves no file behind', () => {
  expect(existsSync(join(folder, 'work', 'big'))).toBe(false);
  expect(readdirSync(folder).sort()).toEqual(['outside.txt', 'work']);
});
