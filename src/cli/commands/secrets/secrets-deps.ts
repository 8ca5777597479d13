/** What the commands of `toolcrib secrets` share: the sources by name, and how a value is read. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Option } from 'commander';
import type { Secrets, SecretVault } from '../../../contract/secrets.ts';
import type { SecretDeps, VaultName } from '../../../crib/open-secrets.ts';
import { misuse } from '../../input/misuse.ts';
import type { Io } from '../../io.ts';

/** Discards the echo of what is typed. */
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

const readTyped = (io: Io, key: string): Promise<string> =>
  new Promise((resolve) => {
    io.stderr.write(`Value of ${key} (it is not shown): `);
    const lines = createInterface({ input: io.stdin, output: nowhere(), terminal: true });
    let answer = '';
    lines.once('line', (line) => {
      answer = line;
      lines.close();
    });
    // Also after Ctrl-C or Ctrl-D: then there is no value.
    lines.once('close', () => {
      io.stderr.write('\n');
      resolve(answer);
    });
  });

/** Reads stdin without the line break that `echo` adds. */
const readPiped = async (io: Io): Promise<string> => (await text(io.stdin)).replace(/\r?\n$/, '');

/** Asks for a value, or reads it from a pipe. Fails with VALIDATION_ERROR when there is none. */
export const readSecretValue = async (io: Io, key: string): Promise<string> => {
  const value = io.stdin.isTTY === true ? await readTyped(io, key) : await readPiped(io);
  if (value !== '') return value;
  throw misuse(
    'No value was given.',
    `Type it when asked, or pipe it in: toolcrib secrets set ${key} < file`,
  );
};

export type SourceName = VaultName | 'environment';

const VAULTS: readonly VaultName[] = ['file', 'keychain'];

/** Makes an option whose value is the name of a vault. */
export const vaultOption = (flag: string, description: string): Option =>
  new Option(`${flag} <vault>`, description).choices(VAULTS);

/** Reads the configuration. Throws when it is bad. */
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

/** Lists the sources of secrets in the order in which tools read them. */
export const namedSources = async (deps: SecretDeps): Promise<readonly NamedSecrets[]> => {
  const { openSecrets } = await import('../../../crib/open-secrets.ts');
  const { sources } = deps.config.secrets;
  return openSecrets(deps).flatMap((secrets, at) => {
    const name = sources[at];
    return name === undefined ? [] : [{ name, secrets }];
  });
};

/** Lists the configured sources of secrets that can be written to. */
export const vaultsIn = (deps: SecretDeps): readonly VaultName[] =>
  VAULTS.filter((name) => deps.config.secrets.sources.includes(name));

/** Opens the configured vaults. */
export const openVaults = async (io: Io): Promise<readonly SecretVault[]> => {
  const deps = await secretDeps(io);
  const { openVault } = await import('../../../crib/open-secrets.ts');
  return vaultsIn(deps).map((name) => openVault(name, deps));
};

/** Opens the vault that new secrets are stored in: the first configured one, else the file. */
export const openVaultOf = async (io: Io): Promise<SecretVault> => {
  const deps = await secretDeps(io);
  const { openVault } = await import('../../../crib/open-secrets.ts');
  return openVault(vaultsIn(deps)[0] ?? 'file', deps);
};
