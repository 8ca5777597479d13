/** Threat "Paths": traversal, prefix collisions, links of every kind, special files, odd names. */
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolFailure } from '../../contract/errors.ts';
import { createPathGuard, type PathGuard } from './path-guard.ts';

let home: string;
let root: string;
let outside: string;
let guard: PathGuard;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'guard-')));
  root = join(home, 'app');
  outside = join(home, 'app-outside');
  mkdirSync(join(root, 'src'), { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(root, 'src', 'a.ts'), 'inside');
  writeFileSync(join(outside, 'canary.txt'), 'OUTSIDE');
  guard = createPathGuard({ root });
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const codeOf = async (path: string, access: 'read' | 'write' = 'read', by = guard) => {
  try {
    await by.resolve(path, access);
    return 'ok';
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    expect(error.message).not.toContain(home);
    expect(error.extras.suggestions?.length).toBeGreaterThan(0);
    return error.code;
  }
};

describe('benign paths', () => {
  it('resolves files, folders, the root and what does not exist yet', async () => {
    expect(await guard.resolve('src/a.ts', 'read')).toBe(join(root, 'src', 'a.ts'));
    expect(await guard.resolve('./src/../src/a.ts', 'write')).toBe(join(root, 'src', 'a.ts'));
    expect(await guard.resolve('.', 'read')).toBe(root);
    expect(await guard.resolve('new/deep/file.md', 'write')).toBe(join(root, 'new/deep/file.md'));
    expect(await guard.resolve(join(root, 'src'), 'read')).toBe(join(root, 'src'));
    expect(await guard.resolve('../app/src/a.ts', 'read')).toBe(join(root, 'src', 'a.ts'));
  });

  it('follows links that stay inside', async () => {
    symlinkSync('src', join(root, 'code'));
    symlinkSync(join(root, 'src', 'a.ts'), join(root, 'link.ts'));
    expect(await guard.resolve('code/a.ts', 'read')).toBe(join(root, 'src', 'a.ts'));
    expect(await guard.locate('link.ts', 'write')).toMatchObject({
      isLink: true,
      shown: 'src/a.ts',
    });
    expect(await guard.locate('code/a.ts', 'read')).toMatchObject({ isLink: false });
  });

  it('takes a root that is itself given through a link', async () => {
    const alias = join(home, 'alias');
    symlinkSync(root, alias);
    const aliased = createPathGuard({ root: alias });
    expect(await aliased.resolve(join(alias, 'src/a.ts'), 'read')).toBe(join(root, 'src/a.ts'));
    expect(await aliased.resolve(join(root, 'src/a.ts'), 'read')).toBe(join(root, 'src/a.ts'));
  });

  it('allows absolute paths in an extra root, and shows them as such', async () => {
    const wide = createPathGuard({ root, extraRoots: [outside] });
    const path = join(outside, 'canary.txt');
    expect(await wide.locate(path, 'read')).toMatchObject({ absolute: path, shown: path });
    expect(await wide.locate(outside, 'read')).toMatchObject({ isRoot: true });
  });

  it('reads, but does not write, what programs trust', async () => {
    mkdirSync(join(root, '.git'));
    writeFileSync(join(root, '.git', 'HEAD'), 'ref');
    expect(await codeOf('.git/HEAD')).toBe('ok');
    expect(await codeOf('.toolcrib/config.yml')).toBe('ok');
    expect(await codeOf('.gitignore', 'write')).toBe('ok');
  });
});

describe('paths that leave the root', () => {
  it.each([
    '..',
    '../app-outside/canary.txt',
    'src/../../app-outside/canary.txt',
    '/etc/passwd',
    '/',
    '/dev/null',
    '/proc/self/environ',
    'src/../../../../../../../../etc/passwd',
  ])('refuses %s', async (path) => {
    expect(await codeOf(path)).toBe('SECURITY_VIOLATION');
    expect(await codeOf(path, 'write')).toBe('SECURITY_VIOLATION');
  });

  it('are not confused with folders whose name begins with that of the root', async () => {
    expect(await codeOf(join(outside, 'canary.txt'))).toBe('SECURITY_VIOLATION');
    expect(await codeOf(`${root}-outside/canary.txt`)).toBe('SECURITY_VIOLATION');
  });

  it('refuses links to files and folders outside, also in the middle of a path', async () => {
    symlinkSync(join(outside, 'canary.txt'), join(root, 'file-link'));
    symlinkSync(outside, join(root, 'dir-link'));
    symlinkSync('dir-link', join(root, 'chain'));
    for (const path of ['file-link', 'dir-link', 'dir-link/canary.txt', 'chain/canary.txt']) {
      expect(await codeOf(path)).toBe('SECURITY_VIOLATION');
    }
    expect(await codeOf('dir-link/new.txt', 'write')).toBe('SECURITY_VIOLATION');
    expect(await codeOf('dir-link/a/b/new.txt', 'write')).toBe('SECURITY_VIOLATION');
  });

  it('refuses dangling links and loops', async () => {
    symlinkSync(join(outside, 'not-yet'), join(root, 'dangling'));
    symlinkSync('nowhere', join(root, 'inner'));
    symlinkSync('loop', join(root, 'loop'));
    for (const path of ['dangling', 'inner', 'loop', 'dangling/x', 'loop/x']) {
      expect(await codeOf(path, 'write')).toBe('SECURITY_VIOLATION');
    }
  });

  it('refuses NUL and control characters', async () => {
    expect(await codeOf('src/a.ts\0.png')).toBe('SECURITY_VIOLATION');
    expect(await codeOf('src/\u001b[31m')).toBe('SECURITY_VIOLATION');
    expect(await codeOf('')).toBe('VALIDATION_ERROR');
    expect(await codeOf('a'.repeat(300))).toBe('VALIDATION_ERROR');
  });
});

describe('names', () => {
  it('closes secrets for reading and writing, there or not, in any case', async () => {
    writeFileSync(join(root, '.env'), 'KEY=1');
    for (const path of ['.env', '.ENV', 'src/.env.local', '.ssh/id_rsa', 'no/such/server.pem']) {
      expect(await codeOf(path)).toBe('PERMISSION_DENIED');
      expect(await codeOf(path, 'write')).toBe('PERMISSION_DENIED');
    }
    expect(await codeOf('.env.example')).toBe('ok');
  });

  it('closes a secret behind a harmless link, and a harmless file behind a secret name', async () => {
    writeFileSync(join(root, '.env'), 'KEY=1');
    symlinkSync('.env', join(root, 'notes.txt'));
    symlinkSync('src/a.ts', join(root, 'server.key'));
    expect(await codeOf('notes.txt')).toBe('PERMISSION_DENIED');
    expect(await codeOf('server.key')).toBe('PERMISSION_DENIED');
  });

  it('closes secrets in a root that was allowed', async () => {
    mkdirSync(join(home, '.aws'));
    const wide = createPathGuard({ root, extraRoots: [join(home, '.aws')] });
    expect(await codeOf(join(home, '.aws', 'config'), 'read', wide)).toBe('PERMISSION_DENIED');
  });

  it('protects hooks, configuration and shell files from writing, also before they exist', async () => {
    const names = ['.git/hooks/pre-commit', '.git', '.toolcrib/config.yml', '.bashrc', 'x/.zshrc'];
    for (const path of names) expect(await codeOf(path, 'write')).toBe('PERMISSION_DENIED');
    symlinkSync('.git', join(root, 'g'));
    mkdirSync(join(root, '.git'));
    expect(await codeOf('g/config', 'write')).toBe('PERMISSION_DENIED');
  });

  it('takes more protected names', async () => {
    const strict = createPathGuard({ root, protectedNames: ['.husky', '*.lock'] });
    expect(await codeOf('.husky/pre-push', 'write', strict)).toBe('PERMISSION_DENIED');
    expect(await codeOf('yarn.lock', 'write', strict)).toBe('PERMISSION_DENIED');
    expect(await codeOf('yarn.lock', 'read', strict)).toBe('ok');
  });
});

describe('special files and hard links', () => {
  it('refuses a FIFO without waiting for its other end', { timeout: 5000 }, async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect(await codeOf('pipe')).toBe('SECURITY_VIOLATION');
    expect(await codeOf('pipe', 'write')).toBe('SECURITY_VIOLATION');
    await expect(guard.openFile(join(root, 'pipe'))).rejects.toMatchObject({
      code: 'SECURITY_VIOLATION',
    });
  });

  it('refuses devices in an allowed root', async () => {
    const wide = createPathGuard({ root, extraRoots: ['/dev'] });
    expect(await codeOf('/dev/null', 'read', wide)).toBe('SECURITY_VIOLATION');
    expect(await codeOf('/dev/null', 'write', wide)).toBe('SECURITY_VIOLATION');
    await expect(wide.openFile('/dev/null')).rejects.toMatchObject({ code: 'SECURITY_VIOLATION' });
  });

  it('takes away the second name that a crash of an atomic write left', async () => {
    linkSync(join(root, 'src', 'a.ts'), join(root, 'src', '.toolcrib-tmp-00ff'));
    writeFileSync(join(root, 'src', '.toolcrib-tmp-other'), 'x');
    expect(await codeOf('src/a.ts', 'read')).toBe('ok');
    expect(readdirSync(join(root, 'src'))).toHaveLength(3);
    expect(await codeOf('src/a.ts', 'write')).toBe('ok');
    expect(readdirSync(join(root, 'src'))).toEqual(['.toolcrib-tmp-other', 'a.ts']);
    linkSync(join(root, 'src', 'a.ts'), join(root, '.toolcrib-tmp-elsewhere'));
    expect(await codeOf('src/a.ts', 'write')).toBe('SECURITY_VIOLATION');
  });

  it('refuses to write a file with a second name, and still reads it', async () => {
    linkSync(join(outside, 'canary.txt'), join(root, 'twin.txt'));
    expect(await codeOf('twin.txt', 'write')).toBe('SECURITY_VIOLATION');
    expect(await codeOf('twin.txt', 'read')).toBe('ok');
  });
});

