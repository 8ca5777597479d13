import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openFileTarget } from './file-target.ts';

/** Bytes that the disk still takes. */
const disk = vi.hoisted(() => ({ room: Number.POSITIVE_INFINITY }));

vi.mock('node:fs', async (load) => {
  const real = await load<typeof import('node:fs')>();
  return {
    ...real,
    writeSync: (fd: number, bytes: Buffer, from = 0) => {
      const length = Math.min(bytes.length - from, disk.room);
      if (length === 0) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      disk.room -= length;
      return real.writeSync(fd, bytes, from, length);
    },
  };
});

afterEach(() => {
  disk.room = Number.POSITIVE_INFINITY;
});

const folder = (): string => mkdtempSync(join(tmpdir(), 'toolcrib-log-'));

describe('openFileTarget', () => {
  it('appends to a file that only its user may read, and makes the folder', () => {
    const path = join(folder(), 'logs', 'crib.log');
    openFileTarget(path).write('one\n');
    openFileTarget(path).write('two\n');
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('after a rotation, reopening writes to the new file', () => {
    const path = join(folder(), 'crib.log');
    const target = openFileTarget(path);
    target.write('before\n');
    renameSync(path, `${path}.1`);
    target.write('moved\n');
    target.reopen?.();
    target.write('after\n');
    target.close?.();
    expect(readFileSync(`${path}.1`, 'utf8')).toBe('before\nmoved\n');
    expect(readFileSync(path, 'utf8')).toBe('after\n');
  });

  it('a line that a full disk cut off does not spoil the first one that fits again', () => {
    const path = join(folder(), 'crib.log');
    const target = openFileTarget(path);
    target.write('whole\n');
    disk.room = 4;
    expect(() => target.write('{"level":"warn"}\n')).toThrow('ENOSPC');
    expect(() => target.write('{"level":"warn"}\n')).toThrow('ENOSPC');
    disk.room = Number.POSITIVE_INFINITY;
    target.reopen?.();
    target.write('first\n');
    target.write('second\n');
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([
      ...['whole', '{"le', 'first', 'second', ''],
    ]);
    renameSync(path, `${path}.1`);
    target.reopen?.();
    target.write('new\n');
    expect(readFileSync(path, 'utf8')).toBe('new\n');
  });

  it('refuses a folder, and a pipe that nobody reads, at once', () => {
    const base = folder();
    expect(() => openFileTarget(base)).toThrow('observation.logFile');
    if (process.platform === 'win32') return;
    const pipe = join(base, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => openFileTarget(pipe)).toThrow('observation.logFile');
  });
});
