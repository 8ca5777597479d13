/** Keeps what files were before a call changed them, for as long as the call may be undone. */
import type { Runtime } from '../../contract/runtime.ts';
import type { Snapshot, Snapshots } from '../../contract/store.ts';
import { forgetOld } from '../record/forget-old.ts';

export interface KeptSnapshotsDeps {
  readonly snapshots: Snapshots;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  readonly keepMs: number;
}

export class KeptSnapshots {
  readonly #deps: KeptSnapshotsDeps;
  readonly #forgetOld: () => void;

  constructor(deps: KeptSnapshotsDeps) {
    this.#deps = deps;
    const expire = (before: number): Promise<number> => deps.snapshots.expire(before);
    this.#forgetOld = forgetOld({ ...deps, what: 'snapshots', expire });
  }

  async save(snapshot: Omit<Snapshot, 'keptAt'>): Promise<void> {
    const { snapshots, runtime } = this.#deps;
    await snapshots.save({ ...snapshot, keptAt: runtime.now() });
    this.#forgetOld();
  }

  /** Whether the time to undo what happened at that moment is over. */
  isOver(at: number): boolean {
    return at < this.#deps.runtime.now() - this.#deps.keepMs;
  }

  /** In the order of the writes; none when their time is over, though they may lie there yet. */
  async of(executionId: string): Promise<readonly Snapshot[]> {
    const found = await this.#deps.snapshots.of(executionId);
    return found.some(({ keptAt }) => !this.isOver(keptAt)) ? found : [];
  }

  drop(executionId: string): Promise<void> {
    return this.#deps.snapshots.drop(executionId);
  }
}
