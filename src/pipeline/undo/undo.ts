/**
 * Undoes a call: restores the files it changed, or runs the tool's own `undo`. It is a tool itself, so
 * that every undo is judged and recorded like any other call.
 */
import type { AuditRow } from '../../contract/audit.ts';
import type { ReadyTool } from '../../contract/call.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { UndonePart, UndoReport } from '../../contract/crib-members.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Schema } from '../../contract/schema.ts';
import type { Snapshot, Store } from '../../contract/store.ts';
import type { Tool } from '../../contract/tool.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { defineInternalTool } from '../internal-tool.ts';
import type { KeptSnapshots } from './kept-snapshots.ts';
import { claimUndo, freeUndo, type UndoClaimDeps } from './undo-claim.ts';
import type { PastCall, UndoLog } from './undo-log.ts';
import { assertHere, undoesFiles } from './undo-place.ts';

const UNDO_TOOL = 'toolcrib:undo';

export interface UndoDeps extends UndoClaimDeps {
  readonly store: Pick<Store, 'audit' | 'replays'>;
  readonly snapshots: KeptSnapshots;
  readonly undoLog: UndoLog;
  findTool(name: string, version: string): Tool | undefined;
  /** Compares a file with its snapshot; `done` when it is as the call left it. */
  inspect(snapshot: Snapshot): Promise<'done' | 'not_done' | 'unknown'>;
  restore(snapshot: Snapshot): Promise<void>;
  /** Returns the path as people know it. */
  display(path: string): string;
}

interface UndoInput {
  readonly executionId: string;
}

/** One tool for each right; the engine chooses by the caller's roles. */
export interface UndoTools {
  readonly ofCaller: ReadyTool;
  readonly ofAnyone: ReadyTool;
}

/** Whose calls may be undone: those of one user, or of anyone when it is undefined. */
interface UndoScope {
  readonly ofUser: string | undefined;
}

interface Past {
  readonly row: AuditRow;
  /** True when its intent is on record, so it could change something. */
  readonly mayHaveChanged: boolean;
}

const pastOf = async (
  { executionId }: UndoInput,
  { ofUser }: UndoScope,
  deps: UndoDeps,
): Promise<Past> => {
  const rows = await deps.store.audit.query({ executionId });
  const row = rows.find(({ kind }) => kind === 'outcome') ?? rows[0];
  if (!row || (ofUser !== undefined && row.userId !== ofUser)) {
    throw new ToolFailure('NOT_FOUND', 'There is no call of that id.', {
      suggestions: ['List calls with: toolcrib audit list'],
    });
  }
  return { row, mayHaveChanged: rows.some(({ kind }) => kind === 'intent') };
};

/** Tells whether a call is undone, all of it. */
const isUndone = async (executionId: string, { store }: UndoDeps): Promise<boolean> =>
  (await store.audit.query({ executionId, status: 'undone', limit: 1 })).length > 0;

const nothingLeft = ({ row, mayHaveChanged }: Past, { snapshots }: UndoDeps): ToolFailure => {
  if (mayHaveChanged && snapshots.isOver(row.at)) {
    const suggestions = ['Restore it from a backup or from version control.'];
    return new ToolFailure('UNDO_EXPIRED', undefined, { suggestions });
  }
  // One without an outcome goes on, or its process has died.
  const isInDoubt = row.kind === 'intent' || row.detail.effect === 'unknown';
  if (!isInDoubt) return new ToolFailure('CONFLICT', 'The call left nothing that can be undone.');
  return new ToolFailure(
    'CONFLICT',
    'Nobody knows whether the call has taken effect; nothing is on record that could undo it.',
    { suggestions: ['Look at what it did, and put it right by hand.'] },
  );
};

/** Throws unless each file is still as the call left it last: then nothing is touched. */
const assertUntouched = async (snapshots: readonly Snapshot[], deps: UndoDeps): Promise<void> => {
  const last = new Map(snapshots.map((snapshot) => [snapshot.path, snapshot]));
  for (const snapshot of last.values()) {
    if ((await deps.inspect(snapshot)) === 'done') continue;
    throw new ToolFailure(
      'CONFLICT',
      'A file was changed again since the call; nothing was undone.',
      {
        suggestions: ['Look at the file, then restore what you want by hand.'],
      },
    );
  }
};

