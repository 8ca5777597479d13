/** When commits reach the disk: before the answer, or for all of a moment together soon after. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Durability } from '../../contract/audit.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { CommitSync, type CommitSyncOptions } from './commit-sync.ts';
import { type Database, openDatabase } from './open-database.ts';

const FULL = 2;
const NORMAL = 1;

let folder = '';
let database: Database;
let syncs: number;
let errors: string[];
/** What was asked to be called later, and has not been. */
let waiting: (() => void)[];

const runtime = (): Runtime => ({
  ...createRuntime(),
  after: (_ms, callback) => {
    waiting.push(callback);
    return {
      cancel: () => {
        waiting = waiting.filter((each) => each !== callback);
      },
      keepAlive: () => undefined,
    };
  },
  log: { ...createRuntime().log, error: (message) => void errors.push(message) },
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-sync-'));
  database = await openDatabase(join(folder, 'crib.db'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE items (value)');
  syncs = 0;
  errors = [];
  waiting = [];
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const open = (options: Partial<CommitSyncOptions> = {}): CommitSync =>
  new CommitSync({
    database,
    runtime: runtime(),
    log: join(folder, 'crib.db-wal'),
    syncFile: async () => void syncs++,
    ...options,
  });

/** One commit, and how SQLite synced it. */
const commit = (sync: CommitSync, durability: Durability): unknown => {
  sync.prepare(durability);
  database.exec('BEGIN; INSERT INTO items VALUES (1); COMMIT');
  sync.committed();
  const [level] = database.prepare('PRAGMA synchronous').all() as { synchronous: number }[];
  return level?.synchronous;
};

const later = async (): Promise<void> => {
  for (const callback of waiting.splice(0)) callback();
  await new Promise((done) => setImmediate(done));
};

describe('commits', () => {
  it('that must survive a power cut are synced before they return, and nothing follows', async () => {
    const sync = open();
    expect(commit(sync, 'synced')).toBe(FULL);
    expect(waiting).toHaveLength(0);
    await sync.close();
    expect(syncs).toBe(0);
  });

  it('made in one moment that must survive the process are synced together', async () => {
    const sync = open();
    for (let n = 0; n < 5; n++) expect(commit(sync, 'written')).toBe(NORMAL);
    expect([waiting.length, syncs]).toEqual([1, 0]);
    await later();
    expect([waiting.length, syncs]).toEqual([0, 1]);
    commit(sync, 'written');
    await later();
    expect(syncs).toBe(2);
    await sync.close();
    expect(syncs).toBe(2);
  });

  it('before a synced one are synced with it', async () => {
    const sync = open();
    commit(sync, 'written');
    expect(commit(sync, 'synced')).toBe(FULL);
    await later();
    await sync.close();
    expect(syncs).toBe(0);
  });

  it('made while a sync is under way get one of their own', async () => {
    const holds: (() => void)[] = [];
    const sync = open({
      syncFile: () => {
        syncs++;
        return new Promise((done) => void holds.push(done));
      },
    });
    commit(sync, 'written');
    await later();
    commit(sync, 'written');
    expect([waiting.length, syncs]).toEqual([0, 1]);
    holds[0]?.();
    await new Promise((done) => setImmediate(done));
    expect(waiting).toHaveLength(1);
    await later();
    expect(syncs).toBe(2);
    holds[1]?.();
    await sync.close();
  });

  it('are on disk once they are settled, those of other processes too', async () => {
    const sync = open();
    await sync.settle();
    expect(syncs).toBe(1);
    commit(sync, 'written');
    await sync.settle();
    expect(syncs).toBe(2);
    await later();
    await sync.close();
    expect(syncs).toBe(2);
  });

  it('that wait are synced when the store is closed', async () => {
    const sync = open();
    commit(sync, 'written');
    await sync.close();
    expect([waiting.length, syncs]).toEqual([0, 1]);
    await sync.close();
    expect(syncs).toBe(1);
  });

  it('are all synced immediately when a later sync cannot be promised', async () => {
    for (const sync of [
      new CommitSync({ database, runtime: runtime() }),
      open({ log: join(folder, 'not there') }),
    ]) {
      expect(commit(sync, 'written')).toBe(FULL);
      expect(waiting).toHaveLength(0);
      await sync.close();
    }
    expect(syncs).toBe(0);
  });

  it('are all synced immediately after a sync has failed', async () => {
    const sync = open({ syncFile: async () => Promise.reject(new Error('EIO')) });
    commit(sync, 'written');
    await later();
    await later();
    expect(errors).toEqual(['The log of the database could not be synced.']);
    expect(commit(sync, 'written')).toBe(FULL);
    expect(waiting).toHaveLength(0);
    await sync.close();
  });

  it('are really synced by the system', async () => {
    const log = join(folder, 'crib.db-wal');
    const sync = new CommitSync({ database, runtime: runtime(), log });
    commit(sync, 'written');
    await sync.close();
    expect(errors).toEqual([]);
  });
});
