/** Verifies archives and exports, alone or before the trail they were cut from, as one chain. */
import type { AuditCheckpoint, AuditLog, AuditVerification } from '../../contract/audit.ts';
import { type AuditFile, openAuditFile } from './open-audit-file.ts';
import type { VerifyLogOptions } from './verify-audit.ts';
import { verifyAudit } from './verify-audit.ts';

export interface FilesToVerify {
  readonly files: readonly string[];
  /** What follows after the last file. */
  readonly log?: AuditLog | undefined;
}

async function* inOrder(
  files: readonly AuditFile[],
  log: AuditLog | undefined,
  onRows: VerifyLogOptions['onRows'],
) {
  let count = 0;
  for (const rows of [...files.map((file) => file.rows()), ...(log ? [log.scan()] : [])]) {
    for await (const page of rows) {
      count += page.length;
      onRows?.(count);
      yield page;
    }
  }
}

const known = (anchor: AuditCheckpoint | undefined): readonly AuditCheckpoint[] =>
  anchor ? [anchor] : [];

/** The files may be given in any order. Throws NOT_FOUND when one cannot be read. */
export const verifyAuditFiles = async (
  { files, log }: FilesToVerify,
  { onRows, ...options }: VerifyLogOptions = {},
): Promise<AuditVerification> => {
  const opened = await Promise.all(files.map((file) => openAuditFile(file)));
  const sorted = opened.toSorted((one, other) => (one.firstSeq < other.firstSeq ? -1 : 1));
  const [anchor, ...anchors] = sorted.map((file) => file.anchor);
  const last = await log?.anchor();
  return verifyAudit(inOrder(sorted, log, onRows), {
    ...options,
    anchor,
    anchors: [...anchors.flatMap(known), ...known(last)],
  });
};
