/** `toolcrib stats`, in process: what a person reads, what a program reads, and wrong input. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry } from '../../../../test/conformance/store-samples.ts';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { AuditEntry } from '../../../contract/audit.ts';
import type { MetricHistory } from '../../../contract/metrics.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { HOUR_MS } from '../../../kit/data/durations.ts';
import { createSqliteStore } from '../../../stores/sqlite/create-sqlite-store.ts';
import { adoptStore } from '../../../trust/known-stores.ts';
import { runCli } from '../../run-cli.ts';

let base = '';
let project = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'toolcrib-stats-'));
  project = join(base, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(base, { recursive: true }));

const run = async (...args: readonly string[]) => {
  const env = { HOME: base, TOOLCRIB_HOME: join(base, 'home') };
  const json = args.includes('--json');
  const { io, out, err } = fakeIo({ cwd: project, env, json });
  const code = await runCli(['stats', ...args], io);
  return { code, out: out(), err: err() };
};

const record = async (...entries: readonly Partial<AuditEntry>[]): Promise<void> => {
  const path = join(project, '.toolcrib', 'state.db');
  const runtime = createRuntime();
  const store = await createSqliteStore({ path, runtime });
  for (const entry of entries) {
    const at = runtime.now() - HOUR_MS;
    const ended = { kind: 'outcome', status: 'success', code: '', at, durationMs: 12 } as const;
    await store.audit.append(auditEntry({ ...ended, ...entry }));
  }
  await store.close();
  // Made here and not by the program: the user says that it is theirs.
  await adoptStore(join(base, 'home'), realpathSync(path));
};

describe('toolcrib stats', () => {
  it('says what to do where no call was made', async () => {
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toContain('No call ended in this time');
    expect(out).toContain('--since 30d');
    expect((await run('--since', '40d')).out).not.toContain('Look further back');
  });

  it('shows totals, their course, the tools and the errors', async () => {
    await record(
      { tool: 'read', costMicros: 20_000 },
      { tool: 'read', status: 'failure', code: 'NETWORK', durationMs: 400 },
      { tool: 'sea\u001b[31mrch' },
    );
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toContain('3 calls · 33.3 % failed · median 12 ms');
    expect(out).toMatch(/calls +▁+█▁* at most 3/);
    expect(out).toMatch(/read +2 +50\.0 % +12 ms/);
    expect(out).toContain('errors  NETWORK 1');
    expect(out).not.toContain('\u001b[31m');
  });

  it('shows processor time and memory of sandboxed runs where some were measured', async () => {
    await record(
      { tool: 'build', detail: { cpuMs: 1500, peakMemoryBytes: 48_000_000 } },
      { tool: 'read' },
    );
    const { out } = await run();
    expect(out).toContain('sandboxed runs  1.5 s of processor, at most 48.0 MB at once');
    expect(out).toMatch(/by tool.* cpu +memory/);
    expect(out).toMatch(/build .* 1\.5 s +48\.0 MB/);
    expect(out).toMatch(/read .* – +–/);
    const { total } = JSON.parse((await run('--json')).out) as MetricHistory;
    expect(total.resourceUtilization).toEqual({ cpuMs: 1500, peakMemoryBytes: 48_000_000 });
  });

  it('has no columns for processor time and memory where no run was measured', async () => {
    await record({ tool: 'read' });
    expect((await run()).out).not.toMatch(/cpu|sandboxed/);
  });

  it('shows one tool, one kind, one range, and JSON for programs', async () => {
    await record({ tool: 'read', userId: 'ada' }, { tool: 'write', userId: 'bob' });
    expect((await run('read')).out).toContain('1 call · 0 % failed');
    expect((await run('--by', 'caller')).out).toMatch(/ada +1/);
    expect((await run('--since', '30m')).out).toContain('No call ended');
    const { out } = await run('--json', '--by', 'tool', '--limit', '1');
    const { total, tool } = JSON.parse(out) as MetricHistory & { tool: { name: string }[] };
    expect([total.calls, tool.length]).toEqual([2, 1]);
  });

  it.each([
    [['--by', 'day'], '--by takes tool, source or caller'],
    [['--limit', '0'], '--limit takes a whole number'],
    [['--since', 'noon'], '--since takes a date'],
    [['--until', 'x'], '--until takes a date'],
  ] as const)('refuses %j', async (args, message) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
