/** The lock in a crib: files, trust, and that a held tool cannot be called. */
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool } from '../../test/fixtures/test-crib.ts';
import { trustAround } from '../../test/fixtures/trust-project.ts';
import type { Crib } from '../contract/crib.ts';
import type { Tool } from '../contract/tool.ts';
import { readProjectTrust } from '../trust/project-trust.ts';
import { createCrib } from './create-crib.ts';
import type { CribOptions } from './crib-options.ts';

let root: string;
let project: string;
let userDir: string;
let opened: Crib[];

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-lock-')));
  project = join(root, 'project');
  userDir = join(root, 'user');
  opened = [];
  await mkdir(join(project, '.toolcrib'), { recursive: true });
});

afterEach(async () => {
  await Promise.all(opened.map((crib) => crib.close()));
  await rm(root, { recursive: true, force: true });
});

const place = () => ({ cwd: project, home: root, env: { TOOLCRIB_HOME: userDir } });

const echo = (more: Parameters<typeof aTool>[0] = {}): Tool => aTool({ run: () => 'ran', ...more });

const serve = async (tools: readonly Tool[], options: CribOptions = {}): Promise<Crib> => {
  const crib = await createCrib({
    builtins: false,
    store: 'memory',
    home: userDir,
    sources: [{ kind: 'mcp', label: 'mcp:x', load: async () => tools }],
    policy: { version: 1, rules: [{ name: 'all', effect: 'allow' }] },
    runtime: { log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} } },
    ...options,
  });
  opened.push(crib);
  return crib;
};

const inProject = async (tools: readonly Tool[], options: CribOptions = {}): Promise<Crib> =>
  serve(tools, {
    lock: { userDir, project: { ...place(), trust: await readProjectTrust(place()) } },
    ...options,
  });

const codeOf = async (crib: Crib, tool = 'echo'): Promise<string | undefined> =>
  (await crib.execute(tool, {})).error?.code;

const projectLock = () => join(project, '.toolcrib', 'tools.lock');

