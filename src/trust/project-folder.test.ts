import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../kit/data/canonical-json.ts';
import { readProjectFolder } from './project-folder.ts';

let projectDir: string;

beforeEach(async () => {
  projectDir = await mkdtemp(join(tmpdir(), 'toolcrib-folder-'));
});

afterEach(() => rm(projectDir, { recursive: true, force: true }));

const fileOf = (name: string): string => join(projectDir, '.toolcrib', name);

const write = async (name: string, text: string): Promise<void> => {
  await mkdir(dirname(fileOf(name)), { recursive: true });
  await writeFile(fileOf(name), text);
};

const read = () => readProjectFolder({ projectDir, realDir: projectDir });

const faults = async (): Promise<readonly string[]> =>
  (await read()).problems.map(
    ({ file, message }) => `${file.slice(projectDir.length)}: ${message}`,
  );

describe('readProjectFolder', () => {
  it('lists what would be obeyed, and nothing else', async () => {
    const obeyed = ['config.yml', 'flows/a.json', 'policy/x.yaml', 'tools.lock', 'tools/a/b.ts'];
    for (const name of obeyed) await write(name, name);
    for (const name of ['state.db', 'cache/x.yml', 'notes.txt', 'config.yml.bak']) {
      await write(name, name);
    }
    const { files, contents, problems } = await read();
    expect(files).toEqual(Object.fromEntries(obeyed.map((name) => [name, sha256Hex(name)])));
    expect([...contents.keys()].toSorted()).toEqual([
      'config.yml',
      'flows/a.json',
      'policy/x.yaml',
      'tools.lock',
      'tools/a/b.ts',
    ]);
    expect(problems).toEqual([]);
  });

  it('has a hash that depends on names and contents, and not on their order', async () => {
    await write('tools/a', '1');
    await write('tools/b', '2');
    const first = (await read()).hash;
    await rm(fileOf('tools'), { recursive: true });
    await write('tools/b', '2');
    await write('tools/a', '1');
    expect((await read()).hash).toBe(first);
    await write('tools/a', '2');
    await write('tools/b', '1');
    expect((await read()).hash).not.toBe(first);
  });

  it('takes Tools for tools, as some file systems do', async () => {
    await write('Tools/evil.ts', 'x');
    await write('Config.YML', 'x');
    expect(Object.keys((await read()).files)).toEqual(['Config.YML', 'Tools/evil.ts']);
  });

  it.skipIf(process.platform === 'win32')('does not wait for a pipe', async () => {
    await write('tools.lock', 'x');
    await promisify(execFile)('mkfifo', [fileOf('config.yml')]);
    expect(await faults()).toEqual(['/.toolcrib/config.yml: is not a regular file']);
  });

  it('refuses files and folders without measure', async () => {
    await write('tools/huge', '');
    await truncate(fileOf('tools/huge'), 9 * 1024 * 1024);
    expect(await faults()).toEqual(['/.toolcrib/tools/huge: is larger than 8388608 bytes']);
    await truncate(fileOf('tools/huge'), 0);
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await write(`tools/${name}`, '');
      await truncate(fileOf(`tools/${name}`), 7 * 1024 * 1024);
    }
    expect(await faults()).toHaveLength(1);
    await rm(fileOf('tools'), { recursive: true });
    await write(`tools/${'d/'.repeat(20)}x`, '');
    expect(await faults()).toEqual([expect.stringMatching(/d: is nested too deep$/)]);
  });

  it('refuses more files than anybody looks at', async () => {
    await mkdir(fileOf('tools'), { recursive: true });
    for (let at = 0; at <= 2000; at += 1) await writeFile(fileOf(`tools/${at}`), '');
    expect(await faults()).toEqual(['/.toolcrib/tools: holds more than 2000 files']);
  });

  it('says who a file belongs to before it reads it', async () => {
    await write('config.yml', 'x');
    const check = () => 'belongs to another user';
    const { files, problems } = await readProjectFolder({ projectDir, realDir: projectDir, check });
    expect(files).toEqual({});
    expect(problems).toMatchObject([{ message: 'belongs to another user' }]);
  });

  it('is a problem when there is no folder', async () => {
    expect(await faults()).toEqual([
      '/.toolcrib: is not there any more; to give its rules up: toolcrib trust --revoke',
    ]);
  });
});
