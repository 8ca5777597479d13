import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trustAround } from '../../../test/fixtures/trust-project.ts';
import { loadConfig } from '../../trust/load-config.ts';

let root: string;
let project: string;
let userDir: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-policy-'));
  project = join(root, 'project');
  userDir = join(root, 'user');
  await mkdir(project);
});

afterEach(() => rm(root, { recursive: true, force: true }));

const write = async (file: string, text: string | Uint8Array): Promise<void> => {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
};

const place = (env: Record<string, string> = {}) => ({
  cwd: project,
  home: root,
  env: { TOOLCRIB_HOME: userDir, ...env },
});

const load = async (env?: Record<string, string>) => {
  if (!env?.TOOLCRIB_CONFIG) await trustAround(place(env));
  const { policyFiles } = await loadConfig(place(env));
  return policyFiles.map(({ path, text, kind }) => [path.slice(root.length + 1), text, kind]);
};

describe('policy files', () => {
  it('are empty without any file', async () => {
    expect(await load()).toEqual([]);
  });

  it('are the user’s and, when trusted, the project’s, each beside its configuration', async () => {
    await write(join(userDir, 'policy.yml'), 'mine');
    await write(join(project, '.toolcrib/policy.yml'), 'theirs');
    expect((await loadConfig(place())).policyFiles).toHaveLength(1);
    expect(await load()).toEqual([
      ['user/policy.yml', 'mine', 'user'],
      ['project/.toolcrib/policy.yml', 'theirs', 'project'],
    ]);
  });

  it('a project does not replace the user’s by naming its own', async () => {
    await write(join(userDir, 'config.yml'), 'policy: {files: [a.yml]}\n');
    await write(join(userDir, 'a.yml'), 'mine');
    await write(join(project, '.toolcrib/config.yml'), 'policy: {files: [./policy/b.yml]}\n');
    await write(join(project, '.toolcrib/policy/b.yml'), 'theirs');
    expect(await load()).toEqual([
      ['user/a.yml', 'mine', 'user'],
      ['project/.toolcrib/policy/b.yml', 'theirs', 'project'],
    ]);
    await write(join(project, '.toolcrib/config.yml'), 'policy: {files: []}\n');
    expect(await load()).toEqual([['user/a.yml', 'mine', 'user']]);
  });

  it.each(['../../user/secret.yml', '/etc/hostname', 'notes.txt', 'gone.yml'])(
    'of a project lie in its folder and are hashed: not %s',
    async (name) => {
      await write(join(userDir, 'secret.yml'), 'x');
      await write(join(project, '.toolcrib/notes.txt'), 'x');
      await write(join(project, '.toolcrib/config.yml'), `policy: {files: [${name}]}\n`);
      await expect(load()).rejects.toThrow('is not among the rules of the project');
    },
  );

  it('that are named have to exist and be text', async () => {
    await write(join(userDir, 'config.yml'), 'policy: {files: [gone.yml]}\n');
    await expect(load()).rejects.toThrow('does not exist, but policy.files names it');
    await write(join(userDir, 'gone.yml'), new Uint8Array([0xff, 0xfe]));
    await expect(load()).rejects.toThrow('is not UTF-8 text');
    await rm(join(userDir, 'config.yml'));
    await write(join(project, '.toolcrib/policy.yml'), '#'.repeat(300_000));
    await expect(load()).rejects.toThrow('is larger than 262144 bytes');
  });

  it('that are no list are reported by the schema', async () => {
    await write(join(userDir, 'config.yml'), 'policy: {files: 5}\n');
    await expect(load()).rejects.toThrow('policy.files: expected a list, got a number');
    await write(join(userDir, 'config.yml'), 'policy: {files: [5]}\n');
    await expect(load()).rejects.toThrow('policy.files.0: expected text, got a number');
  });

  it('can be named by the environment, which is the user’s', async () => {
    await write(join(userDir, 'policy.yml'), 'mine');
    await write(join(userDir, 'ci.yml'), 'strict');
    expect(await load({ TOOLCRIB_POLICY_FILES: 'ci.yml' })).toEqual([
      ['user/ci.yml', 'strict', 'user'],
    ]);
  });

  it('beside a configuration named by hand are a project’s, and never read twice', async () => {
    await write(join(root, 'ci/config.yml'), 'policy: {files: [rules.yml]}\n');
    await write(join(root, 'ci/rules.yml'), 'theirs');
    expect(await load({ TOOLCRIB_CONFIG: join(root, 'ci/config.yml') })).toEqual([
      ['ci/rules.yml', 'theirs', 'project'],
    ]);
    await write(join(userDir, 'config.yml'), '');
    await write(join(userDir, 'policy.yml'), 'mine');
    expect(await load({ TOOLCRIB_CONFIG: join(userDir, 'config.yml') })).toEqual([
      ['user/policy.yml', 'mine', 'user'],
    ]);
  });
});
