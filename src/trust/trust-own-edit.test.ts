import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trustAround } from '../../test/fixtures/trust-project.ts';
import { setInConfigFile } from '../config/edit/edit-config.ts';
import { NO_PROJECT, readProjectTrust } from './project-trust.ts';
import { trustOwnEdit } from './trust-own-edit.ts';

let root: string;
let file: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-own-'));
  file = join(root, 'project/.toolcrib/config.yml');
  await mkdir(join(root, 'project/.toolcrib'), { recursive: true });
});

afterEach(() => rm(root, { recursive: true, force: true }));

const place = () => ({
  cwd: join(root, 'project'),
  home: root,
  env: { TOOLCRIB_HOME: join(root, 'user') },
  userDir: join(root, 'user'),
});

const edited = async (trust = NO_PROJECT) => {
  const edit = await setInConfigFile(file, ['tools', 'git', 'enabled'], false);
  return { trust, edit: { ...edit, name: 'config.yml' }, now: 0 };
};

const state = async () => (await readProjectTrust(place())).state;

describe('an edit of ours', () => {
  it('that makes the project is trusted', async () => {
    expect(await trustOwnEdit(place(), await edited())).toBe(true);
    expect(await state()).toBe('trusted');
  });

  it('keeps a trusted project trusted', async () => {
    await writeFile(file, '# mine\n');
    await trustAround(place());
    expect(await trustOwnEdit(place(), await edited(await readProjectTrust(place())))).toBe(true);
    expect(await state()).toBe('trusted');
  });

  it('does not vouch for what else lies in a cloned folder', async () => {
    await mkdir(join(root, 'project/.toolcrib/tools'));
    await writeFile(join(root, 'project/.toolcrib/tools/evil.ts'), 'x');
    expect(await trustOwnEdit(place(), await edited())).toBe(false);
    expect(await state()).toBe('untrusted');
  });

  it('does not vouch for a file that was swapped before or after it', async () => {
    await writeFile(file, '# mine\n');
    await trustAround(place());
    const trust = await readProjectTrust(place());
    await writeFile(file, 'mcp: {servers: {evil: {command: sh}}}\n');
    expect(await trustOwnEdit(place(), await edited(trust))).toBe(false);
    await writeFile(file, '# mine\n');
    const edit = await edited(trust);
    await writeFile(file, 'mcp: {servers: {evil: {command: sh}}}\n');
    expect(await trustOwnEdit(place(), edit)).toBe(false);
    expect(await state()).toBe('changed');
  });

  it('does not make a folder with problems or a missing one trusted', async () => {
    const edit = await edited();
    await rm(join(root, 'project/.toolcrib'), { recursive: true });
    expect(await trustOwnEdit(place(), edit)).toBe(false);
  });
});
