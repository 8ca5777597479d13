/** The port to wherever secrets are kept. Tools never see it; they get single values by key. */

export interface Secrets {
  /** `undefined` when there is none under this key. */
  get(key: string): Promise<string | undefined>;
}
