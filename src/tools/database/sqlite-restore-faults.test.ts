/** What becomes of a change and its undo when the process of SQLite meets a fault that passes. */
import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync, type DatabaseSyncInstance } from '@photostructure/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProcessPool } from '../../kit/work/process-pool.ts';
import { runSqlite } from './run-sqlite.ts';
import { sqliteProgram } from './sqlite-program.ts';
import { restoreCopy } from './sqlite-undo.ts';

const ENGINE = createRequire(import.meta.url).resolve('@photostructure/sqlite');

let root: string;
let path: string;
let db: DatabaseSyncInstance;
const opened: ProcessPool[] = [];

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'sqlite-faults-')));
  path = join(root, 'shop.db');
  db = new DatabaseSync(path);
  db.exec("CREATE TABLE items (name TEXT); INSERT INTO items VALUES ('lamp'), ('nail')");
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((processes) => processes.close()));
  db.close();
  rmSync(root, { recursive: true, force: true });
});

/**
 * Starts processes whose engine is changed by `code`, a text that sees `real`, `fs`, `marker` and
 * `engine`. `first()` is true once for all processes.
 */
const processesWith = (code = ''): ProcessPool => {
  const file = join(root, `engine-${opened.length}.cjs`);
  writeFileSync(
    file,
    `const real = require(${JSON.stringify(ENGINE)});
    const fs = require('node:fs');
    const engine = { ...real };
    const first = () => {
      try { fs.closeSync(fs.openSync(${JSON.stringify(join(root, `first-${opened.length}`))}, 'wx')); return true; }
      catch { return false; }
    };
    ${code}
    module.exports = engine;`,
  );
  const processes = new ProcessPool({
    max: 4,
    maxIdle: 1,
    memoryMb: 256,
    program: sqliteProgram,
    args: () => [file],
  });
  opened.push(processes);
  return processes;
};

const signal = new AbortController().signal;

const changeWith = async (processes: ProcessPool) => {
  const warnings: string[] = [];
  let kept: unknown;
  const context = {
    keepForUndo: (value: unknown) => {
      kept = value;
    },
    warn: (text: string) => warnings.push(text),
  };
  const request = { query: 'DELETE FROM items', params: [], mode: 'write' as const };
  const limits = { maxRows: 10, maxBytes: 1000, timeout: 20_000 };
  await runSqlite({ path, context, processes, signal }, { ...request, ...limits });
  return { kept, warnings };
};

const restoreWith = async (kept: unknown, processes: ProcessPool) => {
  const faults: unknown[] = [];
  const logger = {
    warn: (_: string, fields?: Record<string, unknown>) => faults.push(fields?.fault),
  };
  const error: unknown = await restoreCopy(kept, { path, processes, signal, logger }).catch(
    (thrown: unknown) => thrown,
  );
  return { error, faults };
};

const count = () => (db.prepare('SELECT count(*) AS n FROM items').get() as { n: number }).n;

/** Lets `backup` do something else when it writes to the database itself, which is what a restore does. */
const onRestore = (code: string): string => `engine.backup = async (source, to, ...rest) => {
  if (to === ${JSON.stringify(path)}) { ${code} }
  return real.backup(source, to, ...rest);
};`;

describe('a fault of the process that runs SQLite', () => {
  it('a change can be undone although its first copy failed', async () => {
    const failing =
      "engine.backup = async (...given) => { if (first()) throw new Error('database is locked'); return real.backup(...given); };";
    const { kept, warnings } = await changeWith(processesWith(failing));
    expect(warnings).toEqual([]);
    expect((await restoreWith(kept, processesWith())).error).toBe(undefined);
    expect(count()).toBe(2);
  });

  it('a restore is tried once more when its process ends before it changed anything', async () => {
    const { kept } = await changeWith(processesWith());
    const dying = onRestore("if (first()) process.kill(process.pid, 'SIGKILL');");
    expect((await restoreWith(kept, processesWith(dying))).error).toBe(undefined);
    expect(count()).toBe(2);
  });

  it('a restore succeeds when its process ends after the commit, before it answers', async () => {
    const { kept } = await changeWith(processesWith());
    const dying = onRestore(
      "await real.backup(source, to, ...rest); if (first()) process.kill(process.pid, 'SIGKILL');",
    );
    expect((await restoreWith(kept, processesWith(dying))).error).toBe(undefined);
    expect(count()).toBe(2);
  });

  it('a restore finds the journal of a process that died amid the commit, and rolls it back', async () => {
    const { kept } = await changeWith(processesWith());
    const dying = onRestore(`if (first()) {
      const half = new real.DatabaseSync(to);
      half.exec("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; CREATE TABLE half (x); INSERT INTO half VALUES (zeroblob(100000))");
      process.kill(process.pid, 'SIGKILL');
    }`);
    expect((await restoreWith(kept, processesWith(dying))).error).toBe(undefined);
    expect([count(), readdirSync(root).filter((name) => name.endsWith('-journal'))]).toEqual([
      2,
      [],
    ]);
  });

  it('a restore whose processes all end says so, and gives no advice about the query', async () => {
    const { kept } = await changeWith(processesWith());
    const { error } = await restoreWith(kept, processesWith(onRestore('process.exit(1);')));
    expect(error).toMatchObject({
      code: 'EXECUTION_FAILED',
      message: 'The database could not be restored: the process ended twice without an answer.',
      extras: {},
    });
    expect(count()).toBe(0);
  });

  it('a restore that fails names the reason', async () => {
    const { kept } = await changeWith(processesWith());
    const full = onRestore("throw new Error('database or disk is full');");
    expect((await restoreWith(kept, processesWith(full))).error).toMatchObject({
      message: 'The database could not be restored: database or disk is full.',
    });
  });

  it('hostile: a restore that meets another open file fails, and its log names the file', async () => {
    const { kept } = await changeWith(processesWith());
    const foreign = join(root, 'foreign');
    writeFileSync(foreign, '');
    const swapping = onRestore(`fs.openSync(${JSON.stringify(foreign)});`);
    const { error, faults } = await restoreWith(kept, processesWith(swapping));
    expect(error).toMatchObject({ code: 'SECURITY_VIOLATION' });
    expect(faults).toEqual([`swapped: ${foreign}`]);
  });

  it.runIf(process.platform === 'linux')(
    'the C library may look below /sys while a database is restored',
    async () => {
      const { kept } = await changeWith(processesWith());
      const counting = onRestore("fs.openSync('/sys/devices/system/cpu/online');");
      expect((await restoreWith(kept, processesWith(counting))).error).toBe(undefined);
      expect(count()).toBe(2);
    },
  );

  it('a process that nobody would end with its parent runs nothing', async () => {
    const unwatched = `const { Worker } = require('node:worker_threads');
    const { emit } = Worker.prototype;
    Worker.prototype.emit = function (name, ...rest) {
      return name === 'online' ? emit.call(this, 'error', new Error('no thread')) : emit.call(this, name, ...rest);
    };`;
    await expect(changeWith(processesWith(unwatched))).rejects.toMatchObject({
      message: 'The process for the query did not start properly.',
    });
    expect(count()).toBe(2);
  });
});
