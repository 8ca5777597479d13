/** One slot in an open folder: what appears or grows there while it is being worked on. */
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dropFile, putFile, readAll, withSlot } from './file-slot.ts';
import { createPathGuard, type PathGuard } from './path-guard.ts';

let root: string;
let guard: PathGuard;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'slot-')));
  guard = createPathGuard({ root });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A file that claims one size and holds another, as files in /proc and growing logs do. */
const lying = (claimed: number, content: string): FileHandle => {
  const bytes = Buffer.from(content);
  return {
    stat: async () => ({ size: claimed }),
    read: async (buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: bytes.copy(buffer, offset, position, position + length),
    }),
  } as unknown as FileHandle;
};

describe('readAll', () => {
  it('reads to the end, whatever the size claims', async () => {
    for (const claimed of [0, 3, 10, 100]) {
      expect(String(await readAll(lying(claimed, 'ten letter'), 100))).toBe('ten letter');
    }
  });

  it('stops at the limit, whatever the size claims', async () => {
    await expect(readAll(lying(0, 'ten letter'), 9)).rejects.toMatchObject({
      code: 'OUTPUT_TOO_LARGE',
    });
    await expect(readAll(lying(50, ''), 9)).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
  });
});

describe('withSlot', () => {
  it('refuses a link that came up after the check', async () => {
    const target = await guard.locate('new.txt', 'write');
    symlinkSync('/etc/passwd', join(root, 'new.txt'));
    const work = () => Promise.reject(new Error('not reached'));
    await expect(withSlot({ guard, target, maxBytes: 9 }, work)).rejects.toMatchObject({
      code: 'SECURITY_VIOLATION',
    });
  });

  it('takes a file that came up after the check for what it is', async () => {
    const target = await guard.locate('new.txt', 'write');
    writeFileSync(join(root, 'new.txt'), 'theirs');
    const kind = await withSlot({ guard, target, maxBytes: 9 }, async (slot) => slot.present.kind);
    expect(kind).toBe('file');
  });

  it.each([
    ['removed', () => rmSync(join(root, 'a'))],
    ['changed', () => writeFileSync(join(root, 'a'), 'changed')],
    [
      'replaced',
      () => {
        writeFileSync(join(root, 'b'), 'old');
        rmSync(join(root, 'a'));
        writeFileSync(join(root, 'a'), 'new');
      },
    ],
  ])('does not write or drop a file that was %s meanwhile', async (_what, meddle) => {
    writeFileSync(join(root, 'a'), 'old');
    const target = await guard.locate('a', 'write');
    const request = { guard, target, maxBytes: 9 };
    await withSlot(request, async (slot) => {
      meddle();
      await expect(putFile(slot, Buffer.from('x'))).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(dropFile(slot)).rejects.toMatchObject({ code: 'CONFLICT' });
    });
  });
});
