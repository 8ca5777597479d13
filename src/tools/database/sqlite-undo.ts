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

/** Restores the copy. Fails with CONFLICT when the database has changed since the call. */
export const restoreCopy = async (
  path: string,
  data: unknown,
  session: SqliteSession,
): Promise<void> => {
  const copy = keptCopy().safeParse(data);
  if (!copy.success) throw nothingKept();
  const { file, after } = copy.data;
  const bytes = await promisify(gunzip)(Buffer.from(file, 'base64'), {
    maxOutputLength: MAX_KEPT_BYTES,
  });
  await inCopyFolder(async (keepIn) => {
    await writeFile(join(keepIn, 'before.db'), bytes);
    const answer = await askSqlite(session, {
      message: { restore: true, path, after, keepIn },
      timeoutMs: MAX_RESTORE_MS,
      maxAnswerBytes: MAX_REPORT_BYTES,
    });
    const { restored, fault } = answer as { restored?: unknown; fault?: unknown };
    if (restored === true) return;
    if (restored === false) throw changedSince();
    if (/locked|busy/i.test(String(fault))) {
      throw databaseBusy();
    }
    throw new ToolFailure('EXECUTION_FAILED', 'The database could not be restored.');
  });
};
