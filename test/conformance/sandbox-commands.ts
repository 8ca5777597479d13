/** What a command in a sandbox gets, its limits and its reach. Needs `sh` and `node` inside the sandbox. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openCanary } from './sandbox-canary.ts';
import { failureOf, type RunOptions, type SandboxUnderTest } from './sandbox-under-test.ts';

const LIMITS = { memoryMb: 256, outputBytes: 1_000_000, processes: 64 };

const BOMBS: readonly (readonly [string, string, readonly string[]])[] = [
  ['endless loop', 'while :; do :; done', ['TIMEOUT']],
  ['endless sleep', 'sleep 1000', ['TIMEOUT']],
  ['loop that ignores signals', 'trap "" TERM INT HUP; while :; do sleep 1; done', ['TIMEOUT']],
  ['child that outlives its parent', 'sleep 1000 & exec >/dev/null 2>&1; sleep 1000', ['TIMEOUT']],
  [
    '1 GB of output',
    'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done',
    ['OUTPUT_TOO_LARGE'],
  ],
  [
    '1 GB of errors',
    'while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&2; done',
    ['OUTPUT_TOO_LARGE'],
  ],
];

/** Stopped, or ended badly by itself: the exit code tells then. */
const CONTAINED: readonly (readonly [string, string])[] = [
  ['fork bomb', 'b() { b | b & }; b; sleep 30'],
  ['many children', 'i=0; while [ $i -lt 500 ]; do sleep 30 & i=$((i+1)); done; wait'],
  ['10 GB of memory', `node -e 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))'`],
];

const shell =
  ({ run, can }: SandboxUnderTest) =>
  (script: string, options: RunOptions = {}) =>
    run(
      { kind: 'command', argv: ['sh', '-c', script] },
      {
        ...options,
        config: { timeLimit: 1500 + (can.startMs ?? 0), resourceLimits: LIMITS, ...options.config },
      },
    );

const describeRuns = (test: SandboxUnderTest): void => {
  const sh = shell(test);

  it('tells output and exit code', async () => {
    const outcome = await sh('echo out; echo err >&2; exit 3');
    expect(outcome).toMatchObject({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 });
  });

  it('hands arguments and input over unchanged', async () => {
    const argv = ['sh', '-c', 'printf "%s|" "$@"; cat', 'sh', 'a b', '$(id)', '', '*', '"; id'];
    const { stdout } = await test.run({ kind: 'command', argv, stdin: 'in ü\n' });
    expect(stdout).toBe('a b|$(id)||*|"; id|in ü\n');
  });

  it('a program that is not there is a coded failure, or exit code 127', async () => {
    const run = test.run({ kind: 'command', argv: ['no-such-program-of-ours'] });
    const ended = await run.then(
      ({ exitCode }) => exitCode,
      (error: { code?: unknown }) => error.code,
    );
    expect([126, 127, 'SANDBOX_ERROR', 'DEPENDENCY_MISSING']).toContain(ended);
  });

  it('sees the variables it was given, and no other', async () => {
    const { stdout } = await sh('env', { config: { environmentVariables: { GIVEN: 'a b' } } });
    expect(stdout).toContain('GIVEN=a b\n');
    expect(stdout).not.toContain('VITEST');
  });
};

const describeBombs = (test: SandboxUnderTest): void => {
  const sh = shell(test);
  const most = 1500 + (test.can.startMs ?? 0) + 10_000;

  it.each(BOMBS)('%s is stopped', async (_, script, codes) => {
    const started = performance.now();
    expect(codes).toContain((await failureOf(sh(script))).code);
    expect(performance.now() - started).toBeLessThan(most);
  });

  it.each(CONTAINED)('%s is contained', async (_, script) => {
    const started = performance.now();
    const ended = await sh(script).then(
      ({ exitCode }) => exitCode,
      (error: { code?: unknown }) => error.code,
    );
    expect(performance.now() - started).toBeLessThan(most);
    expect(ended).not.toBe(0);
    expect((await sh('echo alive')).stdout).toBe('alive\n');
  });

  it('the signal ends it at once', async () => {
    const abort = new AbortController();
    const run = failureOf(
      sh('sleep 1000', { signal: abort.signal, config: { timeLimit: 30_000 } }),
    );
    await sleep(200 + (test.can.startMs ?? 0));
    const started = performance.now();
    abort.abort();
    expect((await run).code).toBe('CANCELLED');
    expect(performance.now() - started).toBeLessThan(10_000);
  });
};

const ROBBERIES: readonly (readonly [string, string])[] = [
  ['the file', 'cat "$FILE"; cat /proc/1/root"$FILE"; ls -l "$FILE"'],
  ['writing beside it', 'echo x > "$DROP"'],
  ['the environment', 'env; cat /proc/self/environ /proc/*/environ'],
  [
    'the port',
    `node -e 'require("net").connect(+process.env.PORT, "127.0.0.1").on("error", () => {})'`,
  ],
  ['the port by the shell', 'bash -c "exec 3<>/dev/tcp/127.0.0.1/$PORT"'],
  ['a remount', 'mount -o remount,rw /; mount --bind / /mnt; echo x > "$DROP"'],
  ['another namespace', 'unshare -Ur cat "$FILE"; nsenter -t 1 -a cat "$FILE"'],
  ['the host by chroot', 'chroot /proc/1/root cat "$FILE"'],
  [
    'devices',
    'cat /dev/sda /dev/mem /dev/kmem 2>/dev/null | head -c 10; mknod /tmp/x b 8 0 && cat /tmp/x | head -c 10',
  ],
  ['a signal to everybody', 'kill -9 -1'],
];

const describeReach = (test: SandboxUnderTest): void => {
  const sh = shell(test);

  it.each(ROBBERIES)('does not reach out: %s', async (_, script) => {
    const canary = await openCanary();
    const { file, drop, port } = canary.bait;
    const environmentVariables = { FILE: file, DROP: drop, PORT: String(port) };
    try {
      const seen = await sh(script, { config: { environmentVariables } }).catch(String);
      expect(canary.traces(JSON.stringify(seen))).toEqual([]);
    } finally {
      await canary.close();
    }
  });
};

export const describeCommands = (test: SandboxUnderTest): void => {
  describe('commands', () => describeRuns(test));
  describe('limits of commands', () => describeBombs(test));
  const { trusted } = test.can;
  if (trusted === undefined) describe('reach of commands', () => describeReach(test));
};
