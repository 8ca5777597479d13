import { expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { processReadiness, startFailure } from './process-readiness.ts';

const LINUX = { platform: 'linux', processor: 'x64' } as const;

it('the process sandbox is ready when a first one worked', async () => {
  expect(await processReadiness(LINUX, async () => ({ exitCode: 0 }))).toEqual({ ready: true });
});

it('the process sandbox says what to install when bubblewrap is missing', async () => {
  const missing = startFailure(127, 'prlimit: failed to execute bwrap: No such file or directory');
  const readiness = await processReadiness(LINUX, () => Promise.reject(missing));
  expect(readiness).toMatchObject({
    ready: false,
    reason: expect.stringMatching(/bwrap is not installed/),
    install: expect.stringMatching(/apt-get install bubblewrap/),
  });
});

it.each([
  'bwrap: No permissions to create new namespace, likely because the kernel does not allow it',
  'bwrap: setting up uid map: Permission denied',
])('the process sandbox says how to allow namespaces: %s', async (line) => {
  const readiness = await processReadiness(LINUX, () => Promise.reject(startFailure(1, line)));
  expect(readiness).toMatchObject({
    ready: false,
    install: expect.stringMatching(/unprivileged_userns_clone/),
  });
});

it('the process sandbox does not suggest an installation when the system refuses', async () => {
  const line = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted";
  const readiness = await processReadiness(LINUX, () => Promise.reject(startFailure(1, line)));
  expect(readiness).toMatchObject({
    ready: false,
    install: expect.stringMatching(/^Inside a container/),
  });
});

it.each([
  ['win32', 'x64'],
  ['freebsd', 'x64'],
  ['linux', 'mips'],
  ['linux', 'constructor'],
] as const)('the process sandbox is not tried on %s %s', async (platform, processor) => {
  const attempt = () => Promise.reject(new Error('tried'));
  const readiness = await processReadiness({ platform, processor }, attempt);
  expect(readiness).toMatchObject({ ready: false });
  expect(JSON.stringify(readiness)).not.toContain('tried');
});

it('the process sandbox is not ready when the first one failed', async () => {
  expect(await processReadiness(LINUX, async () => ({ exitCode: 1 }))).toMatchObject({
    ready: false,
  });
  expect(await processReadiness(LINUX, () => Promise.reject('x'))).toMatchObject({ ready: false });
});

it.each([
  [1, 'bwrap: execvp nothing: No such file or directory', 'DEPENDENCY_MISSING'],
  [1, "bwrap: Can't bind mount /secret/path: Permission denied", 'SANDBOX_ERROR'],
  [1, 'bwrap: Unknown option --disable-userns', 'SANDBOX_ERROR'],
  [1, 'grep: bwrap: no such file', undefined],
  [2, 'bwrap: said by the program', undefined],
  [0, '', undefined],
])('exit code %s and "%s" mean %s', (exitCode, stderr, code) => {
  const failure = startFailure(exitCode, stderr);
  expect(failure?.code).toBe(code);
  if (failure !== undefined) expect(failure).toBeInstanceOf(ToolFailure);
  expect(failure?.message ?? '').not.toContain('secret');
});
