/** Writes planned servers into the configuration, and their secrets into the vault before that. */
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import type { SecretVault } from '../../../contract/secrets.ts';
import type { Io } from '../../io.ts';
import { secretDeps, vaultsIn } from '../secrets/secrets-deps.ts';
import type { PlannedServer } from './plan-import.ts';
import { assertEditable, editServers, type ServerDeps } from './server-config.ts';

export const openVaultOf = async (io: Io): Promise<SecretVault> => {
  const deps = await secretDeps(io);
  const { openVault } = await import('../../../crib/open-secrets.ts');
  return openVault(vaultsIn(deps)[0] ?? 'file', deps);
};

export interface TakeDeps {
  readonly deps: ServerDeps;
  readonly vault: SecretVault;
  readonly inProject: boolean;
}

/** Returns the file that was changed. */
export const takeServers = async (
  io: Io,
  { deps, vault, inProject }: TakeDeps,
  servers: readonly Pick<PlannedServer, 'name' | 'definition' | 'secrets'>[],
): Promise<string> => {
  await assertEditable(io, deps, inProject);
  for (const { secrets } of servers) {
    for (const { key, value } of secrets) await vault.set(key, value);
  }
  const { file } = await editServers(io, deps, {
    inProject,
    change: async (path) => {
      const edits = [];
      for (const { name, definition } of servers) {
        edits.push(await setInConfigFile(path, ['mcp', 'servers', name], definition));
      }
      const [first, last] = [edits[0], edits.at(-1)];
      return first && last && { before: first.before, after: last.after };
    },
  });
  return file;
};
