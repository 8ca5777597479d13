/** `toolcrib secrets list`: which secrets there are and where, never what they are. */
import type { Command } from 'commander';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { table } from '../../output/table.ts';
import { type NamedSecrets, namedSources, type SourceName, secretDeps } from './secrets-deps.ts';

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
