/** The port to wherever secrets are kept. Tools never see it; they get single values by key. */

export interface Secrets {
  /** Where they are kept, for people, e.g. `environment`. */
  readonly label?: string;
  /** `undefined` when there is none under this key. */
  get(key: string): Promise<string | undefined>;
  /** The keys it can name; absent where they cannot be listed. */
  keys?(): Promise<readonly string[]>;
}

/** A place where secrets can be put, too. */
export interface SecretVault extends Secrets {
  readonly label: string;
  set(key: string, value: string): Promise<void>;
  /** False when there was none. */
  remove(key: string): Promise<boolean>;
}
