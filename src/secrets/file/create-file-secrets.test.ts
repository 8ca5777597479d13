import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeVault } from '../../../test/conformance/secrets.ts';
import { createFileSecrets } from './create-file-secrets.ts';

const newFolder = (): string => realpathSync(mkdtempSync(join(tmpdir(), 'secrets-')));
const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });
const posix = process.platform !== 'win32';
const root = process.getuid?.() === 0;

for (const name of ['secrets.json', 'secrets.yml']) {
  describeVault(name, () => {
    const folder = newFolder();
    return {
      secrets: createFileSecrets(join(folder, 'sub', name)),
      cleanup: () => removeFolder(folder),
    };
  });
}

let folder: string;
let path: string;
beforeEach(() => {
  folder = newFolder();
  path = join(folder, 'secrets.json');
});
afterEach(() => removeFolder(folder));

const put = (text: string, mode = 0o600, at = path): void => {
  writeFileSync(at, text);
  chmodSync(at, mode);
};

const failure = async (at = path): Promise<{ code: string; message: string; extras: unknown }> =>
  createFileSecrets(at)
    .get('KEY')
    .then(
      () => ({ code: 'none', message: '', extras: {} }),
      (error) => error,
    );

const GOOD = '{"KEY": "the-canary-value"}';

describe.runIf(posix)('threat: a secrets file that others have a hand in is refused', () => {
  it.each([0o640, 0o604, 0o620, 0o602, 0o644, 0o666, 0o610])('mode %o', async (mode) => {
    put(GOOD, mode);
    expect(await failure()).toMatchObject({
      code: 'CONFIG_INVALID',
      extras: { suggestions: [expect.stringContaining('chmod 600')] },
    });
  });

  it.each([0o600, 0o400, 0o700])('benign: mode %o is read', async (mode) => {
    put(GOOD, mode);
    expect(await createFileSecrets(path).get('KEY')).toBe('the-canary-value');
  });

  it.each([0o777, 0o770, 0o702, 0o1777])('in a folder of mode %o', async (mode) => {
    put(GOOD);
    chmodSync(folder, mode);
    expect((await failure()).message).toContain('folder that others can write to');
    await expect(createFileSecrets(path).set('KEY', 'x')).rejects.toThrow('others can write to');
    expect(readFileSync(path, 'utf8')).toBe(GOOD);
  });

  it('a link, also one to a good file, also a dangling one', async () => {
    const target = join(folder, 'target.json');
    put(GOOD, 0o600, target);
    symlinkSync(target, path);
    expect((await failure()).message).toContain('is a link');
    await expect(createFileSecrets(path).set('KEY', 'changed')).rejects.toThrow('is a link');
    expect(readFileSync(target, 'utf8')).toBe(GOOD);
    rmSync(target);
    expect((await failure()).message).toContain('is a link');
  });

  it('a folder, a pipe: no file, and nobody waits', async () => {
    mkdirSync(path);
    expect((await failure()).message).toContain('not a regular file');
    rmSync(path, { recursive: true });
    expect(spawnSync('mkfifo', ['-m', '600', path]).status).toBe(0);
    expect((await failure()).message).toContain('not a regular file');
  });

  it.runIf(root)('a file or folder of another user (as root only)', async () => {
    put(GOOD);
    chownSync(path, 12345, 12345);
    expect((await failure()).message).toContain('belongs to another user');
    chownSync(path, 0, 0);
    chownSync(folder, 12345, 12345);
    expect((await failure()).message).toContain('folder of another user');
  });

  it('one that is too large', async () => {
    put(JSON.stringify({ KEY: 'x'.repeat(1024 * 1024) }));
    expect((await failure()).message).toContain('larger than 1 MB');
  });

  it('what cannot be opened at all', async () => {
    put(GOOD);
    expect((await failure(join(path, 'below.json'))).message).toContain('ENOTDIR');
  });
});

