/** `toolcrib secrets remove`: forgets a secret. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { SecretDeps, VaultName } from '../../../crib/open-secrets.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { placeOption, secretDeps, vaultsIn } from './secrets-deps.ts';

interface RemoveOptions {
  readonly from?: VaultName;
  /** The same, for whoever has `set --to` in mind. */
  readonly to?: VaultName;
}

const notThere = (deps: SecretDeps, key: string): ToolFailure =>
  new ToolFailure('NOT_FOUND', `No secret is kept as ${key}.`, {
    suggestions: [
      Object.hasOwn(deps.env, key)
        ? `It is an environment variable: unset ${key}`
        : 'See what is there with: toolcrib secrets list',
    ],
  });

const remove = async (io: Io, key: string, { from, to }: RemoveOptions): Promise<number> => {
  const deps = await secretDeps(io);
  const named = from ?? to;
  const places = named ? [named] : vaultsIn(deps);
  const { openVault } = await import('../../../crib/open-secrets.ts');
  const removed: VaultName[] = [];
  for (const place of places) {
    if (await openVault(place, deps).remove(key)) removed.push(place);
  }
  if (removed.length === 0) throw notThere(deps, key);
  if (io.json) printJson(io, { key, removed });
  else {
    print(io, `${io.ink.green('✓')} Removed: ${key}`);
    note(io, io.noteInk.dim(`from ${removed.join(' and ')}`));
  }
  return 0;
};

export const secretsRemoveCommand = (secrets: Command, io: Io): Command =>
  withExamples(
    withJson(secrets.command('remove <key>').description('forget a secret'))
      .addOption(placeOption('--from', 'only there; by default wherever tools look for it'))
      .addOption(placeOption('--to', 'the same as --from').hideHelp())
      .action(leaving(io, (key: string, options: RemoveOptions) => remove(io, key, options))),
    'toolcrib secrets remove STRIPE_SECRET_KEY',
    'toolcrib secrets remove STRIPE_SECRET_KEY --from keychain',
  );
