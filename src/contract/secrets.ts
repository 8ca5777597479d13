/** The port to wherever secrets are kept. Tools never see it; they get single values by key. */

export interface Secrets {
  /** Where they are kept, for people, e.g. `environment`. */
  readonly label?: string;
  /** Reads a secret; `undefined` when there is none under this key. */
  get(key: string): Promise<string | undefined>;
  /** Lists the keys; absent where they cannot be listed. */
  keys?(): Promise<readonly string[]>;
}

/** A store of secrets that can also be written. */
export interface SecretVault extends Secrets {
  readonly label: string;
  set(key: string, value: string): Promise<void>;
  /** Removes a secret; false when there was none. */
  remove(key: string): Promise<boolean>;
}
