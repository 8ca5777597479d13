/**
 * A1: every kind of tampering with a real file is found beside the last exported checkpoint; clean logs raise
 * no alarm.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditCheckpoint, AuditRow, AuditVerification } from '../../src/contract/audit.ts';
import type { Store } from '../../src/contract/store.ts';
import { createRuntime } from '../../src/crib/create-runtime.ts';
import { makeAnchor, makeCheckpoint } from '../../src/governance/audit/checkpoint.ts';
import { pruneAudit } from '../../src/governance/audit/prune-audit.ts';
import { verifyAuditLog } from '../../src/governance/audit/verify-audit.ts';
import { verifyAuditFiles } from '../../src/governance/audit/verify-audit-files.ts';
import { openSigningKey, type SigningKey } from '../../src/governance/signing/open-signing-key.ts';
import { type Database, openDatabase } from '../../src/kit/sqlite/open-database.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { compileProgram } from '../conformance/compile-program.ts';
import { allRows, auditEntry, intentEntry, NOW, times } from '../conformance/store-samples.ts';
import { sized, TIME_LIMIT } from './size.ts';

const EACH = sized(10, 100);
const CLEAN_LOGS = sized(50, 1000);
const LENGTH = 60;
/** The checkpoint is exported here; the log goes on for a while after it. */
const NOTED = 50;

let base = '';
let key: SigningKey;
let stranger: SigningKey;
let compiled: { readonly folder: string; readonly program: string };
let checkpoint: AuditCheckpoint;
const original = (): string => join(base, 'original.db');
const older = (): string => join(base, 'older.db');

const openStore = (path: string): Promise<Store> =>
  createSqliteStore({ path, runtime: createRuntime(), lockTimeoutMs: 20_000 });

const between = (low: number, high: number): number =>
  low + Math.floor(Math.random() * (high - low + 1));

const fill = async (store: Store, count: number, from = 0): Promise<void> => {
  for (const n of times(count, (i) => from + i)) {
    const executionId = `e${n}`;
    const at = NOW + n;
    if (n % 4 === 0) await store.audit.append(intentEntry(executionId, { at }));
    const detail = { input: { text: `marker-${n}` } };
    await store.audit.append(auditEntry({ executionId, at, userId: `user-${n % 5}`, detail }));
  }
};

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'toolcrib-a1-'));
  key = await openSigningKey(join(base, 'key.pem'));
  stranger = await openSigningKey(join(base, 'stranger.pem'));
  compiled = compileProgram(join(import.meta.dirname, '../conformance/sqlite-program.ts'));
  const store = await openStore(original());
  await fill(store, 25);
  await store.close();
  copyFileSync(original(), older());
  const again = await openStore(original());
  await fill(again, NOTED - 25, 25);
  const head = await again.audit.head();
  checkpoint = makeCheckpoint(head, { at: NOW, store: again.label, key });
  await fill(again, LENGTH - NOTED, NOTED);
  await again.close();
}, TIME_LIMIT);
afterAll(() => {
  rmSync(base, { recursive: true });
  rmSync(compiled.folder, { recursive: true });
});

const verify = async (path: string, checkpoints: readonly AuditCheckpoint[]) => {
  const store = await openStore(path);
  try {
    return await verifyAuditLog(store.audit, { checkpoints, trustedKeys: [key.publicKey] });
  } finally {
    await store.close();
  }
};

/** The chain as the documents describe it, written again by somebody who has read them. */
const rehash = (database: Database, from: number): void => {
  const rows = database.prepare('SELECT * FROM audit ORDER BY seq').all() as Record<
    string,
    unknown
  >[];
  let previous = '0'.repeat(64);
  for (const { hash, ...row } of rows) {
    const text = JSON.stringify(Object.values(row));
    const right = createHash('sha256').update(`${previous}\n${text}`).digest('hex');
    previous = Number(row.seq) < from ? String(hash) : right;
    database.prepare('UPDATE audit SET hash = ? WHERE seq = ?').run(previous, Number(row.seq));
  }
};

const lengthOf = (database: Database): number =>
  (database.prepare('SELECT max(seq) AS n FROM audit').get() as { n: number }).n;

type Tamper = (database: Database, path: string) => void;

const FIELDS = [
  'user_id',
  'tool',
  'status',
  'code',
  'detail',
  'kind',
  'execution_id',
  'session_id',
];

const edit = (database: Database, seq: number): void => {
  const field = FIELDS[between(0, FIELDS.length - 1)] ?? 'tool';
  database.exec(`UPDATE audit SET ${field} = ${field} || 'x' WHERE seq = ${seq}`);
};

/** Moves the rows from a number on by one, up or down. */
const shift = (database: Database, from: number, by: 1 | -1): void => {
  database.exec(`UPDATE audit SET seq = -(seq + ${by}) WHERE seq >= ${from};
    UPDATE audit SET seq = -seq WHERE seq < 0`);
};

