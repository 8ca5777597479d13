/** `toolcrib secrets list`, `set` and `remove`. Values are never shown, and never come from the command line. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { SecretDeps, VaultName } from '../../../crib/open-secrets.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { hint, type Io, print, printDone, printJson, warn } from '../../io.ts';
import { headRow, table } from '../../output/table.ts';
import {
  type NamedSecrets,
  namedSources,
  readSecretValue,
  type SourceName,
  secretDeps,
  vaultOption,
  vaultsIn,
} from './secrets-deps.ts';

interface RemoveOptions {
  readonly from?: VaultName;
  /** The same as `from`, because `set` names the vault with `--to`. */
  readonly to?: VaultName;
}

const notThere = (deps: SecretDeps, key: string): ToolFailure =>
  new ToolFailure('NOT_FOUND', `No secret is stored as ${key}.`, {
    suggestions: [
      Object.hasOwn(deps.env, key)
        ? `It is an environment variable: unset ${key}`
        : 'See which there are: toolcrib secrets list',
    ],
  });

const remove = async (io: Io, key: string, { from, to }: RemoveOptions): Promise<number> => {
  const deps = await secretDeps(io);
  const chosen = from ?? to;
  const vaults = chosen ? [chosen] : vaultsIn(deps);
  const { openVault } = await import('../../../crib/open-secrets.ts');
  const removed: VaultName[] = [];
  for (const name of vaults) {
    if (await openVault(name, deps).remove(key)) removed.push(name);
  }
  if (removed.length === 0) throw notThere(deps, key);
  if (io.json) printJson(io, { key, removed });
  else {
    printDone(io, `Removed: ${key}`);
    hint(io, `from ${removed.join(' and ')}`);
  }
  return 0;
};

export const secretsRemoveCommand = (secrets: Command, io: Io): Command =>
  withExamples(
    withJson(secrets.command('remove <key>'))
      .addOption(vaultOption('--from', 'only there; by default in every store that tools use'))
      .addOption(vaultOption('--to', 'the same as --from').hideHelp())
      .action(leaving(io, (key: string, options: RemoveOptions) => remove(io, key, options))),
    'toolcrib secrets remove STRIPE_SECRET_KEY',
    'toolcrib secrets remove STRIPE_SECRET_KEY --from keychain',
  );

/** Warns when the value just stored is not the one in use. */
const unusedWarning = (deps: SecretDeps, key: string, where: VaultName): string | undefined => {
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
  const warning = unusedWarning(deps, key, where);
  if (io.json) printJson(io, { key, where, ...(warning !== undefined && { warning }) });
  else {
    printDone(io, `Stored: ${key}`);
    hint(io, `in ${vault.label}`);
    if (warning !== undefined) warn(io, warning);
  }
  return 0;
};

export const secretsSetCommand = (secrets: Command, io: Io): Command =>
  withExamples(
    withJson(
      secrets
        .command('set <key>')
        .description(
          'store a secret. Type the value when asked (it is not shown), or pipe it in. It is never an argument: other programs and the history of the shell would see it.',
        ),
    )
      .addOption(
        vaultOption('--to', 'where to store it; by default the first of secrets.sources that can'),
      )
      .action(leaving(io, (key: string, options: { to?: VaultName }) => set(io, key, options))),
    'toolcrib secrets set STRIPE_SECRET_KEY',
    'toolcrib secrets set STRIPE_SECRET_KEY --to keychain',
    'pass show stripe | toolcrib secrets set STRIPE_SECRET_KEY',
  );

interface Row {
  readonly key: string;
  readonly where: SourceName;
  /** False when an earlier source has the same key. */
  readonly used: boolean;
}

interface Listing {
  readonly secrets: readonly Row[];
  readonly problems: readonly { readonly where: SourceName; readonly message: string }[];
}

const keysOf = async ({ secrets }: NamedSecrets): Promise<readonly string[]> =>
  [...((await secrets.keys?.()) ?? [])].sort();

/** Lists all sources. One that cannot be read does not hide the others. */
const listAll = async (sources: readonly NamedSecrets[]): Promise<Listing> => {
  const rows: Row[] = [];
  const problems: { where: SourceName; message: string }[] = [];
  const keys = new Set<string>();
  for (const source of sources) {
    try {
      for (const key of await keysOf(source)) {
        rows.push({ key, where: source.name, used: !keys.has(key) });
        keys.add(key);
      }
    } catch (error) {
      const message = reasonOf(error);
      problems.push({ where: source.name, message });
    }
  }
  return { secrets: rows, problems };
};

const show = (io: Io, { secrets, problems }: Listing): void => {
  if (secrets.length === 0 && problems.length === 0) {
    print(io, 'No secrets are stored yet.');
    hint(io, 'Store one: toolcrib secrets set <key>');
  } else if (secrets.length > 0) {
    const rows = secrets.map(({ key, where, used }) => [
      { text: key, paint: io.ink.bold },
      where,
      used ? '' : 'not used: an earlier source has it too',
    ]);
    print(io, ...table([headRow(['key', 'where', ''], io.ink), ...rows]));
  }
  for (const { where, message } of problems) {
    warn(io, `${where}: ${message}`);
  }
};

const list = async (io: Io): Promise<number> => {
  const listing = await listAll(await namedSources(await secretDeps(io)));
  if (io.json) printJson(io, listing);
  else show(io, listing);
  return listing.problems.length === 0 ? 0 : 1;
};

export const secretsListCommand = (secrets: Command, io: Io): Command =>
  withExamples(
    withJson(
      secrets
        .command('list', { isDefault: true })
        .description(
          'list the keys of all secrets and where they are stored, never the values; the default of `secrets`. Environment variables are listed only when their name looks like a credential.',
        ),
    ).action(leaving(io, () => list(io))),
    'toolcrib secrets',
    'toolcrib secrets list --json',
  );
