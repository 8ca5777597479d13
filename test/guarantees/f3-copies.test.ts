/** F3: copies of database and log, taken at any moment, open, verify, and know every effect's intent. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
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
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { compileProgram } from '../conformance/compile-program.ts';
import { sized, TIME_LIMIT } from './size.ts';

const COPIES = sized(15, 500);
/** After so many copies the writer is killed and another one goes on where it left. */
const COPIES_A_LIFE = 6;
const DATABASE = ['state.db', 'state.db-wal'];

let compiled: { readonly folder: string; readonly program: string };
let base = '';
let root = '';
/** The one that is at work, so that a test that fails leaves none behind. */
let writer: Writer;
beforeAll(() => {
  compiled = compileProgram(join(import.meta.dirname, '../fixtures/copy-writer.ts'));
  base = mkdtempSync(join(tmpdir(), 'toolcrib-copies-'));
  root = join(base, 'work');
  mkdirSync(root);
}, TIME_LIMIT);
afterAll(() => {
  writer.child.kill('SIGKILL');
  rmSync(compiled.folder, { recursive: true });
  rmSync(base, { recursive: true });
});

interface Writer {
  readonly child: ChildProcess;
  readonly gone: Promise<unknown>;
  statuses(): readonly string[];
}

const startWriter = async (): Promise<Writer> => {
  const child = spawn(process.execPath, [compiled.program, root], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, HOME: base },
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += String(chunk);
  });
  const gone = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), gone]);
  return { child, gone, statuses: () => text.split('\n').slice(0, -1) };
};

/** In the state letter of the process: `T` is stopped. */
const isStopped = (pid: number): boolean => {
  try {
    return /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
};

/** What a disk would hold if the power went now. The writer rests until told to go on: else it would
 * write, while each copy is checked, more than all the rest, and the copies would grow without end. */
const copyNow = async (child: ChildProcess, to: string): Promise<void> => {
  child.kill('SIGSTOP');
  for (let tries = 0; tries < 200 && !isStopped(child.pid ?? 0); tries++) await pause(1);
  mkdirSync(join(to, 'files'), { recursive: true });
  for (const name of DATABASE) {
    const file = join(root, '.toolcrib', name);
    if (existsSync(file)) cpSync(file, join(to, name));
  }
  for (const name of readdirSync(root)) {
    if (name !== '.toolcrib')
      cpSync(join(root, name), join(to, 'files', name), { recursive: true });
  }
};

/** The calls whose work can be seen in the files, half-written ones included. */
const effectsIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
      return /^written by (\S+)\n/.exec(text)?.[1] ?? [];
    });

interface Checked {
  readonly report: AuditVerification;
  readonly effects: number;
  readonly unannounced: readonly string[];
}

const check = async (copy: string, expected: AuditVerification['head']): Promise<Checked> => {
  const store = await createSqliteStore({ path: join(copy, 'state.db'), runtime: createRuntime() });
  try {
    const report = await verifyAuditLog(store.audit, { expected });
    const intents = await store.audit.query({ kind: 'intent' });
    const known = new Set(intents.map(({ detail }) => detail.idempotencyKey));
    const effects = effectsIn(join(copy, 'files'));
    return {
      report,
      effects: effects.length,
      unannounced: effects.filter((key) => !known.has(key)),
    };
  } finally {
    await store.close();
  }
};

describe.skipIf(process.platform === 'win32')(
  'F3: copies at random moments (needs SIGSTOP)',
  () => {
    it(
      'all open, all chains are valid, and no effect is without its intent',
      async () => {
        writer = await startWriter();
        let head: AuditVerification['head'];
        let effects = 0;
        const statuses: string[] = [];
        for (let n = 0; n < COPIES; n++) {
          if (n > 0 && n % COPIES_A_LIFE === 0) {
            writer.child.kill('SIGKILL');
            await writer.gone;
            statuses.push(...writer.statuses());
            writer = await startWriter();
          }
          await pause(Math.random() * 40);
          const copy = join(base, `copy-${n}`);
          await copyNow(writer.child, copy);
          const checked = await check(copy, head);
          expect(checked).toMatchObject({ report: { ok: true }, unannounced: [] });
          head = checked.report.head;
          effects += checked.effects;
          rmSync(copy, { recursive: true });
          writer.child.kill('SIGCONT');
        }
        writer.child.kill('SIGKILL');
        await writer.gone;
        statuses.push(...writer.statuses());
        expect(new Set(statuses)).toEqual(new Set(['success']));
        expect(effects).toBeGreaterThan(COPIES);
        expect(head?.seq).toBeGreaterThan(COPIES);
      },
      TIME_LIMIT,
    );
  },
);
