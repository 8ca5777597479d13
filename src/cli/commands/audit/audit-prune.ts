/** `toolcrib audit prune`: deletes old rows so that the rest can still be verified. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { Pruned, PruneRequest } from '../../../crib/audit/audit-files.ts';
import { DAY_MS } from '../../../kit/data/durations.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { canAsk, confirm, noTerminal } from '../../input/confirm.ts';
import { misuse } from '../../input/misuse.ts';
import { readMoment } from '../../input/moment.ts';
import { type Io, note, print, printDone, printJson } from '../../io.ts';
import { counted, formatTime } from '../../output/format-units.ts';
import { withStore } from '../../session/open-crib.ts';
import { auditServiceOf, lengthOf, withRowProgress } from './audit-service-of.ts';

interface PruneOptions {
  readonly before?: string;
  readonly archive?: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** Returns the moment before which rows are old: from the option, else from the configuration. Fails with neither. */
const momentOf = ({ before }: PruneOptions, { config }: LoadedConfig, at: number): number => {
  if (before !== undefined) return readMoment('--before', before, at);
  const { retentionDays } = config.audit;
  if (retentionDays !== undefined) return at - retentionDays * DAY_MS;
  throw misuse(
    'The age of old rows is missing.',
    'Name it: --before 90d',
    'Or set it for good: audit.retentionDays',
  );
};

const isAgreed = async (
  io: Io,
  before: number,
  { archive, yes }: PruneOptions,
): Promise<boolean> => {
  if (yes === true) return true;
  note(io, `Rows from before ${formatTime(before)} will be deleted for good.`);
  note(io, archive === undefined ? 'No archive keeps them.' : 'The archive gets them first.');
  if (canAsk(io)) return confirm(io, 'Prune the record?');
  throw noTerminal('Add --yes to prune without being asked.');
};

const report = (io: Io, { rows, throughSeq }: Pruned, { archive, dryRun }: PruneOptions): void => {
  if (io.json && dryRun === true) printJson(io, { rows, throughSeq, dryRun });
  else if (io.json) {
    printJson(io, { rows, throughSeq, archive: rows > 0 ? (archive ?? null) : null });
  } else if (rows === 0) {
    print(io, 'Nothing is old enough, or calls of that time are still open.');
  } else if (dryRun === true) {
    print(io, `${counted(rows, 'row')} would go, up to row ${throughSeq}. Nothing was pruned.`);
  } else printDone(io, `${counted(rows, 'row')} pruned, up to row ${throughSeq}.`);
};

const prune = (io: Io, options: PruneOptions): Promise<number> =>
  withStore(io, async ({ crib, loaded }) => {
    const at = io.runtime.now();
    const before = momentOf(options, loaded, at);
    const isDry = options.dryRun === true;
    if (!isDry && !(await isAgreed(io, before, options))) {
      throw new ToolFailure('USER_CANCELLED', 'Nothing was pruned.');
    }
    const store = await crib.store();
    const { archive } = options;
    const request: PruneRequest = {
      at,
      before,
      ...(archive !== undefined && { archive: resolve(io.cwd, archive) }),
    };
    const total = await lengthOf(store.audit);
    const label = isDry ? 'reading' : 'pruning';
    const pruned = await withRowProgress(io, { label, total }, (onRows) =>
      isDry
        ? auditServiceOf(io).foresee(store, { before, onRows })
        : auditServiceOf(io).prune(store, { ...request, onRows }),
    );
    report(io, pruned, options);
    return 0;
  });

export const auditPruneCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('prune'))
      .option(
        '--before <when>',
        'rows from before then: a date, or 90d, 12w ago (default: audit.retentionDays)',
      )
      .option('--archive <file>', 'write the rows to a new file first')
      .option('--dry-run', 'say how many rows would go, and prune nothing')
      .option('-y, --yes', 'do not ask')
      .action(leaving(io, (options: PruneOptions) => prune(io, options))),
    'toolcrib audit prune --before 90d --archive audit-2026.jsonl',
    'toolcrib audit prune --before 2026-01-01 --yes --json',
    'toolcrib audit prune --dry-run',
  );
