import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeStale } from './remove-stale.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stale-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const HOUR = 3600;
const options = { prefixes: ['.own-'], minAgeMs: HOUR * 1000, now: Date.now() };
const age = (name: string) => {
  const then = Date.now() / 1000 - 2 * HOUR;
  utimesSync(join(folder, name), then, then);
};

describe('removeStale', () => {
  it('removes old files and folders of this user with the given prefixes', async () => {
    writeFileSync(join(folder, '.own-file'), 'x');
    mkdirSync(join(folder, '.own-folder'));
    writeFileSync(join(folder, '.own-folder', 'file'), 'x');
    for (const name of ['.own-file', '.own-folder']) age(name);
    expect(await removeStale(folder, options)).toBe(2);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('benign: leaves young files, other names and links', async () => {
    writeFileSync(join(folder, '.own-young'), 'x');
    writeFileSync(join(folder, 'precious'), 'x');
    age('precious');
    symlinkSync('precious', join(folder, '.own-link'));
    expect(await removeStale(folder, options)).toBe(0);
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it('removes nothing, without an error, in a folder that does not exist', async () => {
    expect(await removeStale(join(folder, 'none'), options)).toBe(0);
  });
});
