/** The commands that keep the trail, in process: checkpoint, verify, export, prune, list. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { auditEntry, NOW, times } from '../../../../test/conformance/store-samples.ts';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import type { AuditCheckpoint, AuditRow, AuditVerification } from '../../../contract/audit.ts';
import type { Store } from '../../../contract/store.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { openDatabase } from '../../../kit/sqlite/open-database.ts';
import { createSqliteStore } from '../../../stores/sqlite/create-sqlite-store.ts';
import { adoptStore } from '../../../trust/known-stores.ts';
import { runCli } from '../../run-cli.ts';

let base = '';
let project = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'toolcrib-audit-'));
  project = join(base, 'project');
  mkdirSync(project);
});
afterEach(() => rmSync(base, { recursive: true }));

const database = (): string => join(project, '.toolcrib', 'state.db');

const run = async (...args: readonly string[]) => {
  const env = { HOME: base, TOOLCRIB_HOME: join(base, 'home') };
  const json = args.includes('--json');
  const { io, out, err } = fakeIo({ cwd: project, env, json });
  const code = await runCli(args, io);
  await new Promise((done) => setImmediate(done));
  return { code, out: out(), err: err(), read: <T>() => JSON.parse(out()) as T };
};

const withStore = async (work: (store: Store) => Promise<void>): Promise<void> => {
  const store = await createSqliteStore({ path: database(), runtime: createRuntime() });
  await work(store);
  await store.close();
  // Made here and not by the program: the user says that it is theirs.
  await adoptStore(join(base, 'home'), realpathSync(database()));
};

const fill = (count: number, from = 0): Promise<void> =>
  withStore(async (store) => {
    for (const n of times(count, (i) => from + i)) {
      await store.audit.append(
        auditEntry({
          executionId: `e${n}`,
          at: NOW + n * 1000,
          agentId: n % 2 ? 'odd' : 'even',
          sessionId: n % 3 ? 's1' : 's0',
          ...(n % 5 === 0 && { status: 'denied' as const, code: 'PERMISSION_DENIED' as const }),
        }),
      );
    }
  });

const tamper = async (sql: string): Promise<void> => {
  const opened = await openDatabase(database());
  opened.exec(
    `DROP TRIGGER IF EXISTS audit_keeps_rows; DROP TRIGGER IF EXISTS audit_keeps_text; ${sql}`,
  );
  opened.close();
};

describe('audit checkpoint and verify', () => {
  it('A1: a remembered checkpoint finds a cut-off end without options', async () => {
    await fill(10);
    const made = await run('audit', 'checkpoint');
    expect(made.code).toBe(0);
    expect(made.read<AuditCheckpoint>()).toMatchObject({ version: 1, seq: 10 });
    expect(made.out.trim()).not.toContain('\n');
    const sound = await run('audit', 'verify');
    expect([sound.code, sound.out]).toEqual([
      0,
      expect.stringContaining('compared with 1 checkpoint'),
    ]);
    await tamper('DELETE FROM audit WHERE seq > 7');
    const cut = await run('audit', 'verify', '--json');
    expect(cut.code).toBe(1);
    expect(cut.read<AuditVerification>()).toMatchObject({
      ok: false,
      checkpoints: 1,
      problem: { kind: 'truncated', seq: 8 },
    });
  });

  it('A1: a checkpoint kept elsewhere finds a cut-off end that this machine does not know of', async () => {
    await fill(10);
    const out = await run('audit', 'checkpoint', '--out', 'kept.json');
    expect([out.code, out.out]).toEqual([0, '']);
    expect(statSync(join(project, 'kept.json')).mode & 0o777).toBe(0o600);
    expect((await run('audit', 'checkpoint', '--out', 'kept.json')).code).toBe(1);
    const { publicKey } = JSON.parse(readFileSync(join(project, 'kept.json'), 'utf8'));
    rmSync(join(base, 'home'), { recursive: true });
    await tamper("UPDATE audit SET hash = 'x' WHERE seq = 10");
    await tamper('DELETE FROM audit WHERE seq > 5');
    expect((await run('audit', 'verify')).code).toBe(0);
    const stranger = await run('audit', 'verify', '--checkpoint', 'kept.json');
    expect([stranger.code, stranger.err]).toEqual([1, expect.stringContaining('not trusted')]);
    const found = await run(
      'audit',
      'verify',
      '--checkpoint',
      'kept.json',
      '--public-key',
      publicKey,
    );
    expect([found.code, found.err]).toEqual([1, expect.stringContaining('(truncated)')]);
  });

  it('explains options and files that cannot be used', async () => {
    await fill(1);
    writeFileSync(join(project, 'bad.json'), '{}');
    expect((await run('audit', 'verify', '--checkpoint', 'bad.json')).code).toBe(2);
    expect((await run('audit', 'verify', '--checkpoint', 'none.json')).code).toBe(2);
    expect((await run('audit', 'verify', '--checkpoint', 'sqlite:none.db')).code).toBe(2);
    expect(existsSync(join(project, 'none.db'))).toBe(false);
    expect((await run('audit', 'verify', '--public-key', 'short')).code).toBe(2);
    expect((await run('audit', 'verify', '--file', 'none.jsonl')).code).toBe(2);
  });
});

describe('audit export', () => {
  it('can be verified offline, and shows an edit', async () => {
    await fill(12);
    const made = await run('audit', 'export', '--out', 'x.jsonl', '--json');
    expect(made.read()).toEqual({ file: 'x.jsonl', format: 'jsonl', rows: 12 });
    rmSync(join(project, '.toolcrib'), { recursive: true });
    const sound = await run('audit', 'verify', '--file', 'x.jsonl');
    expect([sound.code, sound.out]).toEqual([0, expect.stringContaining('12 rows')]);
    expect(existsSync(database())).toBe(false);
    const text = readFileSync(join(project, 'x.jsonl'), 'utf8');
    writeFileSync(join(project, 'x.jsonl'), text.replace('"alice"', '"eve"'));
    expect((await run('audit', 'verify', '--file', 'x.jsonl')).code).toBe(1);
    expect((await run('audit', 'export', '--out', 'x.jsonl')).code).toBe(1);
    expect((await run('audit', 'export', '--out', 'no/where')).code).toBe(1);
  });

  it('goes to standard output, with filters and as CSV', async () => {
    await fill(12);
    const rows = await run('audit', 'export', '--agent', 'odd', '--code', 'permission_denied');
    expect(
      rows.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as AuditRow).seq),
    ).toEqual([6]);
    const csv = await run('audit', 'export', '--format', 'csv', '--bom', '--session', 's0');
    expect(csv.out.startsWith('\ufeffseq,time,')).toBe(true);
    expect(csv.out.trim().split('\r\n')).toHaveLength(5);
    expect((await run('audit', 'export', '--json')).code).toBe(2);
    expect((await run('audit', 'export', '--format', 'xml')).code).toBe(2);
    expect((await run('audit', 'export', '--code', 'nonsense')).code).toBe(2);
  });
});

describe('audit list', () => {
  it('filters by agent, session, kind and code, across pages', async () => {
    await fill(300);
    const list = async (...args: readonly string[]) =>
      (await run('audit', 'list', '--json', '--limit', '1000', ...args))
        .read<{ calls: AuditRow[] }>()
        .calls.map(({ executionId }) => Number(executionId.slice(1)));
    const all = times(300, (n) => 299 - n);
    expect(await list('--agent', 'odd')).toEqual(all.filter((n) => n % 2 === 1));
    expect(await list('--session', 's0')).toEqual(all.filter((n) => n % 3 === 0));
    expect(await list('--code', 'PERMISSION_DENIED')).toEqual(all.filter((n) => n % 5 === 0));
    expect(await list('--kind', 'intent')).toEqual([]);
    const first = await run('audit', 'list', '--json', '--limit', '70', '--agent', 'odd');
    const { next } = first.read<{ next: number }>();
    expect(await list('--agent', 'odd', '--before', String(next))).toHaveLength(80);
  });
});

describe('audit prune', () => {
  const before = new Date(NOW + 5000).toISOString().replace('.000', '');

  it('asks, archives and prunes; archive and rest verify as one chain', async () => {
    await fill(10);
    const alone = await run('audit', 'prune', '--before', before);
    expect([alone.code, alone.err]).toEqual([2, expect.stringContaining('--yes')]);
    const done = await run(
      'audit',
      'prune',
      '--before',
      before,
      '--archive',
      'old.jsonl',
      '--yes',
      '--json',
    );
    expect(done.read()).toEqual({ rows: 5, throughSeq: 5, archive: 'old.jsonl' });
    const sound = await run('audit', 'verify');
    expect([sound.code, sound.out]).toEqual([0, expect.stringContaining('6 rows')]);
    const whole = await run('audit', 'verify', '--archive', 'old.jsonl');
    expect([whole.code, whole.out]).toEqual([0, expect.stringContaining('11 rows')]);
    expect((await run('audit', 'prune', '--before', before, '--yes')).out).toMatch(
      /Nothing is old/,
    );
    const human = await run('audit', 'prune', '--before', '0d', '--yes');
    expect(human.out).toMatch(/6 rows pruned, up to row 11/);
    expect((await run('audit', 'verify')).code).toBe(0);
  });

  it('--dry-run says how many rows would go, and deletes none', async () => {
    await fill(10);
    const dry = await run('audit', 'prune', '--before', before, '--dry-run');
    expect([dry.code, dry.out]).toEqual([
      0,
      expect.stringContaining('5 rows would go, up to row 5'),
    ]);
    const json = await run('audit', 'prune', '--before', before, '--dry-run', '--json');
    expect(json.read()).toEqual({ rows: 5, throughSeq: 5, dryRun: true });
    expect((await run('audit', 'verify')).out).toContain('10 rows');
    expect(existsSync(join(base, 'home', 'keys'))).toBe(false);
  });

  it('uses audit.retentionDays without --before, and fails when neither is set', async () => {
    await fill(10);
    const bare = await run('audit', 'prune', '--yes');
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('audit.retentionDays')]);
    const days = Math.floor((createRuntime().now() - NOW) / 86_400_000);
    const keep = (count: number): void => {
      mkdirSync(join(base, 'home'), { recursive: true });
      writeFileSync(join(base, 'home', 'config.yml'), `audit:\n  retentionDays: ${count}\n`);
    };
    keep(days + 2);
    expect((await run('audit', 'prune', '--yes')).out).toMatch(/Nothing is old/);
    keep(days - 1);
    expect((await run('audit', 'prune', '--dry-run')).out).toContain('10 rows would go');
    const done = await run('audit', 'prune', '--yes', '--json');
    expect(done.read()).toEqual({ rows: 10, throughSeq: 10, archive: null });
    expect((await run('audit', 'verify')).code).toBe(0);
  });

  it('A1: a forged anchor is found', async () => {
    await fill(10);
    await run('audit', 'prune', '--before', before, '--yes');
    await tamper(
      `DELETE FROM audit WHERE seq <= 7; UPDATE audit_anchor SET seq = 7, checkpoint = json_set(checkpoint, '$.seq', 7)`,
    );
    const found = await run('audit', 'verify');
    expect([found.code, found.err]).toEqual([1, expect.stringContaining('(bad-checkpoint)')]);
  });
});
