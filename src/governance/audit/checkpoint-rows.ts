/**
 * Checkpoints in the audit log of a second store, as rows of kind `event` and tool `audit_checkpoint`.
 * That log is append-only and a hash chain itself, so a checkpoint that was taken out of it is missed.
 */
import type { AuditCheckpoint, AuditLog, AuditRow } from '../../contract/audit.ts';
import { auditEvent } from './audit-event.ts';
import { parseCheckpoint } from './checkpoint.ts';
import { type VerifyLogOptions, verifyAuditLog } from './verify-audit.ts';

const TOOL = 'audit_checkpoint';

/** Appends the checkpoint as one row, synced. */
export const appendCheckpoint = async (
  audit: AuditLog,
  checkpoint: AuditCheckpoint,
): Promise<void> => {
  await audit.append(auditEvent({ tool: TOOL, at: checkpoint.at, detail: { checkpoint } }));
};

export interface StoredCheckpoints {
  /** Oldest first. */
  readonly checkpoints: readonly AuditCheckpoint[];
  /** What is wrong with the log that holds them; absent when it is whole. */
  readonly problem?: { readonly seq: number; readonly message: string };
}

const checkpointsIn = (rows: readonly AuditRow[]): readonly AuditCheckpoint[] =>
  rows
    .filter(({ kind, tool }) => kind === 'event' && tool === TOOL)
    .map(({ detail }) => parseCheckpoint(JSON.stringify(detail.checkpoint ?? null)));

/**
 * Reads the checkpoints of every store that the log holds, and verifies the log. Throws
 * VALIDATION_ERROR when a row holds something else than a checkpoint.
 */
export const readCheckpointRows = async (
  audit: AuditLog,
  options: Pick<VerifyLogOptions, 'trustedKeys'>,
): Promise<StoredCheckpoints> => {
  const { problem } = await verifyAuditLog(audit, options);
  const checkpoints: AuditCheckpoint[] = [];
  for await (const page of audit.scan()) checkpoints.push(...checkpointsIn(page));
  return { checkpoints, ...(problem && { problem }) };
};
