/** The closing line of a CI run tells the truth about it, also when the run broke. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unexpectedSkips } from '../../scripts/unexpected-skips.mjs';

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
  const skipsIn = (file: string, fullName: string, isRoot = true) =>
    unexpectedSkips(
      {
        testResults: [
          {
            name: `/home/ci/toolcrib/${file}`,
            assertionResults: [
              { status: 'skipped', fullName },
              { status: 'passed', fullName: 'another' },
            ],
          },
        ],
      },
      { isRoot },
    );

  it('fails the run when a test is skipped that nobody expects to be', () => {
    const file = 'src/tools/web/render-page.test.ts';
    expect(skipsIn(file, 'rendering with Chromium waits')).toEqual([
      { file, title: 'rendering with Chromium waits' },
    ]);
    const podman = 'src/tools/development/docker.test.ts';
    expect(skipsIn(podman, 'docker refuses a bad name')).toHaveLength(1);
  });

  it('passes a run whose skipped tests are those that cannot run there', () => {
    expect(skipsIn('src/tools/development/docker.test.ts', 'on a real Podman builds')).toEqual([]);
    const disk = 'test/guarantees/f4-storage.test.ts';
    expect(skipsIn(disk, 'a full disk', false)).toEqual([]);
    expect(skipsIn(disk, 'a full disk', true)).toHaveLength(1);
  });
});
