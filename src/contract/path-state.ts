/** What a path consisted of at a moment: an approval is bound to it, and not to the name alone. */

/**
 * What a call does with a path, as far as an approval cares. `named`: an edit made meanwhile does not
 * matter. `changed`: the call may destroy what is there, and nothing keeps it. `run`: its content is
 * what was approved.
 */
export type PathUse = 'named' | 'changed' | 'run';

export interface PathState {
  readonly use: PathUse;
  /** The identity of the root and of every part below it that exists: `kind:device:inode:born`. */
  readonly chain: readonly string[];
  /** A digest of the content, where the use depends on it. */
  readonly content?: string;
}