describe('a tool from outside', () => {
  it('cannot be called before it is accepted, and can afterwards', async () => {
    const crib = await serve([echo()]);
    const { error, status } = await crib.execute('echo', {});
    expect([status, error?.code]).toEqual(['denied', 'TOOL_QUARANTINED']);
    expect(error?.suggestions).toEqual([
      'Look at it and let it out with: toolcrib tools accept echo',
    ]);
    await crib.tools.lock.accept(['echo'], 'ada');
    expect((await crib.execute('echo', {})).data).toBe('ran');
    expect((await stat(join(userDir, 'tools.lock'))).mode & 0o777).toBe(0o600);
    expect(await readdir(userDir)).toEqual(['tools.lock']);
    expect(await codeOf(await serve([echo()]))).toBeUndefined();
    expect(await codeOf(await serve([echo({ description: 'Other.' })]))).toBe('TOOL_QUARANTINED');
  });

  it('is not reached by name and version, from another tool, or by a dry run', async () => {
    const crib = await serve([echo()]);
    crib.tools.register(
      aTool({
        name: 'caller',
        run: async (_input, context) => (await context.call('echo', {})).error?.code,
      }),
    );
    expect((await crib.execute('echo', {}, { version: '1.0.0' })).error?.code).toBe(
      'TOOL_QUARANTINED',
    );
    expect((await crib.execute('echo', {}, { dryRun: true })).error?.code).toBe('TOOL_QUARANTINED');
    expect((await crib.execute('caller', {})).data).toBe('TOOL_QUARANTINED');
  });

  it('can be accepted for the life of the crib alone', async () => {
    const crib = await serve([echo()], { lock: 'memory' });
    await crib.tools.lock.accept(['echo'], 'ada');
    expect(await codeOf(crib)).toBeUndefined();
    await expect(readdir(userDir)).rejects.toThrow('ENOENT');
  });

  it('is not quarantined when the lock is off', async () => {
    const crib = await serve([echo()], { config: { registry: { lock: 'off' } } });
    expect(await codeOf(crib)).toBeUndefined();
    await expect(crib.tools.lock.accept(['echo'], 'ada')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
  });

  it('stays switched off when it is accepted', async () => {
    const crib = await serve([echo()], { config: { tools: { echo: { enabled: false } } } });
    await crib.tools.lock.accept(['echo'], 'ada');
    expect(await codeOf(crib)).toBe('TOOL_DISABLED');
  });

  it('is accepted for good on first use in mode trust-first-use', async () => {
    const config = { registry: { lock: 'trust-first-use' as const } };
    expect(await codeOf(await serve([echo()], { config }))).toBeUndefined();
    const later = await serve([echo({ description: 'Other.' })], { config });
    expect(await codeOf(later)).toBe('TOOL_QUARANTINED');
  });
});

describe('the lock of a project', () => {
  it('is written when the project is trusted, and keeps it trusted, again and again', async () => {
    await writeFile(join(project, '.toolcrib', 'config.yml'), '# mine\n');
    await trustAround(place());
    const crib = await inProject([echo(), echo({ name: 'other' })]);
    await crib.tools.lock.accept(['echo'], 'ada');
    await crib.tools.lock.accept(['other'], 'ada');
    expect(JSON.parse(await readFile(projectLock(), 'utf8'))).toMatchObject({
      tools: [{ tool: 'echo' }, { tool: 'other' }],
    });
    expect((await readProjectTrust(place())).state).toBe('trusted');
    expect(await readdir(join(project, '.toolcrib'))).toEqual(['config.yml', 'tools.lock']);
    const again = await inProject([echo()]);
    expect(await codeOf(again)).toBeUndefined();
    expect(again.tools.lock.states().map(({ tool, state }) => [tool, state])).toEqual([
      ['echo', 'accepted'],
      ['other', 'gone'],
    ]);
  });

  it('holds beside the lock of the user', async () => {
    await (await serve([echo()])).tools.lock.accept(['echo'], 'ada');
    await writeFile(join(project, '.toolcrib', 'config.yml'), '# mine\n');
    await trustAround(place());
    expect(await codeOf(await inProject([echo()]))).toBeUndefined();
  });

  it('threat: a cloned repository cannot accept its own poisoned tools before it is trusted', async () => {
    await writeFile(join(project, '.toolcrib', 'config.yml'), '# mine\n');
    await trustAround(place());
    await (await inProject([echo()])).tools.lock.accept(['echo'], 'ada');
    await rm(join(userDir, 'trust.json'));
    const cloned = await inProject([echo()]);
    expect(await codeOf(cloned)).toBe('TOOL_QUARANTINED');
    await trustAround(place());
    expect(await codeOf(await inProject([echo()]))).toBeUndefined();
  });

  it('threat: a project whose lock was changed by a pull is no longer trusted', async () => {
    await writeFile(join(project, '.toolcrib', 'config.yml'), '# mine\n');
    await trustAround(place());
    const crib = await inProject([echo()]);
    await crib.tools.lock.accept(['echo'], 'ada');
    const text = await readFile(projectLock(), 'utf8');
    await writeFile(projectLock(), text.replace('"ada"', '"eve"'));
    expect((await readProjectTrust(place())).state).toBe('changed');
    expect(await codeOf(await inProject([echo()]))).toBe('TOOL_QUARANTINED');
    await expect(
      (
        await inProject([echo()], {
          lock: { userDir, project: { ...place(), trust: await readProjectTrust(place()) } },
        })
      ).tools.lock.accept(['echo'], 'ada'),
    ).resolves.toHaveLength(1);
    expect(await readFile(projectLock(), 'utf8')).toContain('"eve"');
  });

  it('threat: accepting a tool does not trust another file that changed meanwhile', async () => {
    await writeFile(join(project, '.toolcrib', 'config.yml'), '# mine\n');
    await trustAround(place());
    const crib = await inProject([echo()]);
    await writeFile(
      join(project, '.toolcrib', 'config.yml'),
      'mcp: {servers: {evil: {command: sh}}}\n',
    );
    await crib.tools.lock.accept(['echo'], 'ada');
    expect(await codeOf(crib)).toBeUndefined();
    const trust = await readProjectTrust(place());
    expect(trust).toMatchObject({ state: 'changed', changed: ['config.yml'] });
    expect(String(trust.inForce?.contents.get('config.yml'))).toBe(
      String(new TextEncoder().encode('# mine\n')),
    );
  });

  it('threat: a link at the path of the lock is not followed', async () => {
    await writeFile(join(root, 'victim'), 'keep me');
    await writeFile(join(project, '.toolcrib', 'config.yml'), '# mine\n');
    await trustAround(place());
    const crib = await inProject([echo()]);
    await symlink(join(root, 'victim'), projectLock());
    await expect(crib.tools.lock.accept(['echo'], 'ada')).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(await readFile(join(root, 'victim'), 'utf8')).toBe('keep me');
  });

  it('refuses the second of two simultaneous writers, so that no acceptance is lost', async () => {
    const [one, two] = [await serve([echo()]), await serve([echo()])];
    await one?.tools.lock.accept(['echo'], 'ada');
    await expect(two?.tools.lock.accept(['echo'], 'bob')).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(two && (await codeOf(two))).toBe('TOOL_QUARANTINED');
  });
});

describe('an invalid lock file', () => {
  beforeEach(() => mkdir(userDir, { recursive: true }));

  const lockFile = () => join(userDir, 'tools.lock');

  it('stops the start, with file and line', async () => {
    await writeFile(lockFile(), '{\n  "version": 1,\n<<<<<<< HEAD\n', { mode: 0o600 });
    await expect(serve([])).rejects.toThrow(`${lockFile()}:3:1: is not JSON`);
  });

  it.each(['strict', 'trust-first-use'] as const)(
    'stops it whatever the mode: %s',
    async (lock) => {
      await writeFile(lockFile(), 'x', { mode: 0o600 });
      await expect(serve([], { config: { registry: { lock } } })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      });
    },
  );

  it('that other users can write is refused', async () => {
    await writeFile(lockFile(), '{}', { mode: 0o600 });
    const { chmod } = await import('node:fs/promises');
    await chmod(lockFile(), 0o666);
    await expect(serve([])).rejects.toThrow('can be written by others');
  });
});
