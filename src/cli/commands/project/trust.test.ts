import { existsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { loadConfig } from '../../../trust/load-config.ts';
import type { Io } from '../../io.ts';
import { runCli } from '../../run-cli.ts';
import { settleTrust, trustNotes } from '../../session/settle-trust.ts';

let root: string;
let project: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-trust-')));
  project = join(root, 'clone');
  await mkdir(project);
});

afterEach(() => rm(root, { recursive: true, force: true }));

const env = (more: Record<string, string> = {}) => ({
  HOME: root,
  TOOLCRIB_HOME: join(root, 'user'),
  ...more,
});

const write = async (name: string, text: string): Promise<void> => {
  const file = join(project, '.toolcrib', name);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

/** A terminal on which `typed` is typed. */
const terminal = (typed: string): Pick<Io, 'stdin'> => {
  const stdin = Object.assign(new PassThrough(), { fd: -1, isTTY: true });
  stdin.end(typed);
  return { stdin: stdin as unknown as Io['stdin'] };
};

const ioWith = (over: Partial<Io> = {}, asked = false) => {
  const fake = fakeIo({ cwd: project, env: env(), ...over });
  if (asked) Object.assign(fake.io.stderr, { isTTY: true });
  return fake;
};

const run = async (args: readonly string[], over: Partial<Io> = {}, asked = false) => {
  const { io, out, err } = ioWith({ json: args.includes('--json'), ...over }, asked);
  return { code: await runCli(args, io), out: out(), err: err() };
};

const state = async () => (await loadConfig({ cwd: project, env: env() })).trust.state;

describe('toolcrib trust', () => {
  it('trusts with --yes, once, and says what that does', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\nstore: {driver: memory}\n');
    const first = await run(['trust', '--yes']);
    expect([first.code, first.out]).toEqual([0, `✓ ${project} is trusted, as it is now.\n`]);
    expect(first.err).toContain('budget.dailyUsd: 10 → 5');
    expect(first.err).toContain('does not get them:\n    store.driver: a project can make this');
    expect((await run(['trust'])).out).toContain('is trusted already');
    expect(JSON.parse((await run(['trust', '--json'])).out)).toMatchObject({
      state: 'trusted',
      before: 'trusted',
    });
  });

  it('does not trust without a terminal or --yes', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    const { code, err } = await run(['trust']);
    expect([code, err]).toEqual([2, expect.stringContaining('add --yes')]);
    const json = await run(['trust', '--json'], terminal('y\n'), true);
    expect([json.code, JSON.parse(json.out).error.code]).toEqual([2, 'VALIDATION_ERROR']);
    expect(await state()).toBe('untrusted');
  });

  it.each([
    ['y\n', 0, 'trusted', false],
    ['YES\n', 0, 'trusted', false],
    ['n\n', 3, 'untrusted', true],
    ['\n', 3, 'untrusted', true],
    ['yep\n', 3, 'untrusted', true],
    ['', 3, 'untrusted', false],
  ])('asks; %j exits with %d', async (typed, exit, expected, refused) => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    const { code } = await run(['trust'], terminal(typed), true);
    const { trust } = await loadConfig({ cwd: project, env: env() });
    expect([code, trust.state, trust.refused]).toEqual([exit, expected, refused]);
  });

  it('fails where there is no project', async () => {
    const { code, err } = await run(['trust', '--yes']);
    expect([code, err]).toEqual([2, expect.stringContaining('toolcrib init')]);
  });

  it('refuses a malformed project, and says where it is wrong', async () => {
    await write('config.yml', 'budget:\n  dailyUsd: lots\n');
    const { code, err } = await run(['trust', '--yes']);
    expect([code, err]).toEqual([2, expect.stringMatching(/dailyUsd.*expected a number.*yml:2/s)]);
    expect(await state()).toBe('untrusted');
  });

  it('lists and revokes', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    expect((await run(['trust', '--list'])).out).toBe('No project is trusted.\n');
    expect((await run(['trust', '--revoke'])).out).toContain('was not trusted');
    await run(['trust', '--yes', '--json']);
    expect((await run(['trust', '--list'])).out).toMatch(/clone {2}trusted \d{4}-/);
    expect(JSON.parse((await run(['trust', '--list', '--json'])).out)).toMatchObject({
      projects: [{ project, refused: null }],
    });
    await rm(join(project, '.toolcrib'), { recursive: true });
    const revoked = await run(['trust', '--revoke', '--json']);
    expect(JSON.parse(revoked.out)).toEqual({ project, revoked: true });
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    expect(await state()).toBe('untrusted');
  });

  it('refuses a trust file that others can write', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    await run(['trust', '--yes']);
    await chmod(join(root, 'user/trust.json'), 0o666);
    for (const args of [
      ['trust', '--yes'],
      ['trust', '--list'],
      ['trust', '--revoke'],
    ]) {
      const { code, err } = await run(args);
      expect([code, err]).toEqual([2, expect.stringContaining('can be written by others')]);
    }
  });

  it('stores the trust although TOOLCRIB_TRUST is set', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    expect((await run(['trust', '--yes'], { env: env({ TOOLCRIB_TRUST: '1' }) })).code).toBe(0);
    expect(await state()).toBe('trusted');
  });
});

