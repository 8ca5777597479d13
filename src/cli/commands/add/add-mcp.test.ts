import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';

let root: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-add-mcp-')));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const run = async (...args: readonly string[]) => {
  const env = { HOME: root, PATH: process.env.PATH, TOOLCRIB_HOME: join(root, 'home') };
  const { io, err } = fakeIo({ cwd: root, env });
  return { code: await runCli(args, io), err: err() };
};

describe('toolcrib add mcp --dry-run', { timeout: 60_000 }, () => {
  it('says what a program wrote that does not start, and names no log that nobody has', async () => {
    const { code, err } = await run('add', 'mcp', '--dry-run', '--', 'node', 'missing.mjs');
    expect(code).toBe(1);
    expect(err).toMatch(/It wrote: .*Cannot find module/);
    expect(err).not.toContain('servers logs');
  });

  it('says what to check where a program says nothing', async () => {
    await writeFile(join(root, 'silent.mjs'), 'process.exit(3);');
    const { err } = await run('add', 'mcp', '--dry-run', '--', 'node', 'silent.mjs');
    expect(err).toContain('Check the address, or the command and its arguments.');
  });
});
