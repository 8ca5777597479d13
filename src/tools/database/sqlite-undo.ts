/** Copies a SQLite database before a change, and restores it when the call is undone. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { databaseBusy } from './database-busy.ts';
import { askSqlite, type SqliteSession } from './sqlite-processes.ts';

/** Larger databases are not copied before a change. */
export const MAX_KEPT_BYTES = 16 * 1024 * 1024;

const MAX_RESTORE_MS = 60_000;
const MAX_REPORT_BYTES = 10_000;

/** The report of the process about its copy. */
export const undoReport = lazy(() =>
  z.union([
    z.strictObject({ after: z.string() }),
    z.strictObject({ reason: z.enum(['too large', 'empty', 'busy']) }),
  ]),
);

export type UndoReport = z.infer<ReturnType<typeof undoReport>>;

const keptCopy = lazy(() => z.strictObject({ file: z.string(), after: z.string() }));

const WHY: Readonly<Record<'too large' | 'empty' | 'busy', string>> = {
  'too large': `the database is larger than ${MAX_KEPT_BYTES / 1024 / 1024} MB`,
  empty: 'the database was empty',
  busy: 'no copy of the database could be made meanwhile',
};

/** Runs work with a private folder for copies, and removes it afterwards. */
export const inCopyFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'toolcrib-sqlite-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Stores the copy for undo, or warns that there is none. */
export const keepCopy = async (
  folder: string,
  report: UndoReport,
  context: Pick<ToolContext, 'keepForUndo' | 'warn'>,
): Promise<void> => {
  if ('reason' in report) {
    context.keepForUndo(null);
    context.warn(`This change cannot be undone: ${WHY[report.reason]}.`);
    return;
  }
  const packed = await promisify(gzip)(await readFile(join(folder, 'before.db')));
  context.keepForUndo({ file: packed.toString('base64'), after: report.after });
};

const nothingKept = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'The call left nothing that can be undone.');

const changedSince = (): ToolFailure =>
  new ToolFailure(
    'CONFLICT',
    'The database was changed again since the call; nothing was undone.',
    {
      suggestions: ['Look at the data, then change back what you want by hand.'],
    },
  );

/**
 * Tells whether the process ended without an answer: it may have died of something that passes, such as a lack
 * of memory.
 */
const endedWithoutAnswer = (error: unknown): boolean =>
  error instanceof ToolFailure && error.code === 'EXECUTION_FAILED';

/**
 * Asks for the restore, and a fresh process once more when the first ended without an answer. The first
 * has changed nothing then, or everything: told that it comes `again`, the second sees which.
 */
const askForRestore = async (
  database: RestoredDatabase,
  request: { readonly after: string; readonly keepIn: string },
): Promise<unknown> => {
  const { path } = database;
  const ask = (again: boolean): Promise<unknown> =>
    askSqlite(database, {
      message: { restore: true, path, ...request, again },
      timeoutMs: MAX_RESTORE_MS,
      maxAnswerBytes: MAX_REPORT_BYTES,
    });
  try {
    return await ask(false);
  } catch (error) {
    if (!endedWithoutAnswer(error)) throw error;
  }
  return ask(true).catch((error: unknown) => {
    if (endedWithoutAnswer(error)) return { fault: 'the process ended twice without an answer' };
    throw error;
  });
};

const failureOf = (fault: string): ToolFailure => {
  if (fault.startsWith('swapped')) {
    return new ToolFailure('SECURITY_VIOLATION', 'The file was exchanged while it was restored.');
  }
  return /locked|busy/i.test(fault)
    ? databaseBusy()
    : new ToolFailure(
        'EXECUTION_FAILED',
        `The database could not be restored: ${fault.replace(/\.$/, '')}.`,
      );
};

/** A database file, with what it takes to restore it. */
export interface RestoredDatabase extends SqliteSession {
  /** Absolute, and allowed by the broker. */
  readonly path: string;
  readonly logger: Pick<ToolContext['logger'], 'warn'>;
}

/** Restores the copy. Fails with CONFLICT when the database has changed since the call. */
export const restoreCopy = async (data: unknown, database: RestoredDatabase): Promise<void> => {
  const copy = keptCopy().safeParse(data);
  if (!copy.success) throw nothingKept();
  const { file, after } = copy.data;
  const bytes = await promisify(gunzip)(Buffer.from(file, 'base64'), {
    maxOutputLength: MAX_KEPT_BYTES,
  });
  await inCopyFolder(async (keepIn) => {
    await writeFile(join(keepIn, 'before.db'), bytes);
    const answer = await askForRestore(database, { after, keepIn });
    const { restored, fault } = answer as { restored?: unknown; fault?: unknown };
    if (restored === true) return;
    if (restored === false) throw changedSince();
    database.logger.warn('A SQLite database could not be restored.', { fault });
    throw failureOf(String(fault));
  });
};
