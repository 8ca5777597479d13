/** `toolcrib undo`: shows what a call changed, asks, and restores it. */
import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/store.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../command-actions.ts';
import { findExecution } from '../input/by-start.ts';
import { canAsk, confirm, noTerminal } from '../input/confirm.ts';
import { misuse } from '../input/misuse.ts';
import { type Io, note, printDone, printJson } from '../io.ts';
import { errorLines } from '../output/error-lines.ts';
import { counted } from '../output/format-units.ts';
import { exitCodeOf } from '../output/print-result.ts';
import { withStore } from '../session/open-crib.ts';

interface UndoOptions {
  readonly yes?: boolean;
  readonly last?: boolean;
}

/** How many calls `--last` searches. */
const MAX_CALLS_BACK = 200;

/** Finds the newest call whose changes can be undone. */
const lastUndoable = async (crib: CribHost): Promise<string> => {
  const { auditCalls } = await import('./audit/audit-calls.ts');
  const { calls } = await auditCalls(crib, { kind: 'outcome' }, MAX_CALLS_BACK);
  for (const { row } of calls) {
    if (await crib.executions.isUndoable(row.executionId)) return row.executionId;
  }
  throw new ToolFailure('NOT_FOUND', 'None of the last calls can be undone.', {
    suggestions: ['See which there are: toolcrib audit list'],
  });
};

const chosenCall = (crib: CribHost, typed: string | undefined, last: boolean): Promise<string> => {
  if (last && typed === undefined) return lastUndoable(crib);
  if (!last && typed !== undefined) return findExecution(crib, typed);
  throw misuse('Name the call to undo, or add --last.', 'See which there are: toolcrib audit list');
};

const plan = ({ before, afterHash }: Snapshot): string => {
  if (before === undefined) return 'will be removed: the call created it';
  const size = counted(before.byteLength, 'byte');
  return afterHash === undefined
    ? `will be restored (${size}): the call removed it`
    : `will get its earlier content back (${size})`;
};

/** Picks the first snapshot of each file: the state that undo restores. */
const firstOfEach = (snapshots: readonly Snapshot[]): readonly Snapshot[] => {
  const byPath = new Map<string, Snapshot>();
  for (const snapshot of snapshots) {
    if (!byPath.has(snapshot.path)) byPath.set(snapshot.path, snapshot);
  }
  return [...byPath.values()];
};

const nameOf = (io: Io, path: string): string =>
  visibleText(relative(io.cwd, resolve(io.cwd, path)) || path);

/** Shows what would happen and asks. Throws when nobody can be asked. */
const isAgreed = async (io: Io, crib: CribHost, executionId: string): Promise<boolean> => {
  const status = await crib.executions.status(executionId);
  if (!status) {
    throw new ToolFailure('NOT_FOUND', 'There is no call with that execution id.', {
      suggestions: ['See which there are: toolcrib audit list'],
    });
  }
  const store = await crib.store();
  // Expired snapshots may still be in the store.
  const canUndo = await crib.executions.isUndoable(executionId);
  const snapshots = canUndo ? firstOfEach(await store.snapshots.of(executionId)) : [];
  note(io, `Undo of ${status.tool}, execution ${executionId}:`);
  for (const snapshot of snapshots) note(io, `  ${nameOf(io, snapshot.path)} ${plan(snapshot)}`);
  if (canUndo && crib.tools.get(status.tool)?.tool.callsTools) {
    note(io, '  What the calls did that it made, newest first.');
  } else if (snapshots.length === 0) note(io, '  No file is kept for this call.');
  if (canAsk(io)) return confirm(io, 'Undo this?');
  throw noTerminal('Add --yes to undo without being asked.');
};

const undo = (
  io: Io,
  typed: string | undefined,
  { yes = false, last = false }: UndoOptions,
): Promise<number> =>
  withStore(io, async ({ crib }) => {
    const executionId = await chosenCall(crib, typed, last);
    if (!yes && !(await isAgreed(io, crib, executionId))) {
      throw new ToolFailure('USER_CANCELLED', 'Nothing was undone.');
    }
    const result = await crib.executions.undo(executionId);
    if (io.json) printJson(io, result);
    else if (result.error) note(io, ...errorLines(result.error, io.noteInk));
    else {
      const { restored = [], removed = [], parts = [] } = result.data ?? {};
      for (const path of restored) printDone(io, `restored ${nameOf(io, path)}`);
      for (const path of removed) printDone(io, `removed ${nameOf(io, path)}`);
      for (const { tool, executionId: part, undone, reason = '' } of parts) {
        if (!undone)
          note(io, `! ${tool}, execution ${part}, was not undone: ${visibleText(reason)}`);
      }
    }
    return exitCodeOf(result);
  });

export const undoCommand = (program: Command, io: Io): Command =>
  withExamples(
    withJson(program.command('undo [executionId]'))
      .option('--last', 'undo the newest call that can be undone')
      .option('-y, --yes', 'do not ask')
      .action(
        leaving(io, (executionId: string | undefined, options: UndoOptions) =>
          undo(io, executionId, options),
        ),
      ),
    'toolcrib undo --last',
    'toolcrib undo <executionId>',
    'toolcrib undo <executionId> --yes --json',
  );
