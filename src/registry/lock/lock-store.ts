/** Where acceptances are kept, as the lock sees it. */
import type { LockEntry } from '../../contract/lock.ts';

export interface LockStore {
  /** Every line that counts. The same list until something changes. */
  entries(): readonly LockEntry[];
  /** Those of the file that is written here. */
  own(): readonly LockEntry[];
  /** Writes the own lines anew, or throws and leaves everything as it was. */
  change(edit: (own: readonly LockEntry[]) => readonly LockEntry[]): Promise<void>;
}
