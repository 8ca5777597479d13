/** A folder whose entries cannot be looked at: what is gone is left out, anything else is told. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { createFileAccess } from './file-access.ts';
import { createPathGuard } from './path-guard.ts';

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, lstat: vi.fn(real.lstat) };
});

const root = realpathSync(mkdtempSync(join(tmpdir(), 'unreadable-')));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('the list reports entries that may not be read, and drops those that vanished', async () => {
  writeFileSync(join(root, 'a.txt'), 'x');
  writeFileSync(join(root, 'b.txt'), 'x');
  const hooks = { beforeChange: async () => undefined, changed: () => {}, used: () => {} };
  const needs = { paths: [{ path: '.', access: 'read' }] } as const;
  const files = createFileAccess({ guard: createPathGuard({ root }), needs, hooks });
  const real = vi.mocked(lstat).getMockImplementation() as typeof lstat;
  const failFor = (code: string) =>
    vi
      .mocked(lstat)
      .mockImplementation(((path: string) =>
        path.endsWith('b.txt')
          ? Promise.reject(Object.assign(new Error(code), { code }))
          : real(path)) as typeof lstat);
  failFor('ENOENT');
  expect((await files.list('.')).map(({ path }) => path)).toEqual(['a.txt']);
  failFor('EACCES');
  await expect(files.list('.')).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
});
