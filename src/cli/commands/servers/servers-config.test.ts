import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { Io } from '../../io.ts';
import { runCli } from '../../run-cli.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-servers-')));
  mkdirSync(join(folder, 'home'));
  mkdirSync(join(folder, 'project', '.toolcrib'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const session = async (args: readonly string[], stdin = '') => {
  const input = Object.assign(new PassThrough(), { fd: -1 });
  input.end(stdin);
  const { io, out, err } = fakeIo({
    json: args.includes('--json'),
    cwd: join(folder, 'project'),
    env: { HOME: folder, TOOLCRIB_HOME: join(folder, 'home') },
    stdin: input as unknown as Io['stdin'],
  });
  const code = await runCli(args, io);
  return { code, out: out(), err: err() };
};

const run = (...args: readonly string[]) => session(['servers', ...args]);

const mine = (): string => readFileSync(join(folder, 'home', 'config.yml'), 'utf8');
const projects = (): string =>
  readFileSync(join(folder, 'project', '.toolcrib', 'config.yml'), 'utf8');

describe('toolcrib servers while MCP is off', { timeout: 30_000 }, () => {
  const SERVER = 'servers:\n    files: { command: npx }\n';
  it.each([
    [`mcp:\n  enabled: false\n  ${SERVER}`, 'MCP is switched off (mcp.enabled: false)'],
    [`enforcement: { disableLocalTools: true }\nmcp:\n  ${SERVER}`, 'disableLocalTools: true'],
  ])('says so, and which are configured', async (config, reason) => {
    writeFileSync(join(folder, 'home', 'config.yml'), config);
    const { out } = await run();
    expect(out).toContain(reason);
    expect(out).toContain('configured: files');
    const json = JSON.parse((await run('--json')).out) as object;
    expect(json).toMatchObject({ servers: [], off: expect.any(String), configured: ['files'] });
  });

  it('says that none is configured only when none is', async () => {
    expect((await run()).out).toContain('No MCP server is configured yet.');
  });
});

describe('toolcrib servers add', { timeout: 30_000 }, () => {
  it('writes a program with its arguments and variables, and keeps comments', async () => {
    writeFileSync(join(folder, 'home', 'config.yml'), '# mine\nbudget: {} # note\n');
    const { code, out, err } = await run(
      'add',
      'files',
      '--env',
      'LOG=a=b,c',
      '--',
      'npx',
      '-y',
      'x',
    );
    expect(err).not.toContain('error');
    expect(code).toBe(0);
    expect(out).toBe('✓ Added: files\n');
    expect(mine()).toContain('# mine\nbudget: {} # note\n');
    expect(mine()).toContain('files: { command: npx, args: ["-y", x], env: { LOG: "a=b,c" } }');
  });

  it('writes an address, as JSON', async () => {
    const { code, out } = await run('add', 'far', '--url', 'https://x.example/mcp', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      server: 'far',
      definition: { url: 'https://x.example/mcp' },
      warnings: [],
    });
  });

  it('keeps the value of --secret out of the file and out of sight', async () => {
    const args = ['servers', 'add', 'git', '--secret', 'GIT_TOKEN', '--', 'git-server'];
    const { code, out, err } = await session(args, 'the-canary\n');
    expect(code).toBe(0);
    expect(out + err + mine()).not.toContain('the-canary');
    expect(mine()).toContain('MCP_GIT_GIT_TOKEN');
    const secrets = readFileSync(join(folder, 'home', 'secrets.json'), 'utf8');
    expect(JSON.parse(secrets)).toEqual({ MCP_GIT_GIT_TOKEN: 'the-canary' });
  });

  it('threat: --secret does not replace the credential of another server', async () => {
    const add = (name: string, variable: string, value: string, ...more: string[]) =>
      session(
        ['servers', 'add', name, '--secret', variable, ...more, '--', 'program'],
        `${value}\n`,
      );
    const secrets = () => JSON.parse(readFileSync(join(folder, 'home', 'secrets.json'), 'utf8'));
    expect((await add('google', 'DRIVE_TOKEN', 'first')).code).toBe(0);
    for (const [name, variable] of [
      ['google-drive', 'TOKEN'],
      ['GOOGLE', 'drive_token'],
    ] as const) {
      const { code, err } = await add(name, variable, 'second');
      expect([code, err.includes('belongs to the server google')]).toEqual([1, true]);
    }
    expect(secrets()).toEqual({ MCP_GOOGLE_DRIVE_TOKEN: 'first' });
    expect(mine()).not.toContain('google-drive');
    expect((await add('google', 'DRIVE_TOKEN', 'renewed', '--replace')).code).toBe(0);
    expect((await add('drive', 'TOKEN', 'other')).code).toBe(0);
    expect(secrets()).toEqual({ MCP_GOOGLE_DRIVE_TOKEN: 'renewed', MCP_DRIVE_TOKEN: 'other' });
  });

  it('warns of a value that looks like a secret, without showing it', async () => {
    const { code, out, err } = await run(
      'add',
      'git',
      '--env',
      'API_KEY=canary1',
      '--',
      'x',
      '--token',
      'canary2',
    );
    expect(code).toBe(0);
    expect(err).toContain('API_KEY looks like a secret');
    expect(err).toContain('argument 2 looks like a secret');
    expect(out + err).not.toContain('canary');
  });

  it.each([
    [['add', 'x'], 'Give --url, or -- and a command'],
    [['add', 'x', '--url', 'https://a', '--', 'b'], 'Give --url, or -- and a command'],
    [['add', 'x', '--env', 'NOPE', '--', 'b'], '--env takes NAME=value'],
    [['add', 'x', '--url', 'https://a', '--env', 'A=b'], '--env is for a program'],
    [['add', 'x', '--transport', 'tcp', '--', 'b'], 'Allowed choices are stdio'],
    [['add', 'no name', '--', 'b'], 'This server cannot be configured.'],
    [['add', 'x', '--transport', 'sse', '--', 'b'], 'This server cannot be configured.'],
    [['add', 'x', '--url', 'gopher://a'], 'This server cannot be configured.'],
    [['add', '__proto__', '--', 'b'], 'this key is not allowed'],
  ])('%j is refused, and nothing is written', async (args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(() => mine()).toThrow();
  });

  it('does not overwrite a server without --replace', async () => {
    await run('add', 'x', '--', 'one');
    const second = await run('add', 'x', '--', 'two');
    expect(second.code).toBe(1);
    expect(second.err).toContain('--replace');
    expect((await run('add', 'x', '--replace', '--', 'two')).code).toBe(0);
    expect(mine()).toContain('command: two');
    expect(mine()).not.toContain('command: one');
  });

  it('--project writes into the project, which stays trusted', async () => {
    expect((await run('add', 'x', '--project', '--', 'one')).code).toBe(0);
    expect(projects()).toContain('command: one');
    expect(() => mine()).toThrow();
    const { out, err } = await session(['trust', '--json']);
    expect(out + err).toContain('trusted');
    expect((await run('disable', 'x')).code).toBe(0);
    expect(projects()).toContain('enabled: false');
  });

  it('threat: a project that nobody trusted is not written to', async () => {
    writeFileSync(join(folder, 'project', '.toolcrib', 'config.yml'), 'retry: {}\n');
    const { code, err } = await run('add', 'x', '--project', '--', 'one');
    expect(code).toBe(3);
    expect(err).toContain('toolcrib trust');
    expect(projects()).toBe('retry: {}\n');
  });

  it('stores no secret where the server cannot be written', async () => {
    writeFileSync(join(folder, 'project', '.toolcrib', 'config.yml'), 'retry: {}\n');
    const args = ['servers', 'add', 'x', '--secret', 'TOKEN', '--project', '--', 'one'];
    expect((await session(args, 'the-canary\n')).code).toBe(3);
    expect(existsSync(join(folder, 'home', 'secrets.json'))).toBe(false);
  });

  it('does not write settings into a project that would be ignored', async () => {
    await run('add', 'x', '--', 'mine');
    const { code, err } = await run('add', 'x', '--project', '--replace', '--', 'other');
    expect([code, err.includes('A project cannot change your own server.')]).toEqual([3, true]);
    expect(() => projects()).toThrow();
  });

  it('threat: a link in the place of the project’s file is not followed', async () => {
    const target = join(folder, 'target.yml');
    writeFileSync(target, '');
    symlinkSync(target, join(folder, 'project', '.toolcrib', 'config.yml'));
    expect((await run('add', 'x', '--project', '--', 'one')).code).toBe(3);
    expect(readFileSync(target, 'utf8')).toBe('');
  });
});

describe('toolcrib servers remove, enable, disable', { timeout: 30_000 }, () => {
  beforeEach(async () => {
    await run('add', 'one', '--', 'a');
    await run('add', 'two', '--url', 'https://x.example/mcp');
  });

  it('remove takes one server out and leaves the other', async () => {
    const { code, out } = await run('remove', 'one');
    expect(code).toBe(0);
    expect(out).toBe('✓ Removed: one\n');
    expect(mine()).toContain('two:');
    expect(mine()).not.toContain('one:');
    expect((await run('remove', 'two', '--json')).code).toBe(0);
    expect((await run('list')).out).toContain('No MCP server is configured');
  });

  it('remove names the stored secret that no server uses any more', async () => {
    const add = (name: string) =>
      session(['servers', 'add', name, '--secret', 'TOKEN', '--', 'program'], 'the-canary\n');
    await add('git');
    await add('hub');
    const { code, out, err } = await run('remove', 'git');
    expect([code, out]).toEqual([0, '✓ Removed: git\n']);
    expect(err).toContain('toolcrib secrets remove MCP_GIT_TOKEN');
    expect(err).not.toMatch(/MCP_HUB_TOKEN|the-canary/);
    expect((await session(['secrets', 'remove', 'MCP_GIT_TOKEN'])).code).toBe(0);
    // Nothing is left to remove: it was removed before its server.
    await session(['secrets', 'remove', 'MCP_HUB_TOKEN']);
    expect(JSON.parse((await run('remove', 'hub', '--json')).out)).toMatchObject({
      server: 'hub',
      secretsLeft: [],
    });
    expect((await run('remove', 'one')).err).not.toContain('secrets remove');
  });

  it('remove leaves out a secret that another server uses', async () => {
    await session(['servers', 'add', 'git', '--secret', 'TOKEN', '--', 'p'], 'the-canary\n');
    const reference = `\${secret:MCP_GIT_TOKEN}`;
    await run('add', 'other', '--env', `TOKEN=${reference}`, '--', 'p');
    expect(mine()).toContain(reference);
    expect((await run('remove', 'git')).err).not.toContain('secrets remove');
  });

  it('disable and enable switch a server, and say when there is nothing to do', async () => {
    expect((await run('disable', 'one')).out).toBe('✓ Disabled server: one\n');
    expect(mine()).toContain('enabled: false');
    expect((await run('disable', 'one')).out).toBe('Server already disabled: one\n');
    const { out } = await run('enable', 'one', '--json');
    expect(JSON.parse(out)).toEqual({ server: 'one', enabled: true, changed: true });
  });

  it('disable --project switches off in one project only; a project cannot switch on', async () => {
    expect((await run('disable', 'one', '--project')).code).toBe(0);
    expect(mine()).not.toContain('enabled');
    expect(projects()).toContain('enabled: false');
    expect((await run('enable', 'two', '--project')).code).toBe(3);
  });

  it.each([[['enable', 'one']], [['enable', 'one', '--project']]])(
    '%j takes back what was switched off in the project',
    async (args) => {
      await run('disable', 'one', '--project');
      expect((await run(...args)).code).toBe(0);
      expect(projects() + mine()).not.toContain('enabled');
      const { out, err } = await run('list', '--json');
      const [one] = JSON.parse(out).servers.filter(({ name }: { name: string }) => name === 'one');
      expect(one.state).not.toBe('disabled');
      expect(err).not.toContain('cannot change');
    },
  );

  it('enable switches on a server that is off in the project and in general', async () => {
    await run('disable', 'one', '--project');
    await run('enable', 'one');
    await run('disable', 'one');
    writeFileSync(
      join(folder, 'project', '.toolcrib', 'config.yml'),
      'mcp: { servers: { one: { enabled: false } } }\n',
    );
    await session(['trust', '--yes']);
    expect((await run('enable', 'one')).code).toBe(0);
    expect(mine()).toContain('enabled: true');
    expect(projects()).not.toContain('enabled');
  });

  it('threat: test and restart do not start a server that is switched off', async () => {
    const marker = join(folder, 'started');
    const program = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, '')`;
    await run('add', 'three', '--', process.execPath, '-e', program);
    await run('disable', 'three');
    for (const word of ['restart', 'test', 'logs']) {
      const { err } = await run(word, 'three');
      expect(err).toContain('toolcrib servers enable three');
      expect(err).not.toContain('by hand');
    }
    expect(existsSync(marker)).toBe(false);
  });

  it('a failed test says what to check: the program, or the address', async () => {
    await run('add', 'gone', '--', 'no-such-program-here');
    const program = await run('test', 'gone');
    expect(program.code).toBe(1);
    expect(program.err).toContain('The MCP server gone failed: its program was not found');
    expect(program.err).toContain('Run its command by hand');
    expect(program.err).not.toContain('toolcrib servers logs gone');
    await run('add', 'gone', '--replace', '--url', 'http://127.0.0.1:9/mcp');
    const address = await run('test', 'gone');
    expect(address.err).toContain('Check its address');
    expect(address.err).not.toContain('by hand');
  });

  it('remove logs out only when no other file names the server', async () => {
    const key = 'mcp.oauth:two';
    const kept = () => readFileSync(join(folder, 'home', 'secrets.json'), 'utf8');
    writeFileSync(join(folder, 'home', 'secrets.json'), JSON.stringify({ [key]: '{}' }), {
      mode: 0o600,
    });
    expect((await run('remove', 'two', '--project')).code).toBe(2);
    expect(kept()).toContain(key);
    expect((await run('remove', 'two')).code).toBe(0);
    expect(kept()).not.toContain(key);
  });

  it.each([
    ['remove'],
    ['enable'],
    ['disable'],
    ['test'],
    ['logs'],
    ['restart'],
    ['login'],
    ['logout'],
  ])('%s of a server that is not there says which it could be', async (word) => {
    const { code, err } = await run(word, 'ome');
    expect(code).toBe(2);
    expect(err).toContain('Did you mean one?');
  });

  it('login fails for a server that is a program', async () => {
    const { code, err } = await run('login', 'one');
    expect(code).toBe(2);
    expect(err).toContain('This server has no login.');
  });

  it.each(['servers', 'tokens', 'approvals', 'secrets', 'audit', 'permissions', 'tools'])(
    'a word that is no subcommand of %s is said so',
    async (group) => {
      const { code, err } = await session([group, 'lsit']);
      expect(code).toBe(2);
      expect(err).toContain(`${group} has no such subcommand.`);
      expect(err).toContain('Did you mean list?');
    },
  );

  it('names the tool that was meant by a word that is no subcommand', async () => {
    const { err } = await session(['tools', 'calculator']);
    expect(err).toContain('To see that tool: toolcrib tools info calculator');
  });

  it('a missing argument points to the help of that command', async () => {
    expect((await session(['servers', 'login'])).err).toContain('toolcrib servers login --help');
    expect((await session(['servers', '--nonsense'])).err).toContain(
      'See: toolcrib servers --help',
    );
  });

  it('explains that a port is taken', async () => {
    const taken = createServer();
    await once(taken.listen(0, '127.0.0.1'), 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, err } = await session(['mcp', '--http', String(port)]);
    expect([code, err.includes('The port is in use by another program.')]).toEqual([1, true]);
    taken.close();
  });

  it.each([
    ['servers', 'login', 'two', '--port', '65536'],
    ['serve', '--port', '65536'],
    ['mcp', '--http', '65536'],
  ])('%s %s %s %s: a port that cannot be is bad usage', async (...args) => {
    const { code, err } = await session(args);
    expect([code, err.includes('to 65535.')]).toEqual([2, true]);
  });
});
