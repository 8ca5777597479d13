/** The loaded configuration: its values, and the origin of each of them. */
import type { ConfigSource } from './load/layer.ts';
import type { PolicyFile } from './load/policy-files.ts';
import type { Config } from './schema.ts';

export interface LoadedSettings {
  readonly config: Config;
  /** The sources that were read, weakest first. */
  readonly sources: readonly ConfigSource[];
  /** The directory that holds `.toolcrib`; paths in the configuration are relative to it. */
  readonly projectDir: string | undefined;
  /** The user's configuration directory; it need not exist. */
  readonly userDir: string;
  /** The user's rules, then those of a trusted project. */
  readonly policyFiles: readonly PolicyFile[];
  /** Gives the origin of a setting: `file:line`, a variable, or `default`. */
  provenance(path: string): string;
}
