/** What the commands of `toolcrib secrets` share: the places secrets are kept in, by name. */
import { Option } from 'commander';
import type { Secrets } from '../../../contract/secrets.ts';
import type { SecretDeps, VaultName } from '../../../crib/open-secrets.ts';
import type { Io } from '../../io.ts';

export type SourceName = VaultName | 'environment';

const VAULTS: readonly VaultName[] = ['file', 'keychain'];

/** An option that takes the name of a place one can write to. */
export const placeOption = (flag: string, description: string): Option =>
  new Option(`${flag} <place>`, description).choices(VAULTS);

/** Throws on bad configuration. */
export const secretDeps = async ({ cwd, env }: Io): Promise<SecretDeps> => {
  const [{ loadConfig }, { userDirOf }] = await Promise.all([
    import('../../../trust/load-config.ts'),
    import('../../../trust/project-trust.ts'),
  ]);
  const { config } = await loadConfig({ cwd, env });
  return { config, env, home: userDirOf({ cwd, env }) };
};

export interface NamedSecrets {
  readonly name: SourceName;
  readonly secrets: Secrets;
}

/** The places that tools get secrets from, in order. */
export const namedSources = async (deps: SecretDeps): Promise<readonly NamedSecrets[]> => {
  const { openSecrets } = await import('../../../crib/open-secrets.ts');
  const { sources } = deps.config.secrets;
  return openSecrets(deps).flatMap((secrets, at) => {
    const name = sources[at];
    return name === undefined ? [] : [{ name, secrets }];
  });
};

/** The places among them that can be written to. */
export const vaultsIn = (deps: SecretDeps): readonly VaultName[] =>
  VAULTS.filter((name) => deps.config.secrets.sources.includes(name));
