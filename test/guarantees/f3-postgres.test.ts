/** F3 on PostgreSQL: its folder, copied at any moment, opens, verifies, and knows every effect's intent. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditVerification } from '../../src/contract/audit.ts';
import { createRuntime } from '../../src/crib/create-runtime.ts';
import { verifyAuditLog } from '../../src/governance/audit/verify-audit.ts';
import { createPostgresStore } from '../../src/stores/postgres/create-postgres-store.ts';
import { isPostgresMissing } from '../fixtures/postgres-schemas.ts';
import {
  openPostgres,
  openPostgresAt,
  type PostgresServer,
  postgresFolder,
} from '../fixtures/vendors/postgres-server.ts';
import { freezePostgres } from './programs/freeze-postgres.ts';
import { type Program, startProgram } from './programs/start-program.ts';
import { sayProgress, sized, TIME_LIMIT } from './size.ts';

const COPIES = sized(4, 500);
/** After so many copies the writer is killed and another one goes on where it left. */
const COPIES_A_LIFE = sized(2, 20);
const SCHEMA = 'toolcrib';
/** Few segments: they are copied each time. */
const SMALL_LOG = ['-c', 'max_wal_size=4MB', '-c', 'min_wal_size=2MB'];

const programs = postgresFolder() ?? '';
const base = mkdtempSync(join(tmpdir(), 'toolcrib-copies-'));
const root = join(base, 'work');
let server: PostgresServer;
let writer: Program;

const startWriter = async (): Promise<void> => {
  const env = { ENGINE_STORE_URL: server.urlFor('boss'), ENGINE_SCHEMA: SCHEMA };
  writer = startProgram('file-writer.mjs', [root], env);
  await writer.said('success');
};

/** What the disk would hold if the power went now: the files that calls changed, and the database. */
const copyNow = async (to: string): Promise<void> => {
  writer.child.kill('SIGSTOP');
  const goOn = await freezePostgres(server.folder);
  try {
    mkdirSync(to);
    cpSync(root, join(to, 'files'), { recursive: true });
    execFileSync('cp', ['-a', join(server.folder, 'data'), join(to, 'data')]);
    rmSync(join(to, 'data/postmaster.pid'));
  } finally {
    goOn();
  }
};

/** The calls whose work can be seen in the files, half-written ones included. */
const effectsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ name }) => {
      const text = readFileSync(join(folder, name), 'utf8');
      return /^written by (\S+)\n/.exec(text)?.[1] ?? [];
    });

interface Checked {
  readonly report: AuditVerification;
  readonly effects: number;
  readonly unannounced: readonly string[];
}

const check = async (copy: string, expected: AuditVerification['head']): Promise<Checked> => {
  const restored = await openPostgresAt(programs, copy);
  const url = restored.urlFor('boss');
  const runtime = createRuntime();
  const store = await createPostgresStore({ url, schema: SCHEMA, runtime }).catch(async (error) => {
    await restored.close();
    throw error;
  });
  try {
    const report = await verifyAuditLog(store.audit, { expected });
    const intents = await store.audit.query({ kind: 'intent', limit: 1_000 });
    const known = new Set(intents.map(({ detail }) => detail.idempotencyKey));
    const effects = effectsIn(join(copy, 'files'));
    return {
      report,
      effects: effects.length,
      unannounced: effects.filter((key) => !known.has(key)),
    };
  } finally {
    await store.close();
    await restored.close();
  }
};

const isSkipped = process.platform !== 'linux' || isPostgresMissing();

describe.skipIf(isSkipped)('F3: copies of PostgreSQL at random moments (needs /proc)', () => {
  beforeAll(async () => {
    // The user of PostgreSQL has to reach the copies.
    chmodSync(base, 0o711);
    mkdirSync(root);
    server = await openPostgres(programs, SMALL_LOG);
  }, TIME_LIMIT);
  afterAll(async () => {
    writer.child.kill('SIGKILL');
    await server.close();
    rmSync(base, { recursive: true, force: true });
  }, TIME_LIMIT);

  it(
    'all open, all chains are valid, and no effect is without its intent',
    async () => {
      await startWriter();
      let head: AuditVerification['head'];
      let effects = 0;
      for (let n = 0; n < COPIES; n++) {
        if (n > 0 && n % COPIES_A_LIFE === 0) {
          writer.child.kill('SIGKILL');
          await writer.ended;
          await startWriter();
        }
        await pause(Math.random() * 60);
        const copy = join(base, `copy-${n}`);
        await copyNow(copy);
        const checked = await check(copy, head);
        expect(checked).toMatchObject({ report: { ok: true }, unannounced: [] });
        head = checked.report.head;
        effects += checked.effects;
        if ((n + 1) % 10 === 0) {
          sayProgress(`F3 PostgreSQL: ${n + 1} copies, ${head?.seq} records, ${effects} effects`);
        }
        writer.child.kill('SIGCONT');
      }
      expect(new Set(writer.lines)).toEqual(new Set(['success']));
      expect(effects).toBeGreaterThanOrEqual(COPIES);
      expect(head?.seq).toBeGreaterThan(COPIES);
    },
    TIME_LIMIT,
  );
});
