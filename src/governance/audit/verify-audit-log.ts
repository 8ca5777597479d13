/** Verifies the trail of a store as it is, pruned or not, while others append to it and prune it. */
import type { AuditCheckpoint, AuditLog, AuditVerification } from '../../contract/audit.ts';
import { type VerifyOptions, verifyAudit } from './verify-audit.ts';

export interface VerifyLogOptions extends Omit<VerifyOptions, 'anchor'> {
  /** Told how many rows were read so far. */
  readonly onRows?: ((count: number) => void) | undefined;
}

const TRIES = 5;

async function* watched(log: AuditLog, onRows: VerifyLogOptions['onRows']) {
  let count = 0;
  for await (const page of log.scan()) {
    count += page.length;
    onRows?.(count);
    yield page;
  }
}

const isSame = (one: AuditCheckpoint | undefined, other: AuditCheckpoint | undefined): boolean =>
  one?.seq === other?.seq && one?.signature === other?.signature;

/** Somebody who prunes while we read makes a gap that is none: then the reading starts again. */
export const verifyAuditLog = async (
  log: AuditLog,
  { onRows, ...options }: VerifyLogOptions = {},
): Promise<AuditVerification> => {
  for (let tries = 1; ; tries++) {
    const anchor = await log.anchor();
    const report = await verifyAudit(watched(log, onRows), { ...options, anchor });
    if (report.ok || tries === TRIES || isSame(anchor, await log.anchor())) return report;
  }
};
