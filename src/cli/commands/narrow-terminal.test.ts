/** Tables on a terminal of 80 columns: what matters and what is copied stays on the screen, whole. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../test/fixtures/fake-io.ts';
import { textWidth } from '../../kit/text/text-width.ts';
import { runCli } from '../run-cli.ts';

const COLUMNS = 80;

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'cli-narrow-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({
    cwd: folder,
    env: { HOME: folder, TOOLCRIB_HOME: join(folder, 'home') },
  });
  Object.assign(io.stdout, { isTTY: true, columns: COLUMNS });
  const code = await runCli([...args], io);
  const lines = out().trimEnd().split('\n');
  return { code, out: out(), err: err(), width: Math.max(...lines.map(textWidth)) };
};

describe('a table on a terminal of 80 columns', { timeout: 60_000 }, () => {
  it('of grants shows whether nobody is asked and under which condition', async () => {
    const granted = await run(
      ...['permissions', 'grant', 'file_operations', '--user', 'ada', '--skip-approval'],
      ...['--when', 'input.path != "x"'],
    );
    expect(granted.code).toBe(0);
    const { out, err, width } = await run('permissions', 'list');
    expect(out).toContain('skips approval');
    expect(out).toMatch(/yes +input\./);
    expect(width).toBeLessThanOrEqual(COLUMNS);
    expect(err).toContain('Not shown here: ');
    const [, id = ''] = /^(grant_\S+)/m.exec(out) ?? [];
    expect((await run('permissions', 'revoke', id)).code).toBe(0);
  });

  it('of schedules shows when they run, and leaves out for whom', async () => {
    const cron = '15 4 1,10,20 */2 MON-FRI';
    const payload = '{"tool":"datetime","input":{"operation":"now"}}';
    const added = await run(
      ...['jobs', 'schedule', 'nightly-report', 'tool', '--cron', cron, '--payload', payload],
    );
    expect(added.code).toBe(0);
    const { out, err, width } = await run('jobs', 'schedules');
    expect(out).toContain(cron);
    expect(out).toMatch(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/);
    expect(width).toBeLessThanOrEqual(COLUMNS);
    expect(err).toContain('user');
  });
});