/** What became of each file, by its path: a later entry counts, because it was undone later. */
type UndoneFiles = ReadonlyMap<string, 'restored' | 'removed'>;

const restoreFiles = async (
  snapshots: readonly Snapshot[],
  deps: UndoDeps,
): Promise<UndoneFiles> => {
  await assertUntouched(snapshots, deps);
  const files = new Map<string, 'restored' | 'removed'>();
  for (const snapshot of snapshots.toReversed()) {
    await deps.restore(snapshot);
    const state = snapshot.before === undefined ? 'removed' : 'restored';
    files.set(deps.display(snapshot.path), state);
  }
  return files;
};

const pathsOf = (files: UndoneFiles, state: 'restored' | 'removed'): readonly string[] =>
  [...files].flatMap(([path, each]) => (each === state ? [path] : []));

const listsOf = (files: UndoneFiles): Pick<UndoReport, 'restored' | 'removed'> => ({
  restored: pathsOf(files, 'restored'),
  removed: pathsOf(files, 'removed'),
});

interface OwnUndo {
  readonly tool: Tool;
  readonly past: PastCall;
}

/** Finds the tool that undoes the call itself, and what it needs for that. */
const ownUndo = async (
  { tool: name, version, executionId }: AuditRow,
  { findTool, undoLog }: UndoDeps,
): Promise<OwnUndo | undefined> => {
  const tool = findTool(name, version);
  const past = tool?.undo && (await undoLog.read(executionId));
  return tool?.undo && past ? { tool, past } : undefined;
};

/** What one undo works with. */
interface Undoing {
  readonly scope: UndoScope;
  readonly context: ToolContext;
  readonly deps: UndoDeps;
}

interface PartUndo {
  readonly part: UndonePart;
  readonly files: UndoneFiles;
}

/** Undoes one inner call. One that was undone before counts as undone, also in a second try. */
const undoPart = async (executionId: string, undoing: Undoing): Promise<PartUndo> => {
  const [row] = await undoing.deps.store.audit.query({ executionId, status: 'undone', limit: 1 });
  if (row) return { part: { executionId, tool: row.tool, undone: true }, files: new Map() };
  let tool = '';
  try {
    const past = await pastOf({ executionId }, undoing.scope, undoing.deps);
    tool = past.row.tool;
    const { parts, files } = await undoOnce(past, undoing);
    return { part: { executionId, tool, ...stateOf(parts) }, files };
  } catch (thrown) {
    const part = { executionId, tool, undone: false, reason: reasonOf(thrown) };
    return { part, files: new Map() };
  }
};

const stateOf = (parts: readonly UndonePart[]): Pick<UndonePart, 'undone' | 'reason'> =>
  parts.every(({ undone }) => undone)
    ? { undone: true }
    : { undone: false, reason: 'Not all of its own parts could be undone.' };

/** Undoes the calls that a call made, newest first. One that cannot be undone does not stop the others. */
const undoParts = async (executionId: string, undoing: Undoing): Promise<readonly PartUndo[]> => {
  const calls = await undoing.deps.undoLog.readInner(executionId);
  const parts: PartUndo[] = [];
  for (const each of calls.toReversed()) parts.push(await undoPart(each, undoing));
  return parts;
};

/** Puts the undo on record. It can be repeated while a part is left: parts that are done are skipped. */
const recordUndo = async (
  { row }: Past,
  files: UndoneFiles,
  { context, deps }: Undoing,
): Promise<void> => {
  const { seq: _seq, hash: _hash, ...entry } = row;
  await deps.store.audit.append({
    ...entry,
    kind: 'event',
    status: 'undone',
    code: '',
    at: deps.now(),
    durationMs: 0,
    costMicros: 0,
    detail: { by: context.userId, undo: context.executionId, ...listsOf(files) },
  });
  await deps.snapshots.drop(row.executionId);
};

interface Undone {
  readonly parts: readonly UndonePart[];
  readonly files: UndoneFiles;
}

