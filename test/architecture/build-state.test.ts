import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { isBuilt, rememberBuild } from '../../scripts/build-state.mjs';

const FILES = ['src/a.ts', 'src/deep/b.ts', 'console/src/c.tsx', 'package.json'];
const BUILT = ['dist/cli/main.js', 'dist/console/index.html'];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const put = (root: string, path: string, text = path): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

/** A project that was built a moment ago. */
const builtProject = (): string => {
  const root = `${mkdtempSync(join(tmpdir(), 'toolcrib-build-'))}/`;
  folders.push(root);
  for (const path of [...FILES, ...BUILT]) put(root, path);
  rememberBuild(root);
  return root;
};

describe('the build before the tests', () => {
  it('is left out when nothing has changed but a test', () => {
    const root = builtProject();
    expect(isBuilt(root)).toBe(true);
    put(root, 'src/a.test.ts');
    expect(isBuilt(root)).toBe(true);
  });

  it.each(FILES)('is made when %s has changed, or is gone', (path) => {
    const root = builtProject();
    put(root, path, 'other content');
    expect(isBuilt(root)).toBe(false);
    put(root, path);
    expect(isBuilt(root)).toBe(true);
    rmSync(join(root, path));
    expect(isBuilt(root)).toBe(false);
  });

  it('is made when there is a new source, or one under another name', () => {
    const root = builtProject();
    put(root, 'src/new.ts');
    expect(isBuilt(root)).toBe(false);
  });

  it.each(BUILT)('is made when %s is gone, or another build has written it', (path) => {
    const root = builtProject();
    utimesSync(join(root, path), 1, 1);
    expect(isBuilt(root)).toBe(false);
    rmSync(join(root, path));
    expect(isBuilt(root)).toBe(false);
  });

  it('is made when no build has ended', () => {
    const root = builtProject();
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(isBuilt(root)).toBe(false);
  });
});
