/** Writes rows that are about to be pruned to a file, and verifies that they are all in it. */
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { AuditCheckpoint, AuditLog } from '../../contract/audit.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { anchorLine, auditLine } from './audit-line.ts';
import type { AuditHead } from './checkpoint.ts';
import { verifyAuditFiles } from './verify-audit-files.ts';

export interface ArchivePart {
  /** Where the trail begins at present. */
  readonly anchor: AuditCheckpoint | undefined;
  /** The last row to archive. */
  readonly last: AuditHead;
  readonly trustedKeys: readonly string[];
}

const fault = (error: unknown): ToolFailure =>
  errorCodeOf(error) === 'EEXIST'
    ? new ToolFailure('CONFLICT', 'The archive file is there already; it is not overwritten.', {
        suggestions: ['Choose a name that is not taken.'],
      })
    : new ToolFailure('EXECUTION_FAILED', 'The archive cannot be written, so nothing was pruned.', {
        suggestions: ['Check that its folder exists, can be written, and has room.'],
      });

const writeRows = async (handle: FileHandle, log: AuditLog, part: ArchivePart): Promise<void> => {
  const { anchor, last } = part;
  if (anchor) await handle.appendFile(`${anchorLine(anchor)}\n`);
  for await (const page of log.scan()) {
    const rows = page.filter(({ seq }) => seq <= last.seq);
    await handle.appendFile(rows.map((row) => `${auditLine(row)}\n`).join(''));
    if (rows.length < page.length) break;
  }
  await handle.sync();
};

/**
 * Syncs the folder of a file: only then its name is durable. Not every platform can open a folder.
 */
const syncFolder = async (file: string): Promise<void> => {
  const folder = await open(dirname(file)).catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
};

const fill = async (handle: FileHandle, log: AuditLog, part: ArchivePart): Promise<void> => {
  try {
    await writeRows(handle, log, part);
  } finally {
    await handle.close();
  }
};

/** Reads the archive back and verifies it before anything may be deleted. */
const assertComplete = async (file: string, { last, trustedKeys }: ArchivePart): Promise<void> => {
  const report = await verifyAuditFiles({ files: [file] }, { expected: last, trustedKeys });
  if (report.ok && report.head?.seq === last.seq) return;
  throw new ToolFailure('CONFLICT', 'The archive does not hold the rows as they were verified.', {
    suggestions: ['Somebody else may be pruning. Verify the trail, then prune again.'],
  });
};

/** Writes an archive. Throws CONFLICT when the file exists. An unfinished file is removed. */
export const writeArchive = async (
  file: string,
  log: AuditLog,
  part: ArchivePart,
): Promise<void> => {
  const handle = await open(file, 'wx', 0o600).catch((error: unknown) => {
    throw fault(error);
  });
  try {
    await fill(handle, log, part).catch((error: unknown) => {
      throw error instanceof ToolFailure ? error : fault(error);
    });
    await syncFolder(file);
    await assertComplete(file, part);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
};
