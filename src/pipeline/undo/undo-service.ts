/** What an engine has for undoing calls: the tools that do it, and whether there is anything left to undo. */
import { relative } from 'node:path';
import type { ExecutionStatus } from '../../contract/crib-members.ts';
import { inspectSnapshot, restoreSnapshot } from '../../governance/paths/restore-snapshot.ts';
import type { EngineDeps, SharedServices } from '../shared-services.ts';
import { type UndoTools, undoTools } from './undo.ts';
import { undoesFiles } from './undo-place.ts';

export interface UndoServiceDeps
  extends Pick<EngineDeps, 'registry' | 'store' | 'guard' | 'runtime'>,
    Pick<SharedServices, 'undoLog' | 'snapshots' | 'late'> {}

export class UndoService {
  readonly tools: UndoTools;
  readonly #deps: UndoServiceDeps;

  constructor(deps: UndoServiceDeps) {
    const { store, late, undoLog, snapshots, runtime, registry, guard } = deps;
    this.#deps = deps;
    this.tools = undoTools({
      store,
      late,
      undoLog,
      snapshots,
      now: runtime.now,
      // Code of a definition that is not accepted does not run, not even to undo a call.
      findTool: (name, version) => {
        const entry = registry.get(name, version);
        return entry?.quarantine ? undefined : entry?.tool;
      },
      inspect: (snapshot) => inspectSnapshot(guard, snapshot),
      restore: (snapshot) => restoreSnapshot(guard, snapshot),
      display: (path) => relative(guard.root, path),
    });
  }

  /** Tells whether an undo would find something to restore. */
  async isUndoable({ executionId, tool, effect }: ExecutionStatus): Promise<boolean> {
    const { undoLog, snapshots, registry } = this.#deps;
    // A composed call that failed may have parts that are done.
    if ((await undoLog.readInner(executionId)).length > 0) return true;
    if (effect !== 'done') return false;
    const files = await snapshots.of(executionId);
    if (files.some(({ elsewhere }) => elsewhere !== undefined)) return false;
    const owner = registry.get(tool)?.tool;
    const past = owner?.undo && (await undoLog.read(executionId));
    if (owner && past) return past.elsewhere === undefined || !undoesFiles(owner);
    return files.length > 0;
  }
}
