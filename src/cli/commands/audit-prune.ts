/** `toolcrib audit prune`: forgets old rows so that the rest can still be verified. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { PruneRequest } from '../../audit-desk.ts';
import { ToolFailure, toolError } from '../../contract/errors.ts';
import { deskOf, lengthOf, withRowProgress } from '../audit-place.ts';
import { leaving, withExamples, withJson } from '../command-parts.ts';
import { canAsk, confirm } from '../confirm.ts';
import { errorLines } from '../error-lines.ts';
import { counted, formatTime } from '../format-units.ts';
import { type Io, note, print, printJson } from '../io.ts';
import { readMoment } from '../moment.ts';
import { withCrib } from '../open-crib.ts';

interface PruneOptions {
  readonly before: string;
  readonly archive?: string;
  readonly yes?: boolean;
}

const agreed = async (io: Io, before: number, { archive, yes }: PruneOptions): Promise<boolean> => {
  if (yes === true) return true;
  note(io, `Rows from before ${formatTime(before)} will be forgotten for good.`);
  note(io, archive === undefined ? 'No archive keeps them.' : 'The archive gets them first.');
  if (canAsk(io)) return confirm(io, 'Prune the record?');
  throw new ToolFailure('VALIDATION_ERROR', 'There is no terminal to ask on.', {
    suggestions: ['Add --yes to prune without being asked.'],
  });
};

const refused = (io: Io): number => {
  const error = toolError('USER_CANCELLED', 'Nothing was pruned.');
  if (io.json) printJson(io, { success: false, status: 'denied', error });
  else note(io, ...errorLines(error, io.noteInk));
  return 3;
};

const prune = (io: Io, options: PruneOptions): Promise<number> =>
  withCrib(io, async ({ crib }) => {
    const at = io.runtime.now();
    const before = readMoment('--before', options.before, at);
    if (!(await agreed(io, before, options))) return refused(io);
    const store = await crib.store();
    const { archive } = options;
    const request: PruneRequest = {
      at,
      before,
      ...(archive !== undefined && { archive: resolve(io.cwd, archive) }),
    };
    const total = await lengthOf(store.audit);
    const { rows, throughSeq } = await withRowProgress(io, { label: 'pruning', total }, (onRows) =>
      deskOf(io).prune(store, { ...request, onRows }),
    );
    if (io.json) printJson(io, { rows, throughSeq, archive: rows > 0 ? (archive ?? null) : null });
    else if (rows === 0) print(io, 'Nothing is old enough, or calls of that time are still open.');
    else print(io, `${io.ink.green('✓')} ${counted(rows, 'row')} pruned, up to row ${throughSeq}.`);
    return 0;
  });

export const auditPruneCommand = (audit: Command, io: Io): Command =>
  withExamples(
    withJson(audit.command('prune').description('forget old rows, and keep the rest verifiable'))
      .requiredOption('--before <when>', 'rows from before then: a date, or 90d, 12w ago')
      .option('--archive <file>', 'write the rows to a new file first')
      .option('-y, --yes', 'do not ask')
      .action(leaving(io, (options: PruneOptions) => prune(io, options))),
    'toolcrib audit prune --before 90d --archive audit-2026.jsonl',
    'toolcrib audit prune --before 2026-01-01 --yes --json',
  );