const KINDS: Readonly<Record<string, Tamper>> = {
  'a row edited': (database) => edit(database, between(1, checkpoint.seq)),
  'a row edited and its hash made to fit': (database) => {
    const seq = between(1, checkpoint.seq);
    edit(database, seq);
    if (Math.random() < 0.5) rehash(database, seq);
    else database.exec(`UPDATE audit SET hash = '${'ab'.repeat(32)}' WHERE seq = ${seq}`);
  },
  'a row removed, with or without the rest moved up': (database) => {
    const seq = between(2, checkpoint.seq - 1);
    database.exec(`DELETE FROM audit WHERE seq = ${seq}`);
    if (Math.random() < 0.5) {
      shift(database, seq + 1, -1);
      rehash(database, seq);
    }
  },
  'the beginning removed, with or without a forged anchor': (database) => {
    const seq = between(1, checkpoint.seq);
    const head = database.prepare('SELECT seq, hash FROM audit WHERE seq = ?').get(seq);
    const facts = { at: NOW, store: 'x', key: stranger };
    const anchors = [
      undefined,
      makeAnchor(head as AuditRow, facts),
      { ...makeAnchor(head as AuditRow, facts), publicKey: key.publicKey },
      { ...checkpoint, seq, hash: (head as AuditRow).hash },
    ];
    const anchor = anchors[between(0, anchors.length - 1)];
    database.exec(`DELETE FROM audit WHERE seq <= ${seq}`);
    if (!anchor) return;
    const text = JSON.stringify(anchor);
    database.prepare('INSERT INTO audit_anchor VALUES (1, ?, ?)').run(seq, text);
  },
  'the end cut off': (database) => {
    database.exec(`DELETE FROM audit WHERE seq >= ${between(1, checkpoint.seq)}`);
  },
  'two rows swapped, with or without fresh hashes': (database) => {
    const one = between(1, checkpoint.seq - 1);
    const other = between(one + 1, checkpoint.seq);
    database.exec(`UPDATE audit SET seq = 9999 WHERE seq = ${one};
      UPDATE audit SET seq = ${one} WHERE seq = ${other};
      UPDATE audit SET seq = ${other} WHERE seq = 9999`);
    if (Math.random() < 0.5) rehash(database, one);
  },
  'a row inserted, with or without fresh hashes': (database) => {
    const seq = between(1, checkpoint.seq);
    shift(database, seq, 1);
    const columns =
      'at, kind, execution_id, tool, version, tier, user_id, agent_id, session_id, status, code, duration_ms, cost_micros, detail, hash';
    database.exec(
      `INSERT INTO audit SELECT ${seq}, ${columns} FROM audit WHERE seq = ${lengthOf(database)}`,
    );
    if (Math.random() < 0.5) rehash(database, seq);
  },
  'the whole log rewritten with fresh hashes': (database) => {
    database.exec("UPDATE audit SET user_id = 'nobody' WHERE user_id = 'user-1'");
    rehash(database, 1);
  },
  'an older file restored': (database, path) => {
    database.close();
    copyFileSync(older(), path);
  },
  'bytes changed in the file': (database, path) => {
    database.close();
    const bytes = readFileSync(path);
    const marker = `marker-${between(0, NOTED - 1)}"`;
    const offset = between(0, 6);
    // All places: pages keep dead copies of rows that were moved, and nobody reads those.
    for (let at = bytes.indexOf(marker); at >= 0; at = bytes.indexOf(marker, at + 1)) {
      bytes[at + offset] = 'X'.charCodeAt(0);
    }
    writeFileSync(path, bytes);
  },
};

describe('A1: tampering', () => {
  it.each(Object.entries(KINDS))(
    'finds %s, every time',
    async (_, tamper) => {
      for (const n of times(EACH, (i) => i)) {
        const path = join(base, `tampered-${n}.db`);
        copyFileSync(original(), path);
        const database = await openDatabase(path);
        database.exec('DROP TRIGGER audit_keeps_rows; DROP TRIGGER audit_keeps_text');
        tamper(database, path);
        // Closed already where the file itself was changed.
        try {
          database.close();
        } catch {}
        const report = await verify(path, [checkpoint]);
        expect(report.ok).toBe(false);
        expect(report.problem?.message).toMatch(/^[A-Z].*\.$/);
        rmSync(path);
      }
    },
    TIME_LIMIT,
  );

  it('proves a whole rewrite by the checkpoint alone: the rewritten chain is consistent in itself', async () => {
    const path = join(base, 'rewritten.db');
    copyFileSync(original(), path);
    const database = await openDatabase(path);
    database.exec('DROP TRIGGER audit_keeps_text');
    KINDS['the whole log rewritten with fresh hashes']?.(database, path);
    database.close();
    expect((await verify(path, [])).ok).toBe(true);
    expect((await verify(path, [checkpoint])).problem).toMatchObject({ kind: 'edited' });
  });

  it(
    'finds a checkpoint that was edited or signed by somebody else, every time',
    async () => {
      expect((await verify(original(), [checkpoint])).ok).toBe(true);
      for (const n of times(EACH, (i) => i)) {
        const signature = Buffer.from(checkpoint.signature, 'base64');
        signature[n % 64] = (signature[n % 64] ?? 0) ^ (1 << (n % 8));
        const { seq, hash, store } = checkpoint;
        const forged = [
          { ...checkpoint, signature: signature.toString('base64') },
          { ...checkpoint, seq: seq - 1 - (n % 10) },
          makeCheckpoint({ seq, hash }, { at: NOW, store, key: stranger }),
          makeAnchor({ seq, hash }, { at: NOW, store, key }),
        ];
        for (const note of forged) {
          const { problem } = await verify(original(), [note]);
          expect(problem?.kind).toBe('bad-checkpoint');
        }
      }
    },
    TIME_LIMIT,
  );
});

