/** Commands in the shell work on its crib, as long as they change nothing that it was opened with. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { COMMANDS } from '../command-table.ts';
import type { Io } from '../io.ts';
import { sharesCrib } from './shell-commands.ts';
import { openSession } from './shell-session.ts';

let root: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-shell-')));
  await mkdir(join(root, 'project'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

const openShell = async (more: Partial<Io> = {}) => {
  const { io, out, err } = fakeIo({
    ...more,
    cwd: join(root, 'project'),
    env: { HOME: root, TOOLCRIB_HOME: join(root, 'user') },
  });
  const options = { commands: COMMANDS, caller: {}, bounds: { maxSteps: 1, maxCostUsd: 1 } };
  const session = await openSession(io, options);
  const run = (line: string) => session.run(line, new AbortController().signal);
  return { session, run, out, err };
};

describe('a command in the shell', { timeout: 60_000 }, () => {
  it('sees the tools of the shell, and leaves its crib open', async () => {
    const { session, run, out } = await openShell();
    try {
      const before = session.open;
      session.open.crib.tools.register(aTool({ name: 'only_here' }));
      expect(await run('/tools info only_here')).toBe(0);
      expect(out()).toContain('only_here');
      expect(await run('/tools health only_here')).toBe(0);
      expect(await run('/usage')).toBe(0);
      expect(await run('only_here {}')).toBe(0);
      expect(session.open).toBe(before);
    } finally {
      await session.close();
    }
  });

  it('that switches a tool writes the file, also twice, and changes the open crib', async () => {
    const { session, run, err } = await openShell();
    try {
      expect(await run('/tools disable calculator')).toBe(0);
      expect(session.toolNames()).not.toContain('calculator');
      expect(await run('/tools enable calculator')).toBe(0);
      expect(session.toolNames()).toContain('calculator');
      expect(err()).not.toContain('not trusted');
    } finally {
      await session.close();
    }
  });

  it('with an unclosed quote fails', async () => {
    const { session, run, err } = await openShell();
    try {
      expect(await run('calculator expression="1+1')).toBe(2);
      expect(await run('/tools info "calc')).toBe(2);
      expect(err()).toContain('A quote is not closed.');
      expect(err()).not.toContain('MODEL_NOT_CONFIGURED');
    } finally {
      await session.close();
    }
  });

  it('answers /help with a JSON document under --json', async () => {
    const { session, run, out } = await openShell({ json: true });
    try {
      expect(await run('/help')).toBe(0);
      expect(JSON.parse(out())).toMatchObject({ commands: expect.anything(), model: null });
      expect(out()).toContain('"/quit"');
    } finally {
      await session.close();
    }
  });

  it('threat: after rules that cannot be read nothing runs by the old ones, until they can', async () => {
    const { session, run, err } = await openShell();
    const policy = join(root, 'project', '.toolcrib', 'policy.yml');
    try {
      await mkdir(join(root, 'project', '.toolcrib'), { recursive: true });
      await writeFile(join(root, 'project', '.toolcrib', 'config.yml'), 'tools: {}\n');
      await writeFile(policy, 'version: 1\nrules: [{ name: x, effect: bogus }]\n');
      expect(await run('/trust --yes')).toBe(2);
      for (const line of ['calculator expression=1+1', '/usage', 'hello']) {
        expect(await run(line)).toBe(2);
      }
      expect(err()).not.toContain('INTERNAL');
      await writeFile(policy, 'version: 1\nrules: []\n');
      expect(await run('/trust --yes')).toBe(0);
      expect(await run('calculator expression=1+1')).toBe(0);
    } finally {
      await session.close();
    }
  });

  it('that fails reports the error with the commands of the shell', async () => {
    const { session, run, err } = await openShell();
    try {
      expect(await run('/tools info --nonsense')).toBe(2);
      expect(err()).toContain('See: /help');
    } finally {
      await session.close();
    }
  });
});

describe('which commands share the crib', () => {
  it.each([
    'tools',
    'tools --json',
    'tools list',
    'tools health git',
    'audit show x',
    'undo x',
    'usage',
    'approvals approve x --run',
    'servers restart demo',
    'policy explain git',
  ])('shares the crib with: %s', (line) => expect(sharesCrib(line.split(' '))).toBe(true));

  it.each([
    'tools enable git',
    'tools accept x',
    'tools lock --accept-all',
    'tools test x',
    'servers add x',
    'policy test file',
    'policy',
    'trust',
    'doctor',
    '',
  ])('does not share the crib with: %s', (line) => expect(sharesCrib(line.split(' '))).toBe(false));
});
