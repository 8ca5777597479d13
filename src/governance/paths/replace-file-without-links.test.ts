/** New files on file systems that know no hard links, such as FAT and some network drives. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { bestVerification, openFolder } from './open-verified.ts';
import { replaceFile } from './replace-file.ts';

vi.mock('node:fs/promises', async (original) => ({
  ...(await original<typeof import('node:fs/promises')>()),
  link: vi.fn(),
}));

const root = realpathSync(mkdtempSync(join(tmpdir(), 'no-links-')));
afterEach(() => rmSync(root, { recursive: true, force: true }));

const fail = (code: string) =>
  vi.mocked(link).mockRejectedValueOnce(Object.assign(new Error(code), { code }));

it('replaceFile renames where links are not possible, passes other errors on, and notices a second name', async () => {
  const folder = await openFolder({ path: root, verification: bestVerification() });
  const bytes = Buffer.from('new');
  const confirm = () => Promise.resolve();
  fail('EPERM');
  await replaceFile(folder, 'a', { bytes, replaces: false, confirm });
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('new');
  fail('EIO');
  await expect(replaceFile(folder, 'b', { bytes, replaces: false, confirm })).rejects.toMatchObject(
    {
      code: 'EIO',
    },
  );
  expect(readdirSync(root)).toEqual(['a']);
  vi.mocked(link).mockImplementationOnce((from, to) => rename(from, to));
  await replaceFile(folder, 'c', { bytes, replaces: false, confirm });
  expect(readdirSync(root)).toEqual(['a', 'c']);
  await folder.close();
});