const undo = async (past: Past, undoing: Undoing): Promise<Undone> => {
  const { context, deps } = undoing;
  const { row } = past;
  const { executionId } = row;
  const snapshots = await deps.snapshots.of(executionId);
  const byTool = await ownUndo(row, deps);
  // Before anything is undone.
  for (const { elsewhere } of snapshots) assertHere(elsewhere);
  if (byTool && undoesFiles(byTool.tool)) assertHere(byTool.past.elsewhere);
  const inner = await undoParts(executionId, undoing);
  const own = await restoreFiles(snapshots, deps);
  await byTool?.tool.undo?.(byTool.past.input, byTool.past.result, context);
  const parts = inner.map(({ part }) => part);
  const hasUndone = own.size > 0 || byTool !== undefined || parts.some(({ undone }) => undone);
  if (!hasUndone) throw nothingLeft(past, deps);
  return { parts, files: new Map([...inner.flatMap((each) => [...each.files]), ...own]) };
};

/** Tells whether an undo runs no code of a tool and undoes no inner calls. */
const restoresFilesOnly = async ({ row }: Past, deps: UndoDeps): Promise<boolean> => {
  const [byTool, inner] = await Promise.all([
    ownUndo(row, deps),
    deps.undoLog.readInner(row.executionId),
  ]);
  return byTool === undefined && inner.length === 0;
};

/** Undoes a call unless it is undone, or is being undone by anybody else. */
const undoOnce = async (past: Past, undoing: Undoing): Promise<Undone> => {
  const { context, deps } = undoing;
  const { executionId } = past.row;
  const isRepeatable = (): Promise<boolean> => restoresFilesOnly(past, deps);
  const claim = { executionId, by: context.executionId, isRepeatable };
  await claimUndo(claim, deps);
  let undone: Undone;
  try {
    // Not before the claim: another undo may end in between.
    if (await isUndone(executionId, deps)) {
      throw new ToolFailure('CONFLICT', 'The call has been undone already.');
    }
    undone = await undo(past, undoing);
  } catch (error) {
    await freeUndo(claim, deps);
    throw error;
  }
  const { parts, files } = undone;
  // An undo that could not be put on record keeps its claim: nobody does it a second time.
  if (parts.every((part) => part.undone)) await recordUndo(past, files, undoing);
  await freeUndo(claim, deps);
  return undone;
};

const inputSchema: Schema<UndoInput> = {
  json: {
    type: 'object',
    properties: { executionId: { type: 'string' } },
    required: ['executionId'],
    additionalProperties: false,
  },
  validate: (value) =>
    isUndoInput(value)
      ? { ok: true, value: { executionId: value.executionId } }
      : { ok: false, issues: [{ path: ['executionId'], message: 'Has to be a text.' }] },
};

const isUndoInput = (value: unknown): value is UndoInput =>
  typeof value === 'object' &&
  value !== null &&
  'executionId' in value &&
  typeof value.executionId === 'string';

const undoTool = (deps: UndoDeps, scopeOf: (context: ToolContext) => UndoScope): ReadyTool =>
  defineInternalTool<UndoInput, UndoReport>(
    {
      name: UNDO_TOOL,
      // Whose call it was is checked by the tool itself.
      permissions: [],
      version: '1.0.0',
      category: 'filesystem',
      tier: 'write',
      // For the tool's own undo; the guard judges every path as it does for any tool.
      needs: { paths: [{ path: '.', access: 'write' }] },
      description: 'Restores what a call changed.',
      capabilities: [{ action: 'undo', description: 'Restore what a call changed.' }],
      run: async (input, context) => {
        const scope = scopeOf(context);
        const past = await pastOf(input, scope, deps);
        const { parts, files } = await undoOnce(past, { scope, context, deps });
        const { executionId } = past.row;
        return { executionId, ...listsOf(files), ...(parts.length > 0 && { parts }) };
      },
    },
    { input: inputSchema, labels: { trust: 'trusted', sensitivity: 'private' } },
  );

export const undoTools = (deps: UndoDeps): UndoTools => ({
  ofCaller: undoTool(deps, ({ userId }) => ({ ofUser: userId })),
  ofAnyone: undoTool(deps, () => ({ ofUser: undefined })),
});
