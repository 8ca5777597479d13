/**
 * What the commands on the audit trail share: the audit service of the user's folder, and a progress
 * line.
 */
import { homeOf, userConfigDir } from '../../../config/load/find-config-files.ts';
import type { AuditLog } from '../../../contract/audit.ts';
import { type AuditService, auditService } from '../../../crib/audit/audit-files.ts';
import type { Io } from '../../io.ts';
import { formatCount } from '../../output/format-units.ts';
import { progressOn } from '../../output/progress-line.ts';

export const auditServiceOf = ({ cwd, env }: Io): AuditService =>
  auditService(userConfigDir({ cwd, env, home: homeOf(env), platform: process.platform }));

/** Counts the rows of a trail, for the progress line. */
export const lengthOf = async (log: AuditLog): Promise<number> =>
  ((await log.head())?.seq ?? 0) - ((await log.anchor())?.seq ?? 0);

/** Shows how many rows were read, once it takes longer than a second. */
export const withRowProgress = async <T>(
  io: Io,
  { label, total }: { readonly label: string; readonly total: number },
  work: (onRows: (count: number) => void) => Promise<T>,
): Promise<T> => {
  const line = progressOn(io, label);
  try {
    return await work((count) =>
      line?.update(count / Math.max(count, total), `${formatCount(count)} rows`),
    );
  } finally {
    line?.stop();
  }
};
