/** `toolcrib team propose`: proposes an entry of the catalog, or the removal of one. */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { misuse } from '../../input/misuse.ts';
import { type Io, print, printDone, printJson } from '../../io.ts';
import { changeText, LOCAL, type ServerOptions, withCatalog, withServer } from './team-access.ts';

interface ProposeOptions extends ServerOptions {
  readonly note?: string;
  readonly remove?: boolean;
}

const KINDS = ['tool', 'source', 'rule', 'enforce', 'revoke', 'no-local-tools'];

const readText = async (io: Io, path: string): Promise<string> => {
  try {
    return await readFile(resolve(io.cwd, path), 'utf8');
  } catch {
    throw new ToolFailure('NOT_FOUND', 'The file cannot be read.', {
      suggestions: ['Name a file that is there, relative to this folder.'],
    });
  }
};

const readYaml = async (io: Io, path: string): Promise<unknown> => {
  const { parse } = await import('yaml');
  try {
    return parse(await readText(io, path), { maxAliasCount: 0 });
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    throw new ToolFailure('VALIDATION_ERROR', 'The file is no valid YAML.');
  }
};

/** Makes an entry of the given kind; the server checks it. */
const entryOf = async (io: Io, kind: string, what: string): Promise<object> => {
  switch (kind) {
    case 'tool':
      return { kind, name: basename(what), text: await readText(io, what) };
    case 'rule': {
      const rule = await readYaml(io, what);
      return { kind, name: (rule as { name?: unknown } | null)?.name, rule };
    }
    case 'source':
      return { ...((await readYaml(io, what)) as object), kind };
    default:
      return { kind, name: what };
  }
};

const assertKind = (kind: string): void => {
  if (KINDS.includes(kind)) return;
  throw misuse('A catalog has no entries of that kind.', `Kinds: ${KINDS.join(', ')}.`);
};

const propose = (
  io: Io,
  [kind, what]: readonly [string, string],
  options: ProposeOptions,
): Promise<number> => {
  assertKind(kind);
  return withCatalog(io, options, async (catalog) => {
    const change = options.remove
      ? { action: 'remove', kind, name: what }
      : { action: 'put', entry: await entryOf(io, kind, what) };
    const proposal = await catalog.propose(change, options.note, LOCAL);
    if (io.json) printJson(io, proposal);
    else {
      printDone(io, `Proposed: ${changeText(proposal.change)}`);
      print(io, `  somebody else approves it: toolcrib team approve ${proposal.id}`);
    }
    return 0;
  });
};

export const teamProposeCommand = (team: Command, io: Io): Command =>
  withExamples(
    withServer(
      withJson(
        team
          .command('propose')
          .argument('<kind>', KINDS.join(', '))
          .argument('<what>', 'the file of a tool, rule or source, or the name of a tool'),
      ),
    )
      .option('--note <text>', 'the reason, for the people who decide')
      .option('--remove', 'take the entry of this name out of the catalog')
      .action(
        leaving(io, (kind: string, what: string, options: ProposeOptions) =>
          propose(io, [kind, what], options),
        ),
      ),
    'toolcrib team propose tool .toolcrib/tools/lint.yml --note "we all need it"',
    'toolcrib team propose enforce lint',
    'toolcrib team propose rule deny-docker.yml',
  );