describe('a guard that cannot be built', () => {
  it('throws for a root that is missing or a file', () => {
    expect(() => createPathGuard({ root: join(home, 'missing') })).toThrow();
    expect(() => createPathGuard({ root: join(root, 'src', 'a.ts') })).toThrow(TypeError);
  });
});

describe('shows', () => {
  it('leaves secrets and odd names out of listings', () => {
    expect(guard.shows(root, 'a.ts', false)).toBe(true);
    expect(guard.shows(root, '.env', false)).toBe(false);
    expect(guard.shows(root, '.ssh', true)).toBe(false);
    expect(guard.shows(root, 'a\u001b[2J', false)).toBe(false);
  });
});

describe('isInside', () => {
  it('compares absolute paths segment by segment, with every root and the name it was given by', () => {
    const extra = join(home, 'extra');
    mkdirSync(extra);
    symlinkSync(root, join(home, 'alias'));
    const by = createPathGuard({ root: join(home, 'alias'), extraRoots: [extra] });
    const inside = [root, `${root}/x`, join(home, 'alias', 'x'), join(extra, 'a', '..', 'b')];
    for (const path of inside) expect(by.isInside(path)).toBe(true);
    const not = [`${root}-x`, `${root}/../x`, home, '/', 'x', '.', '', 'C:\\x', '~/x'];
    for (const path of not) expect(by.isInside(path)).toBe(false);
  });
});
