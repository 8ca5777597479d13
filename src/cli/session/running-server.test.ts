import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { announceServe, findServe } from './running-server.ts';

const scope = vi.hoisted(() => ({ name: 'host pid:[1]' }));
vi.mock(import('../../kit/sqlite/process-identity.ts'), async (original) => ({
  ...(await original()),
  pidScope: () => scope.name,
}));

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolcrib-running-'));
});
afterEach(() => rm(home, { recursive: true }));

const URL_OF_SERVER = 'http://127.0.0.1:7420';

const announce = (pid: number) => announceServe(home, { pid, url: URL_OF_SERVER, root: '/work' });

/** Changes what the file of the one announced server says. */
const rewrite = async (change: (file: Record<string, unknown>) => object): Promise<void> => {
  const [name = ''] = await readdir(join(home, 'run'));
  const path = join(home, 'run', name);
  const file = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
  await writeFile(path, JSON.stringify(change(file)));
};

describe('findServe', () => {
  it('finds the server of a folder while it runs, and not that of another folder', async () => {
    const withdraw = await announce(process.pid);
    expect(await findServe(home, '/work')).toMatchObject({ url: URL_OF_SERVER, pid: process.pid });
    expect(await findServe(home, '/elsewhere')).toBeUndefined();
    await withdraw();
    expect(await findServe(home, '/work')).toBeUndefined();
  });

  it('tells two containers of one host name and process id on one volume apart', async () => {
    await announce(process.pid);
    scope.name = 'host pid:[2]';
    await announceServe(home, { pid: process.pid, url: 'http://127.0.0.1:2', root: '/work' });
    expect(await readdir(join(home, 'run'))).toHaveLength(2);
    expect((await findServe(home, '/work'))?.url).toBe('http://127.0.0.1:2');
    scope.name = 'host pid:[1]';
    expect((await findServe(home, '/work'))?.url).toBe(URL_OF_SERVER);
  });

  it('does not find a server that was killed', async () => {
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)']);
    await once(child, 'spawn');
    await announce(child.pid ?? 0);
    expect(await findServe(home, '/work')).toMatchObject({ pid: child.pid });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await findServe(home, '/work')).toBeUndefined();
  });

  it.each([
    ['a process that started at another time', { started: '1' }],
    ['a process before the machine was started again', { place: 'host old-boot-id pid:[1]' }],
  ])('threat: the id of a server given to another process: %s', async (_case, other) => {
    await announce(process.pid);
    await rewrite((file) => ({ ...file, ...other }));
    expect(await findServe(home, '/work')).toBeUndefined();
  });

  it('threat: a file that names no start of its process is not trusted with a token', async () => {
    await announce(process.pid);
    await rewrite(({ pid, url, root }) => ({ pid, url, root }));
    expect(await findServe(home, '/work')).toBeUndefined();
  });
});
