/** Gives secrets to sources of tools. */
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { learnAll } from '../../governance/redaction/learn-all.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';

export interface SourceSecretsDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  /** The user's folder, absolute. */
  readonly home: string;
  readonly secrets?: Secrets;
  readonly redactor: Redactor;
}

export interface SourceSecrets {
  /** Reads a secret; `undefined` when there is none under this key. */
  secret(key: string): Promise<string | undefined>;
  /** Makes the redactor hide all secrets that can be listed, once. */
  learnSecrets(): Promise<void>;
}

/** Makes the reader of secrets. The redactor learns each secret that a source gets, so that no output shows it. */
export const secretsOf = ({
  config,
  home,
  secrets,
  redactor,
  runtime,
}: SourceSecretsDeps): SourceSecrets => {
  const opened = lazyAsync(async (): Promise<readonly Secrets[]> => {
    const { openSecrets } = await import('../open-secrets.ts');
    return secrets ? [secrets] : openSecrets({ config, env: readEnvironment(), home });
  });
  return {
    secret: async (key) => {
      const { createSecretChain } = await import('../../secrets/chain.ts');
      const value = await createSecretChain(await opened()).get(key);
      if (value !== undefined) redactor.learn(value);
      return value;
    },
    learnSecrets: lazyAsync(() =>
      opened().then(
        (all) => learnAll(redactor, { sources: all, keys: [], log: runtime.log }),
        (error: unknown) =>
          runtime.log.error('secrets could not be read', { error: String(error) }),
      ),
    ),
  };
};
