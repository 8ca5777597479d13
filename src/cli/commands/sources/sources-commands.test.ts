/** The commands of `toolcrib sources`, on a configuration with one source behind a small driver. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';

vi.mock('../../../sources/openapi/openapi-driver.ts', async () => {
  const { createSmallDriver } = await import('../../../../test/fixtures/small-driver.ts');
  return { createOpenapiDriver: createSmallDriver };
});

let root: string;

const offer = (operations: Readonly<Record<string, string>>): Promise<void> =>
  writeFile(join(root, 'project', 'lamps.json'), JSON.stringify({ operations }));

const CONFIG = `sources:
  openapi:
    lamps:
      document: lamps.json
      headers:
        X-Key: plain-value
        Authorization: Bearer \${secret:LAMPS_KEY}
mcp:
  servers:
    files: { command: no-such-program, enabled: false }
`;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-sources-')));
  await mkdir(join(root, 'project'));
  await mkdir(join(root, 'own'));
  await writeFile(join(root, 'own', 'config.yml'), CONFIG);
  await offer({ list: 'read_only', watch: 'refused' });
});

afterEach(() => rm(root, { recursive: true, force: true }));

const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({
    cwd: join(root, 'project'),
    env: { HOME: root, TOOLCRIB_HOME: join(root, 'own') },
    json: args.includes('--json'),
  });
  const code = await runCli(args, io);
  return { code, out: out(), err: err() };
};

describe('toolcrib sources', { timeout: 60_000 }, () => {
  it('lists all kinds in one table, MCP servers among them', async () => {
    const { code, out } = await run('sources');
    expect(code).toBe(0);
    expect(out).toMatch(/lamps +openapi +ready +1 +1 +\d{4}-.* lamps\.json/);
    expect(out).toMatch(/files +mcp +disabled/);
    const { sources, servers } = JSON.parse((await run('sources', '--json')).out);
    expect([sources[0].name, servers[0].name]).toEqual(['lamps', 'files']);
  });

  it('reads a source again and shows what was added, removed and changed', async () => {
    await run('sources');
    await offer({ list: 'write', dim: 'write' });
    const { code, out, err } = await run('sources', 'refresh', 'lamps');
    expect(code).toBe(0);
    expect(out).toContain('+ dim');
    expect(out).toContain('~ list');
    expect(err).toContain('toolcrib tools lock --accept-all');
    expect((await run('sources', 'refresh')).out).toContain('nothing has changed');
    await offer({ dim: 'write' });
    const { sources } = JSON.parse((await run('sources', 'refresh', '--json')).out);
    expect(sources[0].change).toEqual({ added: [], removed: ['list'], changed: [] });
  });

  it('says why a source cannot be read, keeps its tools, and fails', async () => {
    await run('sources');
    await writeFile(join(root, 'project', 'lamps.json'), 'no JSON');
    const { code, err } = await run('sources', 'test', 'lamps');
    expect(code).not.toBe(0);
    expect(err).toContain('toolcrib sources info lamps');
    expect((await run('sources')).out).toMatch(/lamps +openapi +ready +1/);
  });

  it('tests a source and names its tools in quarantine', async () => {
    const { code, out, err } = await run('sources', 'test', 'lamps');
    expect([code, out]).toEqual([0, expect.stringMatching(/list +read_only +new/)]);
    expect(err).toContain('toolcrib tools accept list');
  });

  it('threat: shows the settings of a source without the values of its headers', async () => {
    const { out, err } = await run('sources', 'info', 'lamps');
    expect(out).toContain('your configuration');
    expect(out).not.toContain('plain-value');
    expect(out).toContain('LAMPS_KEY');
    expect(err).toContain('watch: it is a subscription');
  });

  it('switches a source off and on, and removes it', async () => {
    expect((await run('sources', 'disable', 'lamps')).out).toContain('Disabled source: lamps');
    expect((await run('sources')).out).toMatch(/lamps +openapi +disabled/);
    expect((await run('sources', 'enable', 'lamps')).code).toBe(0);
    expect((await run('sources', 'enable', 'lamps')).out).toContain('already enabled');
    expect((await run('sources', 'remove', 'lamps')).code).toBe(0);
    expect(await readFile(join(root, 'own', 'config.yml'), 'utf8')).not.toContain('lamps');
    const { err, code } = await run('sources', 'remove', 'lamps');
    expect([code, err.includes('toolcrib add <address>')]).toEqual([2, true]);
  });

  it.each(['login', 'logout'])('refuses %s of a source that has no login', async (word) => {
    const { code, err } = await run('sources', word, 'lamps');
    expect([code, err.includes('This source has no login.')]).toEqual([2, true]);
  });

  it('points from a server to the commands of servers', async () => {
    expect((await run('sources', 'info', 'files')).err).toContain('toolcrib servers test files');
  });
});
