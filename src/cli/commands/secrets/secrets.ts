/** `toolcrib secrets list`: which secrets there are and where, never what they are. */

import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { SecretDeps, VaultName } from '../../../crib/open-secrets.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { table } from '../../output/table.ts';
import {
  type NamedSecrets,
  namedSources,
  placeOption,
  readSecretValue,
  type SourceName,
  secretDeps,
  vaultsIn,
} from './secrets-deps.ts';

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

/** `toolcrib secrets remove`: forgets a secret. */
export const secretsRemoveCommand = (secrets: Command, io: Io): Command =>
  withExamples(
    withJson(secrets.command('remove <key>').description('forget a secret'))
      .addOption(placeOption('--from', 'only there; by default wherever tools look for it'))
      .addOption(placeOption('--to', 'the same as --from').hideHelp())
      .action(leaving(io, (key: string, options: RemoveOptions) => remove(io, key, options))),
    'toolcrib secrets remove STRIPE_SECRET_KEY',
    'toolcrib secrets remove STRIPE_SECRET_KEY --from keychain',
  );

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

/** `toolcrib secrets set`: keeps a secret. Its value never comes from the command line. */
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

interface Row {
  readonly key: string;
  readonly where: SourceName;
  /** False when an earlier place holds the same key. */
  readonly used: boolean;
}

interface Listing {
  readonly secrets: readonly Row[];
  readonly problems: readonly { readonly where: SourceName; readonly message: string }[];
}

const keysOf = async ({ secrets }: NamedSecrets): Promise<readonly string[]> =>
  [...((await secrets.keys?.()) ?? [])].sort();

/** One place that cannot be read does not hide the others. */
const listAll = async (sources: readonly NamedSecrets[]): Promise<Listing> => {
  const rows: Row[] = [];
  const problems: { where: SourceName; message: string }[] = [];
  const seen = new Set<string>();
  for (const source of sources) {
    try {
      for (const key of await keysOf(source)) {
        rows.push({ key, where: source.name, used: !seen.has(key) });
        seen.add(key);
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
    print(io, 'No secrets are kept yet.');
    note(io, io.noteInk.dim('Keep one with: toolcrib secrets set <key>'));
  } else if (secrets.length > 0) {
    const head = ['key', 'where', ''].map((text) => ({ text, paint: io.ink.dim }));
    const rows = secrets.map(({ key, where, used }) => [
      { text: key, paint: io.ink.bold },
      where,
      used ? '' : 'not used: an earlier place holds it too',
    ]);
    print(io, ...table([head, ...rows]));
  }
  for (const { where, message } of problems) {
    note(io, `${io.noteInk.yellow('!')} ${where}: ${message}`);
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
          'list the keys of all secrets and where they are kept, never the values; what `secrets` does by itself. Of the environment only names that look like a credential are listed.',
        ),
    ).action(leaving(io, () => list(io))),
    'toolcrib secrets',
    'toolcrib secrets list --json',
  );
