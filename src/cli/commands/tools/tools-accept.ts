/** `toolcrib tools accept`: see what is new or different about tools from outside, and let them in. */
import type { Command } from 'commander';
import { toolError } from '../../../contract/errors.ts';
import type { LockState, ToolLock } from '../../../contract/lock.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { type Io, note, print, printJson } from '../../io.ts';
import { errorLines } from '../../output/error-lines.ts';
import { localPerson } from '../../session/local-person.ts';
import type { OpenCrib } from '../../session/open-crib.ts';
import { acceptHeld } from './accept-held.ts';
import { isHeld, lockFileOf } from './lock-page.ts';
import { withFreshCrib } from './with-fresh-crib.ts';

interface AcceptOptions {
  readonly yes?: boolean;
}

/** The states of the named tools. One that is not there fails as accepting it would. */
const statesOf = async (
  names: readonly string[],
  { tools }: OpenCrib['crib'],
): Promise<readonly LockState[]> => {
  const states = tools.lock.states();
  const found = names.map((name) => {
    const own = tools.get(name)?.tool.name ?? name;
    return states.filter(({ tool, state }) => tool === own && state !== 'gone');
  });
  const missing = names.find((_name, at) => found[at]?.length === 0);
  if (missing !== undefined) await failToFind(missing, tools.lock);
  return [...new Set(found.flat())];
};

const failToFind = (name: string, lock: ToolLock): Promise<unknown> =>
  lock.accept([name], localPerson());

const acceptTools = async (
  io: Io,
  open: OpenCrib,
  { names, yes }: { readonly names: readonly string[]; readonly yes: boolean },
): Promise<number> => {
  const states = await statesOf(names, open.crib);
  const accepted = await acceptHeld(io, open, { held: states.filter(isHeld), yes });
  if (!accepted) {
    note(io, ...errorLines(toolError('USER_CANCELLED', 'They stay in quarantine.'), io.noteInk));
    return 3;
  }
  const file = lockFileOf(open, states);
  const told = accepted.map(({ tool, origin, fingerprint }) => ({ tool, origin, fingerprint }));
  if (io.json) printJson(io, { accepted: told, file });
  for (const { tool } of io.json ? [] : states) {
    const isNew = accepted.some((entry) => entry.tool === tool);
    print(io, isNew ? `${io.ink.green('✓ Accepted')} ${tool}` : `Accepted already: ${tool}`);
  }
  if (accepted.length > 0) note(io, io.noteInk.dim(`in ${file}`));
  return 0;
};

export const toolsAcceptCommand = (tools: Command, io: Io): Command =>
  withExamples(
    withJson(
      tools.command('accept <name...>').description('let tools from outside out of quarantine'),
    )
      .option('-y, --yes', 'accept them without being asked')
      .action(
        leaving(io, (names: readonly string[], { yes = false }: AcceptOptions) =>
          withFreshCrib(io, (open) => acceptTools(io, open, { names, yes })),
        ),
      ),
    'toolcrib tools accept github:create_issue',
    'toolcrib tools accept search fetch --yes',
  );