interface CleanLog {
  readonly checkpoints: readonly AuditCheckpoint[];
  readonly files?: readonly string[];
}

const noted = async (store: Store): Promise<AuditCheckpoint> =>
  makeCheckpoint(await store.audit.head(), { at: NOW, store: store.label, key });

/** Ways in which a log can come about, all of them honest. */
const HISTORIES: Readonly<Record<string, (path: string) => Promise<CleanLog>>> = {
  'one process': async (path) => {
    const store = await openStore(path);
    await fill(store, between(0, 30));
    const checkpoints = [await noted(store)];
    await fill(store, between(0, 10), 30);
    await store.close();
    return { checkpoints };
  },
  'two connections at once': async (path) => {
    const [one, other] = [await openStore(path), await openStore(path)];
    await Promise.all([fill(one, 15), fill(other, 15, 100)]);
    const checkpoints = [await noted(one), await noted(other)];
    await Promise.all([one.close(), other.close()]);
    return { checkpoints };
  },
  'pruned and gone on': async (path) => {
    const store = await openStore(path);
    await fill(store, 30);
    const checkpoints = [await noted(store)];
    const files = [`${path}.1.jsonl`, `${path}.2.jsonl`];
    for (const archive of files) {
      const before = NOW + between(1, 40);
      await pruneAudit(store, { before, at: NOW + 40, key, archive, step: between(1, 20) });
      await fill(store, between(0, 5), 50);
      checkpoints.push(await noted(store));
    }
    await store.close();
    return { checkpoints, files: files.filter((file) => existsSync(file)) };
  },
  'copied in the middle of it': async (path) => {
    const store = await openStore(`${path}.live`);
    await fill(store, between(1, 20));
    const checkpoints = [await noted(store)];
    copyFileSync(`${path}.live`, path);
    copyFileSync(`${path}.live-wal`, `${path}-wal`);
    await store.close();
    return { checkpoints };
  },
  'two processes, one of them killed': async (path) => {
    const children = ['a', 'b'].map((name) =>
      spawn(process.execPath, [compiled.program, path, 'append', name], { stdio: 'ignore' }),
    );
    const ended = Promise.all(children.map((child) => once(child, 'close')));
    await pause(between(60, 250));
    children[0]?.kill('SIGKILL');
    await ended;
    const store = await openStore(path);
    const checkpoints = [await noted(store)];
    await fill(store, 3);
    await store.close();
    return { checkpoints };
  },
};

/** Processes take their time: one log in twenty comes about like that. */
const historyOf = (n: number) => {
  const all = Object.values(HISTORIES);
  const index = n % 20 === 0 ? all.length - 1 : n % (all.length - 1);
  return all[index] as (path: string) => Promise<CleanLog>;
};

const verifyClean = async (path: string, log: CleanLog): Promise<readonly AuditVerification[]> => {
  const { checkpoints, files = [] } = log;
  const options = { checkpoints, trustedKeys: [key.publicKey] };
  const store = await openStore(path);
  const alone = await verifyAuditLog(store.audit, {
    ...options,
    expected: await store.audit.head(),
  });
  const chained =
    files.length > 0 ? [await verifyAuditFiles({ files, log: store.audit }, options)] : [];
  expect(alone.rows).toBe((await allRows(store)).length);
  await store.close();
  return [alone, ...chained];
};

describe('A1: clean logs', () => {
  it(
    'raise no alarm, whatever produced them',
    async () => {
      for (const n of times(CLEAN_LOGS, (i) => i)) {
        const path = join(base, `clean-${n}.db`);
        const reports = await verifyClean(path, await historyOf(n)(path));
        expect(reports.filter(({ ok }) => !ok)).toEqual([]);
      }
    },
    TIME_LIMIT,
  );
});
