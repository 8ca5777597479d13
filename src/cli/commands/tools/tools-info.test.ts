/** `toolcrib tools info`, in process: what it tells of a tool's past, and that reading leaves nothing behind. */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';

let base = '';
let project = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'toolcrib-info-'));
  project = join(base, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(base, { recursive: true }));

const run = async (...args: readonly string[]) => {
  const env = { HOME: base, TOOLCRIB_HOME: join(base, 'home') };
  const { io, out } = fakeIo({ cwd: project, env, json: args.includes('--json') });
  const code = await runCli(args, io);
  return { code, out: out() };
};

describe('toolcrib tools info', { timeout: 60_000 }, () => {
  it('makes no store in a folder that has none', async () => {
    const { code, out } = await run('tools', 'info', 'calculator');
    expect(code).toBe(0);
    expect(out).toMatch(/Used: +never called/);
    expect(existsSync(join(project, '.toolcrib', 'state.db'))).toBe(false);
  });

  it('tells how often a tool was called and how that went', async () => {
    await run('run', 'calculator', 'expression=6*7');
    await run('run', 'calculator', 'expression=6*');
    const { out } = await run('tools', 'info', 'calculator');
    expect(out).toMatch(/Used: +2 calls, 1 failed, last \d{4}-/);
    expect(out).toMatch(/Performance: +median .*p95 .*50\.0 % failed \(30 days\)/);
    const told = JSON.parse((await run('tools', 'info', 'calculator', '--json')).out) as {
      usage: { count: number; errors: number };
      performance: { calls: number };
    };
    expect([told.usage.count, told.usage.errors, told.performance.calls]).toEqual([2, 1, 2]);
  });
});