describe('a command in a project that nobody trusted', () => {
  const settle = async (typed: string, over: Partial<Io> = {}) => {
    const { io, err } = ioWith({ ...terminal(typed), ...over }, true);
    await settleTrust(io);
    return err();
  };

  it('asks once on a terminal, shows what it would do, and remembers a yes', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    expect(await settle('y\n')).toMatch(/clone\n.*dailyUsd: 10 → 5.*Trust this project/s);
    expect(await state()).toBe('trusted');
    expect(await settle('n\n')).toBe('');
    expect(await state()).toBe('trusted');
  });

  it('remembers a no for this content, and asks again after a change', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    expect(await settle('\n')).toContain('Trust this project');
    expect(await settle('y\n')).toBe('');
    expect(await state()).toBe('untrusted');
    await write('config.yml', 'budget: {dailyUsd: 4}\n');
    expect(await settle('')).toContain('Trust this project');
    expect(await settle('y\n')).toContain('Trust this project');
    expect(await state()).toBe('trusted');
    await write('config.yml', 'budget: {dailyUsd: 3}\n');
    expect(await settle('n\n')).toContain('Different since you trusted it:\n    config.yml');
  });

  it('never asks with --json, for a file named by hand, or about what is malformed', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    expect(await settle('y\n', { json: true })).toBe('');
    expect(await settle('y\n', { env: env({ TOOLCRIB_CONFIG: 'x' }) })).toBe('');
    expect(await settle('y\n', { env: env({ TOOLCRIB_TRUST: '1' }) })).toBe('');
    await write('config.yml', 'nope: 1\n');
    expect(await settle('y\n')).toBe('');
    expect(await state()).toBe('untrusted');
  });

  it('continues when the answer cannot be stored', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    await writeFile(join(root, 'file'), '');
    const over = { env: env({ TOOLCRIB_HOME: join(root, 'file', 'below') }) };
    expect(await settle('y\n', over)).toMatch(/trust\.json: cannot be written/);
  });

  it('says in one line that the project is ignored, with control characters shown', async () => {
    await write('config.yml', 'budget: {dailyUsd: 50}\n');
    const notes = async () => trustNotes(await loadConfig({ cwd: project, env: env() }));
    expect(await notes()).toEqual([
      `${project} is not trusted, so its configuration is ignored. Run \`toolcrib trust\` to look at it and decide.`,
    ]);
    await run(['trust', '--yes']);
    expect(await notes()).toEqual([
      expect.stringMatching(/yml:1: budget\.dailyUsd: a project can/),
    ]);
    await write('tools/\u001b[2K.ts', 'x');
    expect(await notes()).toEqual([
      expect.stringContaining('has changed since you trusted it (tools/␛[2K.ts)'),
      expect.stringMatching(/yml:1: budget\.dailyUsd: a project can/),
    ]);
    await chmod(join(root, 'user/trust.json'), 0o666);
    expect(await notes()).toHaveLength(2);
  });
});

describe('commands that write the configuration', () => {
  it('init trusts the file it wrote, and no file that was there before', async () => {
    expect(JSON.parse((await run(['init', '--json'])).out)).toMatchObject({ trusted: true });
    expect(await state()).toBe('trusted');
    await rm(join(project, '.toolcrib'), { recursive: true });
    await write('tools/evil.ts', 'x');
    const { code, err } = await run(['init']);
    expect([code, err]).toEqual([0, expect.stringContaining('not trusted yet')]);
    expect(await state()).toBe('changed');
  });

  it.each([['init'], ['tools', 'disable', 'calculator']])(
    '%s does not follow a cloned link into the user’s own configuration',
    async (...args) => {
      await mkdir(join(root, 'user'));
      await symlink(join(root, 'user'), join(project, '.toolcrib'));
      const { code, err } = await run(args);
      expect([code, err]).toEqual([expect.any(Number), expect.stringContaining('link')]);
      expect(code).toBeGreaterThan(0);
      expect(existsSync(join(root, 'user/config.yml'))).toBe(false);
    },
  );

  it('init continues when trust cannot be stored', async () => {
    await writeFile(join(root, 'file'), '');
    const over = { env: env({ TOOLCRIB_HOME: join(root, 'file', 'below') }) };
    const { code, err } = await run(['init'], over);
    expect([code, err]).toEqual([0, expect.stringContaining('cannot be written')]);
    expect(existsSync(join(project, '.toolcrib/config.yml'))).toBe(true);
  });

  it('tools disable creates a project where there is none, and keeps a trusted one trusted', async () => {
    expect((await run(['tools', 'disable', 'calculator'])).code).toBe(0);
    expect(await state()).toBe('trusted');
    expect((await run(['tools', 'enable', 'calculator'])).code).toBe(0);
    expect(await state()).toBe('trusted');
  });

  it('tools disable does not change an untrusted project', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    const { code, err } = await run(['tools', 'disable', 'calculator']);
    expect([code, err]).toEqual([3, expect.stringContaining('nothing was changed')]);
    expect(await readFile(join(project, '.toolcrib/config.yml'), 'utf8')).not.toContain('calc');
  });

  it('tools disable stores no trust for a project trusted by the environment', async () => {
    await write('config.yml', 'budget: {dailyUsd: 5}\n');
    const over = { env: env({ TOOLCRIB_TRUST: '1' }) };
    expect((await run(['tools', 'disable', 'calculator'], over)).code).toBe(0);
    expect(await state()).toBe('untrusted');
  });

  it("tools enable fails for a tool that the user's own configuration switches off", async () => {
    await mkdir(join(root, 'user'));
    const own = 'tools: {calculator: {enabled: false}}\n';
    await writeFile(join(root, 'user/config.yml'), own);
    const { code, err } = await run(['tools', 'enable', 'calculator']);
    expect([code, err]).toEqual([3, expect.stringContaining('Your own configuration')]);
  });
});
