/** What `doctor --fix` repairs, what it leaves alone, and that it asks. */
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';
import { serveFileName } from '../../session/running-server.ts';
import { findRepairs } from './own-files.ts';
import { workspaceRepair } from './workspace-repair.ts';

/** No process has this number: Linux stops at 4,194,304. */
const DEAD = 99_999_999;
const OLD = new Date('2020-01-01');

let root: string;
let home: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-doctor-fix-')));
  home = join(root, 'user');
  await mkdir(join(home, 'keys'), { recursive: true, mode: 0o700 });
  await mkdir(join(home, 'run'), { mode: 0o700 });
  await mkdir(join(root, 'project'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const modeOf = async (path: string): Promise<string> =>
  ((await stat(path)).mode & 0o777).toString(8);

const doctor = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({
    cwd: join(root, 'project'),
    env: { HOME: root, TOOLCRIB_HOME: home },
    json: args.includes('--json'),
  });
  return { code: await runCli(['doctor', ...args], io), out: out(), err: err() };
};

const repair = async (): Promise<void> => {
  for (const { apply } of await findRepairs(home, Date.now())) await apply();
};

const faults = async (): Promise<readonly string[]> =>
  (await findRepairs(home, Date.now())).map(({ fault }) => fault.replaceAll(home, '~'));

const serveFile = (pid: number): string => join(home, 'run', serveFileName(pid));

describe('findRepairs', () => {
  it('finds nothing in a folder that is in order', async () => {
    await writeFile(join(home, 'keys', 'signing.pem'), 'key', { mode: 0o600 });
    await writeFile(join(home, 'config.yml'), '', { mode: 0o644 });
    await writeFile(serveFile(process.pid), '{}');
    expect(await faults()).toEqual([]);
  });

  it('makes keys and secrets private, and keeps what the user may do with them', async () => {
    const files = ['keys/signing.pem', 'secrets.json', 'config.yml'].map((name) =>
      join(home, name),
    );
    for (const file of files) await writeFile(file, 'text');
    for (const file of files) await chmod(file, 0o666);
    await chmod(home, 0o755);
    expect((await faults()).toSorted()).toEqual([
      'Other users can change ~/config.yml',
      'Other users can read or change ~',
      'Other users can read or change ~/keys/signing.pem',
      'Other users can read or change ~/secrets.json',
    ]);
    await repair();
    expect(await Promise.all([home, ...files].map(modeOf))).toEqual(['700', '600', '600', '644']);
    expect(await faults()).toEqual([]);
  });

  it('removes what servers and killed processes left, and nothing else', async () => {
    const kept = [
      'run/notes.txt',
      `run/serve-elsewhere-${DEAD}.json`,
      'config.yml',
      '.toolcrib-new',
    ];
    for (const name of kept) await writeFile(join(home, name), 'text', { mode: 0o600 });
    for (const file of [serveFile(DEAD), serveFile(process.pid), join(home, '.toolcrib-old')]) {
      await writeFile(file, '{}', { mode: 0o600 });
    }
    await utimes(join(home, '.toolcrib-old'), OLD, OLD);
    await utimes(join(home, 'config.yml'), OLD, OLD);
    await repair();
    expect(await readdir(join(home, 'run'))).toEqual(
      expect.arrayContaining(['notes.txt', `serve-elsewhere-${DEAD}.json`]),
    );
    expect(await readdir(join(home, 'run'))).toHaveLength(3);
    expect(await readdir(home)).toEqual(expect.arrayContaining(['config.yml', '.toolcrib-new']));
    expect(await readdir(home)).not.toContain('.toolcrib-old');
  });

  it('makes the folder of the user when it is missing, for that user alone', async () => {
    await rm(home, { recursive: true });
    expect(await faults()).toEqual(["The user's folder ~ is missing"]);
    await repair();
    expect(await modeOf(home)).toBe('700');
  });

  it('threat: a link in the place of a key does not change the mode of what it leads to', async () => {
    const victim = join(root, 'victim');
    await writeFile(victim, 'text');
    await chmod(victim, 0o644);
    await symlink(victim, join(home, 'keys', 'signing.pem'));
    await symlink(victim, join(home, '.toolcrib-link'));
    await repair();
    expect(await modeOf(victim)).toBe('644');
    expect(await readdir(home)).toContain('.toolcrib-link');
  });

  it('threat: a link in the place of a folder has nothing behind it removed or changed', async () => {
    const victim = join(root, 'victim');
    await mkdir(join(victim, 'tools'), { recursive: true });
    const files = ['old.txt', '.toolcrib-old', serveFileName(DEAD), 'tools/old.txt'];
    for (const name of files) await writeFile(join(victim, name), 'text', { mode: 0o644 });
    for (const name of files) await utimes(join(victim, name), OLD, OLD);
    for (const folder of ['keys', 'run']) await rm(join(home, folder), { recursive: true });
    for (const folder of ['keys', 'run', 'cache']) await symlink(victim, join(home, folder));
    expect(await faults()).toEqual([]);
    await rm(join(home, 'cache'));
    await mkdir(join(home, 'cache', 'tools'), { recursive: true, mode: 0o700 });
    await chmod(join(home, 'cache'), 0o700);
    await writeFile(join(home, 'cache', 'tools', 'old.js'), 'text', { mode: 0o600 });
    await utimes(join(home, 'cache', 'tools', 'old.js'), OLD, OLD);
    const [found] = await findRepairs(home, Date.now());
    await rm(join(home, 'cache', 'tools'), { recursive: true });
    await symlink(join(victim, 'tools'), join(home, 'cache', 'tools'));
    await found?.apply();
    for (const name of files) expect(await modeOf(join(victim, name))).toBe('644');
  });

  it('threat: a link that takes the place of a file between question and repair is refused', async () => {
    const [victim, key] = [join(root, 'victim'), join(home, 'keys', 'signing.pem')];
    for (const file of [victim, key]) await writeFile(file, 'text');
    for (const file of [victim, key]) await chmod(file, 0o644);
    const [found] = await findRepairs(home, Date.now());
    await rm(key);
    await symlink(victim, key);
    await expect(found?.apply()).rejects.toThrow(/ELOOP|symbolic/);
    expect(await modeOf(victim)).toBe('644');
  });
});

describe('workspaceRepair', () => {
  const repairs = (workspace: string) =>
    workspaceRepair({ config: { workspace: { root: workspace } } } as never, join(root, 'project'));

  it('makes a missing workspace below the project', async () => {
    const [found] = await repairs('work/here');
    await found?.apply();
    expect((await stat(join(root, 'project/work/here'))).isDirectory()).toBe(true);
    expect(await repairs('work/here')).toEqual([]);
  });

  it('threat: makes nothing outside the project, also not through a link', async () => {
    await symlink(root, join(root, 'project', 'out'));
    expect(await repairs('../elsewhere')).toEqual([]);
    expect(await repairs('out/elsewhere')).toEqual([]);
    expect(await repairs(join(root, 'elsewhere'))).toEqual([]);
    expect(await readdir(root)).not.toContain('elsewhere');
  });
});

describe('toolcrib doctor --fix', { timeout: 120_000 }, () => {
  it('shows and repairs with --yes, and checks again', async () => {
    await chmod(home, 0o755);
    const before = await doctor();
    expect(before.out).toContain('Repair it: toolcrib doctor --fix');
    const { code, out } = await doctor('--fix', '--yes', '--json');
    const { repaired, checks, ready } = JSON.parse(out) as {
      readonly repaired: readonly { readonly done: boolean }[];
      readonly checks: readonly { readonly name: string }[];
      readonly ready: boolean;
    };
    expect([code, ready, repaired]).toMatchObject([0, true, [{ done: true }]]);
    expect(checks.map(({ name }) => name)).not.toContain('files');
    expect(await modeOf(home)).toBe('700');
  });

  it('changes nothing where nobody can be asked', async () => {
    await chmod(home, 0o755);
    const { code, err } = await doctor('--fix');
    expect(code).not.toBe(0);
    expect(err).toContain('--yes');
    expect(await modeOf(home)).toBe('755');
  });

  it('takes --yes only with --fix', async () => {
    expect((await doctor('--yes')).code).not.toBe(0);
  });
});
