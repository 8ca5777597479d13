/** bash_execution with real programs: results, limits, and inputs that try to be something else. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runExample, runTool, titlesOf } from '../../../test/fixtures/run-tool.ts';
import { type SpawnSettings, spawnedExec } from '../../../test/fixtures/spawned-exec.ts';
import { createWorkspace, type Workspace } from '../../../test/fixtures/workspace.ts';
import { bashExecution } from './bash-execution.ts';

let workspace: Workspace;
const contextOf = (more: Partial<SpawnSettings> = {}) => {
  const settings = { root: workspace.root, tool: bashExecution, allow: 'all', ...more } as const;
  const { exec } = spawnedExec(settings);
  return workspace.contextFor(bashExecution, {
    exec,
    ...(more.signal && { signal: more.signal }),
  });
};
const run = (input: object, more: Partial<SpawnSettings> = {}) =>
  runTool(bashExecution, input, contextOf(more));

beforeEach(() => {
  workspace = createWorkspace({ 'notes.txt': 'one\ntwo\nthree\n', 'sub/in.txt': 'inside\n' });
});
afterEach(() => workspace.remove());

describe('bash_execution examples', () => {
  it.each(titlesOf(bashExecution))('the example "%s" gives the documented result', (title) =>
    runExample(bashExecution, title, contextOf()),
  );
});

describe('results', () => {
  it('gives output and exit code; a bad end is no failure', async () => {
    expect(await run({ command: 'echo out; echo err >&2; exit 3' })).toEqual({
      success: false,
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
      truncated: false,
    });
    expect(await run({ command: 'no-such-program-here' })).toMatchObject({ exitCode: 127 });
  });

  it('runs in a folder below the root', async () => {
    expect(await run({ command: 'cat in.txt', cwd: 'sub' })).toMatchObject({ stdout: 'inside\n' });
  });

  it('hands arguments on as they are: no shell reads them', async () => {
    const hostile = '$(touch pwned); `touch pwned` > pwned';
    const result = await run({ command: 'printf', args: ['%s', hostile] });
    expect(result.stdout).toBe(hostile);
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
  });

  it.each([
    [{ command: 'ls -l' }, ['bash', '-c', 'ls -l']],
    [{ command: 'ls', args: ['-l'] }, ['ls', '-l']],
    [{ command: 'ls', args: [] }, ['ls']],
  ])(
    'says beforehand what it will run, so that nobody approves what cannot: %j',
    async (input, argv) => {
      const ran: string[][] = [];
      const context = workspace.contextFor(bashExecution, {
        exec: async (program: string, args: readonly string[] = []) => {
          ran.push([program, ...args]);
          return { exitCode: 0, stdout: '', stderr: '' };
        },
      });
      await runTool(bashExecution, input, context);
      expect(ran).toEqual([argv]);
      expect(bashExecution.programs?.(input as never)).toMatchObject([{ argv }]);
    },
  );

  it('leaves out the middle of long output', async () => {
    const result = await run({ command: 'seq 1 100000', maxOutput: 100 });
    expect(result.truncated).toBe(true);
    expect(result.stdout).toMatch(/^1\n2\n/);
    expect(result.stdout).toMatch(/\[588795 characters left out\]\n[\d\n]*100000\n$/);
  });
});

describe('refusals of bash_execution', () => {
  it.each([
    [{ command: '' }, 'command'],
    [{ command: ' \n' }, 'command'],
    [{ command: 'a\0b' }, 'command'],
    [{ command: 'ls -l; id', args: [] }, 'command'],
    [{ command: 'ls', args: ['a\0b'] }, 'args'],
    [{ command: 'ls', timeout: 0 }, 'timeout'],
    [{ command: 'ls', timeout: 1e9 }, 'timeout'],
    [{ command: 'ls', cwd: 'a\nb' }, 'cwd'],
  ])('%j is refused at %s', async (input, field) => {
    const failure = await run(input).catch((error: unknown) => error);
    expect(failure).toMatchObject({ name: 'ZodError' });
    const { issues } = failure as { issues: { path: unknown[] }[] };
    expect(issues.map(({ path }) => path[0])).toContain(field);
  });

  it.each(['..', '/', '/etc'])('the folder %s is out of reach', async (cwd) => {
    await expect(run({ command: 'ls', cwd })).rejects.toMatchObject({
      code: expect.stringMatching(/PERMISSION_DENIED|SECURITY_VIOLATION/),
    });
  });

  it.each(['missing', 'notes.txt'])('%s is no folder', async (cwd) => {
    await expect(run({ command: 'ls', cwd })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      extras: { issues: [{ path: ['cwd'] }] },
    });
  });

  it('runs nothing that the broker refuses', async () => {
    const refused = run({ command: 'touch', args: ['pwned'] }, { allow: ['ls *'] });
    await expect(refused).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(existsSync(join(workspace.root, 'pwned'))).toBe(false);
  });

  it('says when a program is missing', async () => {
    await expect(run({ command: 'no-such-program-here', args: [] })).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
    });
  });

  it('stops in time, and when the call is cancelled', async () => {
    await expect(run({ command: 'sleep 20', timeout: 50 })).rejects.toMatchObject({
      code: 'TIMEOUT',
    });
    const cancel = new AbortController();
    const running = run({ command: 'sleep 20' }, { signal: cancel.signal });
    setTimeout(() => cancel.abort(), 50);
    await expect(running).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