describe('threat: a broken file is never taken for an empty vault', () => {
  it.each([
    ['nothing', ''],
    ['half a file', '{"KEY": "the-cana'],
    ['a list', '["the-canary-value"]'],
    ['null', 'null'],
    ['a text', '"the-canary-value"'],
    ['a number as value', '{"KEY": 12345678}'],
    ['something nested', '{"KEY": {"deep": "the-canary-value"}}'],
  ])('JSON: %s', async (_what, text) => {
    put(text);
    const { code, message } = await failure();
    expect(code).toBe('CONFIG_INVALID');
    expect(message).not.toContain('the-cana');
    await expect(createFileSecrets(path).set('OTHER', 'value')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['broken', 'KEY: "the-canary'],
    ['a key twice', 'KEY: one\nKEY: two\n'],
    ['an alias', 'A: &a the-canary-value\nKEY: *a\n'],
    ['a tag', 'KEY: !!js/function the-canary-value\n'],
    ['a list', '- the-canary-value\n'],
    ['something nested', 'KEY:\n  deep: the-canary-value\n'],
  ])('YAML: %s', async (_what, text) => {
    const at = join(folder, 'secrets.yaml');
    put(text, 0o600, at);
    const { code, message } = await failure(at);
    expect(code).toBe('CONFIG_INVALID');
    expect(message).not.toContain('the-canary');
  });

  it('benign: YAML by hand, every scalar a text', async () => {
    const at = join(folder, 'secrets.yaml');
    put('# mine\nPIN: 012345\nFLAG: true\nKEY: "a: b"\n', 0o600, at);
    const secrets = createFileSecrets(at);
    expect(await secrets.get('PIN')).toBe('012345');
    expect(await secrets.get('FLAG')).toBe('true');
    expect(await secrets.keys?.()).toEqual(['PIN', 'FLAG', 'KEY']);
  });

  it('a key called __proto__ is a key like any other and changes nothing', async () => {
    put('{"__proto__": "polluted-value", "KEY": "value"}');
    const secrets = createFileSecrets(path);
    expect(await secrets.get('toString')).toBeUndefined();
    await secrets.set('MORE', 'x');
    expect(await secrets.get('KEY')).toBe('value');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});

describe('writing', () => {
  it.runIf(posix)('makes folder and file for the owner only, whatever the umask', async () => {
    const at = join(folder, 'a', 'b', 'secrets.json');
    await createFileSecrets(at).set('KEY', 'value');
    expect(statSync(at).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'a', 'b')).mode & 0o077 & 0o022).toBe(0);
  });

  it('replaces the file as a whole and leaves nothing behind', async () => {
    put(GOOD);
    const other = join(folder, 'other-name.json');
    linkSync(path, other);
    await createFileSecrets(path).set('MORE', 'value');
    expect(readFileSync(other, 'utf8')).toBe(GOOD);
    expect(readdirSync(folder).sort()).toEqual(['other-name.json', 'secrets.json']);
  });

  it('another process that is changing it: refused, the old content stays', async () => {
    put(GOOD);
    writeFileSync(`${path}.new`, '');
    await expect(createFileSecrets(path).set('KEY', 'value')).rejects.toMatchObject({
      code: 'LOCK',
      extras: { suggestions: [expect.stringContaining('.new')] },
    });
    expect(await createFileSecrets(path).get('KEY')).toBe('the-canary-value');
    rmSync(`${path}.new`);
    const vault = createFileSecrets(path);
    await vault.set('KEY', 'value');
    expect(await vault.get('KEY')).toBe('value');
  });

  it('one change that fails does not hold up the next', async () => {
    put('broken');
    const vault = createFileSecrets(path);
    await expect(vault.set('KEY', 'value')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    put(GOOD);
    await vault.set('KEY', 'value');
    expect(await vault.get('KEY')).toBe('value');
    expect(await vault.remove('ABSENT')).toBe(false);
  });

  it('a name too long for the file system is an error in words', async () => {
    const at = join(folder, `${'x'.repeat(252)}.js`);
    await expect(createFileSecrets(at).set('KEY', 'value')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
  });
});
