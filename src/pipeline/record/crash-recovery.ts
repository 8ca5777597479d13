/** Finds the calls that processes left behind when they died, at the start and from time to time. */
import { dirname } from 'node:path';
import type { AuditEntry } from '../../contract/audit.ts';
import type { Timer } from '../../contract/runtime.ts';
import type { Tool } from '../../contract/tool.ts';
import { TEMPORARY_PREFIX } from '../../governance/paths/replace-file.ts';
import { inspectSnapshot } from '../../governance/paths/restore-snapshot.ts';
import { thrownText } from '../../kit/data/reason-of.ts';
import { removeStale } from '../../kit/file/remove-stale.ts';
import type { EngineDeps } from '../shared-services.ts';
import { reconcile } from './reconcile.ts';

export type CrashRecoveryDeps = Pick<EngineDeps, 'store' | 'runtime' | 'guard' | 'registry'>;

/** How often the engine looks for calls that killed processes left behind. */
const RECOVER_MS = 30_000;

/** A temporary file older than this belongs to a process that is gone: no write takes longer. */
const WRITE_MS = 60_000;

/**
 * Tells whether a tool itself changes nothing but files, each by the broker. It may call other tools all the
 * same, whatever its definition says: what those change is not among its files.
 */
const changesOnlyFiles = (tool: Tool | undefined): boolean =>
  tool?.needs?.paths !== undefined &&
  !tool.needs.hosts &&
  !tool.needs.commands &&
  (tool.source === 'builtin' || tool.sandboxed === true);

export class CrashRecovery {
  readonly #deps: CrashRecoveryDeps;
  #timer: Timer | undefined = undefined;

  constructor(deps: CrashRecoveryDeps) {
    this.#deps = deps;
  }

  /** Records what became of each call that a crash interrupted. Runs before the first call. */
  async recover(): Promise<void> {
    const { store, runtime, guard, registry } = this.#deps;
    const calls = await reconcile({
      store,
      now: runtime.now,
      inspect: (snapshot) => inspectSnapshot(guard, snapshot),
      reachesOnlyFiles: ({ tool, version }: Pick<AuditEntry, 'tool' | 'version'>) =>
        changesOnlyFiles(registry.get(tool, version)?.tool),
      sweep: (path) =>
        removeStale(dirname(path), {
          prefixes: [TEMPORARY_PREFIX],
          minAgeMs: WRITE_MS,
          now: runtime.now(),
        }),
    });
    if (calls.length > 0) runtime.log.warn('calls were interrupted by a crash', { calls });
  }

  /** Recovers from time to time: another process on the same store may die while this one runs. */
  keepRecovering(): void {
    const { runtime } = this.#deps;
    this.#timer = runtime.after(RECOVER_MS, () => {
      this.recover()
        .catch((error: unknown) => {
          runtime.log.warn('calls in doubt could not be looked at', { error: thrownText(error) });
        })
        .finally(() => {
          if (this.#timer) this.keepRecovering();
        });
    });
    this.#timer.keepAlive(false);
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
