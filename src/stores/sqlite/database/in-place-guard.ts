/** Notices that the files of a database are not at their paths any more. */
import { existsSync, type Stats, statSync } from 'node:fs';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Database } from '../../../kit/sqlite/open-database.ts';

/** How often the files are compared with those at their paths; whether there are any is asked each time. */
const COMPARE_EVERY_MS = 50;

export const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
};

const isSame = (one: Stats | undefined, other: Stats | undefined): boolean =>
  one !== undefined && one.ino === other?.ino && one.dev === other.dev;

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
 * deleted log is lost with this process.
 */
export const inPlaceGuard = (
  path: string,
  database: Database,
  runtime: Pick<Runtime, 'elapsed' | 'log'>,
): (() => void) => {
  const opened = statSync(path);
  const logPath = `${path}-wal`;
  let log = statOf(logPath);
  let comparedAt = runtime.elapsed();
  let isRescued = false;
  // Linux writes the times of a file with its next sync once somebody has read them, which makes a synced
  // call take a third longer: so the log, which each call writes, is not read each time.
  const isDue = (): boolean =>
    runtime.elapsed() - comparedAt >= COMPARE_EVERY_MS ||
    !log ||
    !existsSync(logPath) ||
    !existsSync(path);
  return () => {
    if (!isDue()) return;
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
