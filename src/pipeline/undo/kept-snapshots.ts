/** Keeps files as they were before a call changed them, while the call may be undone. */
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

  /** Tells whether the time to undo a call of that moment is over. */
  isOver(at: number): boolean {
    return at < this.#deps.runtime.now() - this.#deps.keepMs;
  }

  /** Returns snapshots in the order of the writes; none when their time is over. */
  async of(executionId: string): Promise<readonly Snapshot[]> {
    const snapshots = await this.#deps.snapshots.of(executionId);
    return snapshots.some(({ keptAt }) => !this.isOver(keptAt)) ? snapshots : [];
  }

  drop(executionId: string): Promise<void> {
    return this.#deps.snapshots.drop(executionId);
  }
}
