/** An idempotency key and a disk that is full for a while: what changed nothing may be tried again. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { createCrib } from '../../crib/create-crib.ts';
import { TEMPORARY_PREFIX } from '../../governance/paths/replace-file.ts';

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return { ...real, open: vi.fn(real.open) };
});

const realOpen = vi.mocked(open).getMockImplementation() as typeof open;

/** Fails every write of a temporary file after the first `room` ones, as a full disk does. */
const fillDisk = (room = 0): void => {
  let left = room;
  vi.mocked(open).mockImplementation(async (path, ...rest) => {
    const handle = await realOpen(path, ...rest);
    if (String(path).includes(TEMPORARY_PREFIX) && left-- <= 0) {
      handle.writeFile = () =>
        Promise.reject(Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC' }));
    }
    return handle;
  });
};
const freeDisk = (): void => void vi.mocked(open).mockImplementation(realOpen);

let root: string;
let crib: Crib;
const sent: string[] = [];

/** Not one of ours: it may do what no broker sees. */
const foreign = defineTool({
  name: 'save_and_send',
  description: 'Sends a text by itself, then saves it.',
  tier: 'write',
  input: { type: 'object' },
  needs: { paths: [{ path: '.', access: 'write' }] },
  run: async (_input: unknown, { fs }) => {
    sent.push('text');
    await fs.write('sent.txt', 'text');
  },
});

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'full-disk-')));
  const tools = [foreign];
  crib = await createCrib({ root, store: 'memory', approver: () => true, watch: false, tools });
});
afterEach(async () => {
  freeDisk();
  await crib.close();
  rmSync(root, { recursive: true, force: true });
});

const as = { idempotencyKey: 'k' };
const NOTES = { path: 'notes.txt', content: 'hello' };

it('a write that found the disk full is made when the same key comes again', async () => {
  fillDisk();
  const full = await crib.execute('write_file', NOTES, as);
  expect(full.error).toMatchObject({ code: 'EXECUTION_FAILED', message: 'The disk is full.' });
  expect(readdirSync(root)).toEqual([]);
  freeDisk();
  const again = await crib.execute('write_file', NOTES, as);
  expect([again.error, again.metadata.cached]).toEqual([undefined, false]);
  expect(readFileSync(join(root, 'notes.txt'), 'utf8')).toBe('hello');
});

it('threat: a call that changed one of its files and then found the disk full is not made again', async () => {
  await crib.execute('write_file', { path: 'a.txt', content: 'one' });
  await crib.execute('write_file', { path: 'b.txt', content: 'one' });
  const edits = [{ oldText: 'one', newText: 'one one' }];
  const files = ['a.txt', 'b.txt'].map((path) => ({ path, edits }));
  fillDisk(1);
  const first = await crib.execute('edit_files', { files }, as);
  expect(first.success).toBe(false);
  freeDisk();
  const again = await crib.execute('edit_files', { files }, as);
  expect(again.success).toBe(false);
  expect(readFileSync(join(root, 'b.txt'), 'utf8')).toBe('one');
});

it('threat: a tool of others that may have acted before the disk was full is not run again', async () => {
  fillDisk();
  expect((await crib.execute('save_and_send', {}, as)).success).toBe(false);
  freeDisk();
  expect((await crib.execute('save_and_send', {}, as)).success).toBe(false);
  expect([sent, existsSync(join(root, 'sent.txt'))]).toEqual([['text'], false]);
});

it('benign: a write that was made stays made once', async () => {
  expect((await crib.execute('write_file', NOTES, as)).success).toBe(true);
  const again = await crib.execute('write_file', NOTES, as);
  expect([again.success, again.metadata.cached]).toEqual([true, true]);
});
