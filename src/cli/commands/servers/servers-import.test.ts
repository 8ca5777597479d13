import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { Io } from '../../io.ts';
import { runCli } from '../../run-cli.ts';

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'cli-import-')));
  mkdirSync(join(home, 'project'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

interface Answering {
  readonly answer?: string;
}

const run = async (args: readonly string[], { answer }: Answering = {}) => {
  const isTTY = answer !== undefined;
  const input = Object.assign(new PassThrough(), { fd: -1, isTTY });
  input.end(answer ?? '');
  const { io, out, err } = fakeIo({
    json: args.includes('--json'),
    cwd: join(home, 'project'),
    env: { HOME: home, TOOLCRIB_HOME: join(home, 'own'), APPDATA: join(home, 'AppData') },
    stdin: input as unknown as Io['stdin'],
  });
  Object.assign(io.stderr, { isTTY });
  const code = await runCli(['servers', 'import', ...args], io);
  return { code, out: out(), err: err() };
};

const put = (path: string, text: string): string => {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

const CURSOR = `{
  // my servers
  "mcpServers": {
    "git": { "command": "git-server", "env": { "GITHUB_TOKEN": "ghp_canary", "LOG": "info" } },
    "bad": { "command": 7 }
  },
  "theme": "dark",
}
`;

const own = (): string => readFileSync(join(home, 'own', 'config.yml'), 'utf8');
const secrets = (): unknown => JSON.parse(readFileSync(join(home, 'own', 'secrets.json'), 'utf8'));
const nothingKept = (): void => expect(existsSync(join(home, 'own'))).toBe(false);

describe('toolcrib servers import', { timeout: 30_000 }, () => {
  it('--dry-run shows what it would import, without secrets, and changes nothing', async () => {
    put('.cursor/mcp.json', CURSOR);
    const { code, out, err } = await run(['--dry-run']);
    expect(code).toBe(0);
    expect(err).toContain('Cursor:');
    expect(err).toContain('+ git  git-server');
    expect(err).toContain('env.GITHUB_TOKEN looks like a secret: stored as MCP_GIT_GITHUB_TOKEN');
    expect(err).toContain('✗ bad  left out');
    expect(out).toBe('Nothing was changed.\n');
    expect(out + err).not.toContain('canary');
    nothingKept();
  });

  it('imports after a yes, and stores the secret as one', async () => {
    put('.cursor/mcp.json', CURSOR);
    const { code, out, err } = await run([], { answer: 'y\n' });
    expect(code).toBe(0);
    expect(err).toContain('Import 1 server, store 1 value as secrets?');
    expect(out).toContain('✓ Imported: git');
    expect(own()).toContain('MCP_GIT_GITHUB_TOKEN');
    expect(own() + out + err).not.toContain('canary');
    expect(secrets()).toEqual({ MCP_GIT_GITHUB_TOKEN: 'ghp_canary' });
  });

  it.each([['n\n'], ['\n'], ['']])('%j is no yes', async (answer) => {
    put('.cursor/mcp.json', CURSOR);
    const { code } = await run([], { answer });
    expect(code).toBe(3);
    nothingKept();
  });

  it('needs --yes where nobody can be asked', async () => {
    put('.cursor/mcp.json', CURSOR);
    const { code, err } = await run([]);
    expect(code).toBe(5);
    expect(err).toContain('--yes');
    nothingKept();
  });

  it('finds nothing new the second time', async () => {
    put('.cursor/mcp.json', CURSOR);
    await run(['--yes']);
    const { code, out, err } = await run(['--yes']);
    expect(code).toBe(0);
    expect(out).toBe('There is nothing new to import.\n');
    expect(err).toContain('= git  is configured already');
  });

  it('refuses a name with another definition, and a secret with another value', async () => {
    put('.cursor/mcp.json', CURSOR);
    await run(['--yes']);
    const before = own();
    put('.cursor/mcp.json', CURSOR.replace('git-server', 'other-server'));
    const other = await run(['--yes', '--json']);
    expect(JSON.parse(other.out)).toMatchObject({ taken: [] });
    expect(other.out).toContain('another server of this name is configured already');
    put('.cursor/mcp.json', CURSOR.replace('ghp_canary', 'ghp_canary2'));
    const secret = await run(['--yes', '--json']);
    expect(secret.out).toContain('another secret is stored as MCP_GIT_GITHUB_TOKEN');
    expect(secret.out).not.toContain('canary');
    expect(own()).toBe(before);
    expect(secrets()).toEqual({ MCP_GIT_GITHUB_TOKEN: 'ghp_canary' });
  });

  it('finds the files of all programs', async () => {
    const entry = (name: string, key = 'mcpServers') =>
      JSON.stringify({ [key]: { [name]: { command: name } } });
    put('.claude.json', entry('a'));
    put('.codeium/windsurf/mcp_config.json', entry('b'));
    put('.gemini/settings.json', entry('c'));
    put('project/.vscode/mcp.json', entry('d', 'servers'));
    put('project/.mcp.json', entry('e'));
    const zed = process.platform === 'win32' ? 'AppData/Zed' : '.config/zed';
    put(`${zed}/settings.json`, entry('f', 'context_servers'));
    const { out } = await run(['--dry-run', '--json']);
    const { servers, files } = JSON.parse(out) as {
      servers: { name: string; outcome: string }[];
      files: { client: string; isProject: boolean }[];
    };
    expect(servers.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(files.filter(({ isProject }) => isProject)).toHaveLength(2);
    const only = await run(['--dry-run', '--json', '--from', 'windsurf']);
    expect(JSON.parse(only.out).servers).toMatchObject([{ name: 'b' }]);
  });

  it('threat: --yes imports nothing from the current folder', async () => {
    put('project/.mcp.json', '{"mcpServers": {"evil": {"command": "evil"}}}');
    const { code, err } = await run(['--yes']);
    expect(code).toBe(0);
    expect(err).toContain('Not imported without a look');
    nothingKept();
    expect((await run(['.mcp.json', '--yes'])).out).toContain('Imported: evil');
  });

  it('threat: the content of a file cannot control the terminal', async () => {
    put(
      '.cursor/mcp.json',
      '{"mcpServers": {"a": {"command": "x\\u001b[2J", "args": ["\\u202e"]}}}',
    );
    const { err } = await run(['--dry-run']);
    for (const sign of ['\u001b', '\u202e']) expect(err).not.toContain(sign);
  });

  it('a file that is not JSON is named and does not stop the others', async () => {
    put('.cursor/mcp.json', '{"mcpServers": canary');
    put('.gemini/settings.json', '{"mcpServers": {"c": {"command": "c"}}}');
    const { code, out, err } = await run(['--yes']);
    expect(code).toBe(0);
    expect(err).toContain('is not JSON (line 1: expected a value)');
    expect(out + err).not.toContain('canary');
    expect(out).toContain('Imported: c');
  });

  it('a named file that is no list fails, and nothing is imported', async () => {
    const bad = put('bad.json', '{"mcpServers": canary');
    const good = put('good.json', '{"mcpServers": {"c": {"command": "c"}}}');
    const { code, out, err } = await run([good, bad, '--yes']);
    expect(code).toBe(2);
    expect(err).toContain('bad.json: it is not JSON (line 1: expected a value)');
    expect(out + err).not.toContain('canary');
    expect(out).not.toContain('Taken in');
  });

  it('a named file that does not exist fails', async () => {
    expect((await run(['missing.json'])).code).toBe(2);
  });
});

describe('toolcrib servers import --rewrite', { timeout: 30_000 }, () => {
  const backups = (): readonly string[] =>
    readdirSync(join(home, '.cursor')).filter((name) => name.endsWith('.bak'));

  it('leaves Toolcrib and refused servers in the file; --restore restores it', async () => {
    const file = put('.cursor/mcp.json', CURSOR);
    const { code, out } = await run(['--yes', '--rewrite', '--from', 'cursor']);
    expect(code).toBe(0);
    expect(out).toContain('✓ Rewritten:');
    const after = readFileSync(file, 'utf8');
    expect(after).toMatch(/^\{\n {2}\/\/ my servers\n/);
    expect(after).toContain('"theme": "dark",\n}\n');
    expect(after).toContain('"mcp","--client","cursor"');
    expect(after).toContain('"bad": { "command": 7 }');
    expect(after).not.toContain('git-server');
    expect(backups()).toHaveLength(1);
    expect(readFileSync(join(home, '.cursor', backups()[0] ?? ''), 'utf8')).toBe(CURSOR);
    const back = await run(['--restore', '--yes', '--json']);
    expect(JSON.parse(back.out)).toEqual({ restored: [file], notRestored: [] });
    expect(readFileSync(file, 'utf8')).toBe(CURSOR);
    expect(backups()).toEqual([]);
  });

  it('a rewritten file is not imported or rewritten again', async () => {
    const file = put('.cursor/mcp.json', CURSOR);
    await run(['--yes', '--rewrite']);
    const after = readFileSync(file, 'utf8');
    await run(['--yes', '--rewrite']);
    expect(readFileSync(file, 'utf8')).toBe(after);
    expect(backups()).toHaveLength(1);
    expect(own()).not.toContain('toolcrib');
  });

  /** 250 characters are a name; with the mark of a copy behind it they are too many. */
  const LONG = `${'n'.repeat(245)}.json`;
  const list = (name: string): string => `{"mcpServers": {"${name}": {"command": "${name}"}}}`;
  const threeFiles = (): readonly [string, string, string] => [
    put('.cursor/mcp.json', list('a')),
    put(LONG, list('b')),
    put('good.json', list('c')),
  ];

  it('reports a file that cannot be rewritten beside those that were, and fails', async () => {
    const files = threeFiles();
    const { code, out, err } = await run([...files, '--yes', '--rewrite']);
    expect(code).toBe(1);
    expect(out).toContain('Imported: a, b, c');
    expect(out.match(/Rewritten: .*/g)).toEqual([
      `Rewritten: ${files[0]}`,
      `Rewritten: ${files[2]}`,
    ]);
    expect(err).toContain(`copy: ${join(home, '.cursor', backups()[0] ?? 'none')}`);
    expect(err).toContain(`✗ Not rewritten: ${files[1]}\n  the name of its copy would be too long`);
    expect(err).toContain('After you fixed that: toolcrib servers import --rewrite');
    for (const name of ['a', 'b', 'c']) expect(own()).toContain(`command: ${name}`);
    expect(readFileSync(files[1], 'utf8')).toBe(list('b'));
    expect(readFileSync(files[2], 'utf8')).toContain('toolcrib');
  });

  it('--json names rewritten and unchanged files in one document', async () => {
    const files = threeFiles();
    const { code, out } = await run([...files, '--yes', '--rewrite', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      taken: ['a', 'b', 'c'],
      rewritten: [{ file: files[0] }, { file: files[2] }],
      notRewritten: [{ file: files[1], reason: 'the name of its copy would be too long' }],
    });
  });

  it('reports a list that is not JSON, and leaves it unchanged', async () => {
    const bad = put('.codeium/windsurf/mcp_config.json', '{"mcpServers": canary');
    const good = put('.gemini/settings.json', list('c'));
    const { code, out, err } = await run(['--yes', '--rewrite']);
    expect(code).toBe(1);
    expect(out).toContain(`Rewritten: ${good}`);
    expect(err).toContain(`✗ Not rewritten: ${bad}\n  It is not JSON (line 1: expected a value).`);
    expect(out + err).not.toContain('canary');
  });

  it('a copy that cannot be restored does not stop the others, and fails', async () => {
    const cursor = put('.cursor/mcp.json', list('a'));
    const gemini = put('.gemini/settings.json', list('c'));
    await run(['--yes', '--rewrite']);
    const copy = join(home, '.cursor', backups()[0] ?? '');
    rmSync(copy);
    mkdirSync(copy);
    const { code, out, err } = await run(['--yes', '--restore']);
    expect(code).toBe(1);
    expect(out).toBe(`✓ Restored: ${gemini}\n`);
    expect(err).toContain(`✗ Not restored: ${cursor}`);
    expect(readFileSync(gemini, 'utf8')).toBe(list('c'));
  });

  it('--dry-run and a no change nothing', async () => {
    const file = put('.cursor/mcp.json', CURSOR);
    await run(['--dry-run', '--rewrite', '--yes']);
    await run(['--rewrite'], { answer: 'n\n' });
    expect(readFileSync(file, 'utf8')).toBe(CURSOR);
    expect(backups()).toEqual([]);
  });

  it('says that there is no file, and asks nobody about it', async () => {
    const { code, err } = await run(['--rewrite']);
    expect(code).toBe(2);
    expect(err).toContain('NOT_FOUND: There is no file to rewrite');
    expect(err).toContain('toolcrib servers import <file> --rewrite');
    const file = put('.cursor/mcp.json', CURSOR);
    const other = await run(['--rewrite', '--from', 'zed', '--yes']);
    expect([other.code, other.err.includes('Leave --from out')]).toEqual([2, true]);
    expect(readFileSync(file, 'utf8')).toBe(CURSOR);
  });

  it('--restore without a copy restores nothing', async () => {
    put('.cursor/mcp.json', CURSOR);
    expect((await run(['--restore', '--yes'])).out).toBe('There is no copy to restore.\n');
  });
});
