/** `toolcrib secrets set`: keeps a secret. Its value never comes from the command line. */
import type { Command } from 'commander';
import type { SecretDeps, VaultName } from '../../../crib/open-secrets.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { placeOption, secretDeps, vaultsIn } from './secrets-deps.ts';
import { readSecretValue } from './secrets-value.ts';

/** What a person would not expect: that the value just kept is not the one in use. */
const surprise = (deps: SecretDeps, key: string, where: VaultName): string | undefined => {
  const { sources } = deps.config.secrets;
  if (!sources.includes(where)) {
    return `Tools do not look there: add "${where}" to secrets.sources in your configuration.`;
  }
  const shadowed = sources.indexOf('environment') < sources.indexOf(where);
  return sources.includes('environment') && shadowed && Object.hasOwn(deps.env, key)
    ? `The environment variable ${key} is set and comes first.`
    : undefined;
};

const set = async (io: Io, key: string, { to }: { to?: VaultName }): Promise<number> => {
  const deps = await secretDeps(io);
  const where = to ?? vaultsIn(deps)[0] ?? 'file';
  const { openVault } = await import('../../../crib/open-secrets.ts');
  const vault = openVault(where, deps);
  await vault.set(key, await readSecretValue(io, key));
  const warning = surprise(deps, key, where);
  if (io.json) printJson(io, { key, where, ...(warning !== undefined && { warning }) });
  else {
    print(io, `${io.ink.green('✓')} Kept: ${key}`);
    note(io, io.noteInk.dim(`in ${vault.label}`));
    if (warning !== undefined) note(io, `${io.noteInk.yellow('!')} ${warning}`);
  }
  return 0;
};

export const secretsSetCommand = (secrets: Command, io: Io): Command =>
  withExamples(
    withJson(
      secrets
        .command('set <key>')
        .description(
          'keep a secret. The value is asked for without showing it, or read from stdin; it is never an argument, where other programs and the history of the shell would see it.',
        ),
    )
      .addOption(
        placeOption('--to', 'where to keep it; by default the first of secrets.sources that can'),
      )
      .action(leaving(io, (key: string, options: { to?: VaultName }) => set(io, key, options))),
    'toolcrib secrets set STRIPE_SECRET_KEY',
    'toolcrib secrets set STRIPE_SECRET_KEY --to keychain',
    'pass show stripe | toolcrib secrets set STRIPE_SECRET_KEY',
  );
