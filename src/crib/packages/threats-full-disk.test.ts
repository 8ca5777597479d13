/** Threat: a disk that is full in the middle of an installation leaves half a package. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  countingTarball,
  countingTool,
  manifestText,
  openPackageCrib,
} from '../../../test/fixtures/package-crib.ts';
import { packageTarball } from '../../../test/fixtures/tarballs.ts';

const TIME_LIMIT = 60_000;

let folder = '';
let disk = '';
let isMounted = false;

/** Mounts a disk of 1 MB; returns false where that is not allowed. */
const mounted = (): boolean => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-disk-'));
  disk = join(folder, 'disk');
  await mkdir(disk);
  isMounted = mounted();
});
afterEach(async () => {
  if (isMounted) execFileSync('umount', [disk]);
  await rm(folder, { recursive: true, force: true });
});

/** Files that do not get smaller; the last one no longer fits. */
const largeTarball = (version: string): Buffer =>
  packageTarball({
    'package.json': manifestText('counting', version),
    'tools/count.yml': countingTool('count_text', { version }),
    ...Object.fromEntries(
      Array.from({ length: 8 }, (_, n) => [`data-${n}.txt`, randomBytes(150_000).toString('hex')]),
    ),
  });

const filesBelow = async (path: string): Promise<readonly string[]> =>
  (await readdir(path, { recursive: true })).map(String).toSorted();

describe('threat: a disk that is full during an installation', { timeout: TIME_LIMIT }, () => {
  it('leaves nothing of a package that does not fit', async ({ skip }) => {
    skip(!isMounted, 'this machine does not allow to mount a disk');
    await writeFile(join(folder, 'large.tgz'), largeTarball('1.0.0'));
    const crib = await openPackageCrib(folder, { locations: { userDir: disk } });
    try {
      const installing = crib.packages.install(join(folder, 'large.tgz'));
      await expect(installing).rejects.toMatchObject({ code: 'EXECUTION_FAILED' });
      expect(crib.packages.list()).toEqual([]);
      expect(crib.tools.get('count_text')).toBeUndefined();
    } finally {
      await crib.close();
    }
    const left = await filesBelow(disk);
    expect(left.filter((path) => /counting|staging|\.lock/.test(path))).toEqual([]);
  });

  it('leaves the version before in use when the next one does not fit', async ({ skip }) => {
    skip(!isMounted, 'this machine does not allow to mount a disk');
    await writeFile(join(folder, 'small.tgz'), countingTarball());
    await writeFile(join(folder, 'large.tgz'), largeTarball('2.0.0'));
    const locations = { userDir: disk };
    const crib = await openPackageCrib(folder, { locations });
    await crib.packages.install(join(folder, 'small.tgz'));
    const before = await readFile(join(disk, 'packages.lock'), 'utf8');
    await expect(crib.packages.install(join(folder, 'large.tgz'))).rejects.toThrow();
    expect((await crib.execute('count_text', { text: 'abc' })).data).toEqual({ count: 3 });
    await crib.close();
    expect(await readFile(join(disk, 'packages.lock'), 'utf8')).toBe(before);
    const again = await openPackageCrib(folder, { locations });
    try {
      expect(again.packages.list()).toMatchObject([{ name: 'counting', version: '1.0.0' }]);
      expect((await again.execute('count_text', { text: 'ab' })).data).toEqual({ count: 2 });
    } finally {
      await again.close();
    }
  });
});
