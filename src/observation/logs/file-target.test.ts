import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openFileTarget } from './file-target.ts';

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

  it('refuses a folder, and a pipe that nobody reads, at once', () => {
    const base = folder();
    expect(() => openFileTarget(base)).toThrow('observation.logFile');
    if (process.platform === 'win32') return;
    const pipe = join(base, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(() => openFileTarget(pipe)).toThrow('observation.logFile');
  });
});
