/** Writes planned servers into the configuration, and their secrets into the vault before that. */
import { setInConfigFile } from '../../../config/edit/edit-config.ts';
import type { SecretVault } from '../../../contract/secrets.ts';
import type { Io } from '../../io.ts';
import { secretSite, vaultsIn } from '../secrets/secrets-site.ts';
import type { PlannedServer } from './plan-import.ts';
import { assertEditable, editServers, type ServerSite } from './server-config.ts';

export const openVaultOf = async (io: Io): Promise<SecretVault> => {
  const site = await secretSite(io);
  const { openVault } = await import('../../../crib/open-secrets.ts');
  return openVault(vaultsIn(site)[0] ?? 'file', site);
};

export interface TakeSite {
  readonly site: ServerSite;
  readonly vault: SecretVault;
  readonly inProject: boolean;
}

/** Returns the file that was changed. */
export const takeServers = async (
  io: Io,
  { site, vault, inProject }: TakeSite,
  servers: readonly Pick<PlannedServer, 'name' | 'definition' | 'secrets'>[],
): Promise<string> => {
  await assertEditable(io, site, inProject);
  for (const { secrets } of servers) {
    for (const { key, value } of secrets) await vault.set(key, value);
  }
  const { file } = await editServers(io, site, {
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
