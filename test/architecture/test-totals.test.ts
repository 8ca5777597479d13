/** The closing line of a CI run tells the truth about it, also when the run broke. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/print-test-totals.mjs', import.meta.url));

const fileOf = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

describe('test totals', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'totals-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Prints the totals of a report with this text; of a report that is not there without one. */
  const print = (text: string | undefined, exitCode: number) => {
    const path = join(folder, 'report.json');
    if (text === undefined) rmSync(path, { force: true });
    else writeFileSync(path, text);
    return execFileSync(process.execPath, [script, path, String(exitCode)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  };
  const printFiles = (testResults: unknown[], exitCode: number) =>
    print(JSON.stringify({ testResults }), exitCode);

  it('counts tests, and names skipped ones only when there are some', () => {
    expect(printFiles([fileOf('passed', 'passed', 'passed')], 0)).toBe('2 passed, 0 failed\n');
    expect(printFiles([fileOf('failed', 'passed', 'failed', 'pending', 'todo')], 1)).toBe(
      '1 passed, 1 failed, 2 skipped\n',
    );
  });

  it('counts a file that could not be loaded as a failure', () => {
    expect(printFiles([fileOf('failed'), fileOf('passed', 'passed')], 1)).toBe(
      '1 passed, 1 failed\n',
    );
  });

  it('never calls a run clean that ended with an error', () => {
    expect(printFiles([fileOf('passed', 'passed')], 1)).toBe('1 passed, 1 failed\n');
    expect(print(undefined, 124)).toBe('0 passed, 1 failed\n');
    expect(print('{"testResults": [', 137)).toBe('0 passed, 1 failed\n');
  });
});

describe('skipped tests in CI', () => {
  const check = fileURLToPath(new URL('../../scripts/check-skips.mjs', import.meta.url));
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'skips-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const checkSkip = (file: string, fullName: string, userId = 0) => {
    const tests = [
      { status: 'skipped', fullName },
      { status: 'passed', fullName: 'another' },
    ];
    const path = join(folder, 'report.json');
    const name = `/home/ci/toolcrib/${file}`;
    writeFileSync(path, JSON.stringify({ testResults: [{ name, assertionResults: tests }] }));
    const { status, stderr } = spawnSync(process.execPath, [check, path, String(userId)], {
      encoding: 'utf8',
    });
    return { status, named: stderr.includes(`${file}: ${fullName}`) };
  };
  const FAILS = { status: 1, named: true };
  const PASSES = { status: 0, named: false };

  it('fail the run, and are named, when nobody expects them to be skipped', () => {
    expect(checkSkip('src/tools/web/render-page.test.ts', 'waits for a page')).toEqual(FAILS);
    expect(checkSkip('src/tools/development/docker.test.ts', 'refuses a name')).toEqual(FAILS);
    expect(checkSkip('src/sandboxes/sandbox-identity.test.ts', 'as root')).toEqual(FAILS);
  });

  it('pass when they cannot run there', () => {
    expect(checkSkip('src/tools/development/docker.test.ts', 'on a real Podman x')).toEqual(PASSES);
    expect(checkSkip('src/sandboxes/sandbox-identity.test.ts', 'as root', 1000)).toEqual(PASSES);
  });
});
