/** Every command of docs/sources.md, run on the built program in the order of the page. */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const base = mkdtempSync(join(tmpdir(), 'toolcrib-sources-page-'));
const project = join(base, 'project');
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** Lines of the page's shell blocks; `#` starts what the line shows. */
const commands = [
  ...readFileSync(join(root, 'docs/sources.md'), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm),
].flatMap(([, block = '']) => block.split('\n').filter((line) => line !== ''));

const CLI = join(root, 'dist/cli/main.js');

const runLine = async (line: string) => {
  const [command = '', expected] = line.split(/\s+# /);
  const [program, ...args] = command.split(' ');
  if (program !== 'toolcrib') throw new Error(`not a command of ours: ${line}`);
  const env = { PATH: process.env.PATH, HOME: base, TOOLCRIB_HOME: join(base, 'home') };
  const answer = await run(process.execPath, [CLI, ...args], { cwd: project, env });
  return { text: answer.stdout + answer.stderr, expected };
};

describe('the commands of docs/sources.md', () => {
  it('do what the page says, one after the other', { timeout: 240_000 }, async () => {
    mkdirSync(join(project, 'specs'), { recursive: true });
    cpSync(join(root, 'test/fixtures/lamps.yaml'), join(project, 'specs/lamps.yaml'));
    cpSync(
      join(root, 'test/fixtures/mcp-servers/odd-server.mjs'),
      join(project, 'notes-server.mjs'),
    );
    expect(commands.length).toBeGreaterThan(8);
    for (const line of commands) {
      const { text, expected } = await runLine(line);
      if (expected !== undefined)
        expect([line, text]).toEqual([line, expect.stringContaining(expected)]);
    }
  });
});
