import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRegularFile } from './read-regular-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolcrib-files-'));
const at = (...names: readonly string[]): string => join(folder, ...names);
mkdirSync(at('inner'));
writeFileSync(at('secret.txt'), 'outside');
writeFileSync(at('inner', 'plain.txt'), 'inside');
symlinkSync(at('secret.txt'), at('inner', 'out.txt'));
symlinkSync(at('inner', 'plain.txt'), at('inner', 'link.txt'));
execFileSync('mkfifo', [at('inner', 'pipe')]);

const within = { maxBytes: 100, within: at('inner') };

describe('threat: a file that should be read is something else', () => {
  it.each([
    ['a link that leads out of the folder', at('inner', 'out.txt'), within, /leaves its folder/],
    ['a pipe that nobody writes to', at('inner', 'pipe'), within, /no file/],
    ['a device without end', '/dev/zero', { maxBytes: 100 }, /no file/],
    ['a folder', at('inner'), { maxBytes: 100 }, /no file/],
    ['a file of no size and much content', '/proc/self/smaps', { maxBytes: 100 }, /larger than/],
    ['a file above the limit', at('inner', 'plain.txt'), { maxBytes: 5 }, /larger than/],
  ])('hostile: %s is refused', async (_what, path, options, message) => {
    await expect(readRegularFile(path, options)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(message) as string,
    });
  });

  it('benign: a file, and a link that stays in the folder, are read', async () => {
    const texts = ['plain.txt', 'link.txt'].map((name) =>
      readRegularFile(at('inner', name), within),
    );
    expect((await Promise.all(texts)).map(String)).toEqual(['inside', 'inside']);
    const linked = await readRegularFile(at('inner', 'out.txt'), { maxBytes: 100 });
    expect(String(linked)).toBe('outside');
  });

  it('a missing file is reported as the file system does', async () => {
    await expect(readRegularFile(at('none'), within)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
