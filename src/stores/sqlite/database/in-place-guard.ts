/** Notices that the files of a database are not at their paths any more. */
import { existsSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Durability } from '../../../contract/audit.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Database } from '../../../kit/sqlite/open-database.ts';

/**
 * How often the files are compared with those at their paths. Whether there are any is asked each time, and
 * before rows that are synced whether their folder has changed.
 */
const COMPARE_EVERY_MS = 50;

/** The clock of a file system ticks every 10 ms at worst: for this long two changes may have one time. */
const MAX_TICK_MS = 20;

export const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

const isSame = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && one.ino === other?.ino && one.dev === other.dev;

/** Watches for files that come to a folder or leave it, which changes its times, and for another folder. */
const folderWatch = (folder: string, { elapsed }: Pick<Runtime, 'elapsed'>): (() => boolean) => {
  let seen = statOf(folder);
  let changedAt = elapsed();
  return () => {
    const now = statOf(folder);
    const isAsSeen =
      isSame(seen, now) && seen?.mtimeMs === now?.mtimeMs && seen?.ctimeMs === now?.ctimeMs;
    if (!isAsSeen) changedAt = elapsed();
    seen = now;
    return elapsed() - changedAt < MAX_TICK_MS;
  };
};

const gone = (what: string): ToolFailure =>
  new ToolFailure('STORE_UNAVAILABLE', `The ${what} was moved or deleted.`, {
    suggestions: ['Put the file back, or start again with a new store.'],
  });

/** Saves the content of a deleted log, which is still open here, unless there is a new log. */
const rescueLog = (database: Database, { log }: Pick<Runtime, 'log'>): void => {
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    log.error('The write-ahead log of the store was deleted; what it held was saved.');
  } catch (error) {
    log.error('The write-ahead log of the store was deleted.', { error: String(error) });
  }
};

/**
 * Refuses to write into files that are not at their paths any more: nothing would ever read them, and a
 * deleted log is lost with this process. A tool may run on rows that are synced, so these are never written
 * into files that were replaced; others may be for a moment.
 */
export const inPlaceGuard = (
  path: string,
  database: Database,
  runtime: Pick<Runtime, 'elapsed' | 'log'>,
): ((durability: Durability) => void) => {
  const opened = statSync(path);
  const logPath = `${path}-wal`;
  let log = statOf(logPath);
  let comparedAt = runtime.elapsed();
  let isRescued = false;
  const hasFolderChanged = folderWatch(dirname(path), runtime);
  // Linux writes the times of a file with its next sync once somebody has read them, which makes a synced
  // call take a third longer: so the log, which each call writes, is not read each time, but the folder is.
  const isDue = (durability: Durability): boolean =>
    runtime.elapsed() - comparedAt >= COMPARE_EVERY_MS ||
    !log ||
    !existsSync(logPath) ||
    !existsSync(path) ||
    (durability === 'synced' && hasFolderChanged());
  return (durability) => {
    if (!isDue(durability)) return;
    // After a fault each write compares them until they are in place again.
    comparedAt = Number.NEGATIVE_INFINITY;
    if (!isSame(opened, statOf(path))) throw gone('database file');
    const current = statOf(logPath);
    log ??= current;
    if (log === undefined) return;
    if (isSame(log, current)) {
      comparedAt = runtime.elapsed();
      return;
    }
    if (!isRescued && current === undefined) rescueLog(database, runtime);
    isRescued = true;
    throw gone('write-ahead log of the database');
  };
};
