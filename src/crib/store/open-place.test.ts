import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hostOf, isSamePlace } from '../../kit/data/place.ts';
import { openPlace } from './open-place.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'open-place-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('the place of a process', () => {
  it('is the same for all processes with one user folder, also when they start at once', async () => {
    const userDir = join(base, 'new', 'user');
    const places = await Promise.all(Array.from({ length: 8 }, () => openPlace(userDir)));
    expect(new Set([...places, await openPlace(userDir)]).size).toBe(1);
    expect(hostOf(places[0] ?? '')).toBe(hostname());
    expect(statSync(join(userDir, 'place-id')).mode & 0o777).toBe(0o600);
  });

  it('is another one for each user folder, although the host is the same', async () => {
    const [one, other] = [await openPlace(join(base, 'a')), await openPlace(join(base, 'b'))];
    expect(isSamePlace(one, other)).toBe(false);
  });

  it('is the host where the folder cannot be written or the file holds something else', async () => {
    writeFileSync(join(base, 'file'), '');
    writeFileSync(join(base, 'place-id'), 'x y\n');
    for (const userDir of [join(base, 'file'), base]) {
      expect(await openPlace(userDir)).toBe(`${hostname()} ${hostname()}`);
    }
  });
});
