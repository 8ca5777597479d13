/** Opens a crib with the flows of the project and of named modules, and the person to ask. */
import type { Command } from 'commander';
import type { Approver } from '../../../contract/approver.ts';
import type { CribHost } from '../../../contract/crib-host.ts';
import type { CallerOptions } from '../../input/caller-options.ts';
import type { Io } from '../../io.ts';
import { type OpenCrib, openCrib } from '../../session/open-crib.ts';
import { settleTrust } from '../../session/settle-trust.ts';
import { terminalPerson } from '../../session/terminal-person.ts';
import { closeSession } from './close-session.ts';
import { type ModuleOptions, registerModules, withModules } from './flow-modules.ts';
import type { Following } from './follow-run.ts';
import { stepsAskLater } from './run-questions.ts';
import { createRunView, type RunView } from './run-tree.ts';

export interface FollowOptions extends ModuleOptions, Pick<CallerOptions, 'user'> {
  readonly yes?: boolean;
  readonly quiet?: boolean;
}

export const withFollowing = (command: Command): Command =>
  withModules(command)
    .option('-y, --yes', 'approve every call yourself, without being asked: you are responsible')
    .option('-q, --quiet', 'print the output and errors only');

/** Runs work with a crib that knows the flows; questions of its calls go to the terminal. */
export const withFlowSession = async (
  io: Io,
  { user, yes = false, quiet = false, ...modules }: FollowOptions,
  work: (following: Following, open: OpenCrib) => Promise<number>,
): Promise<number> => {
  // Asked before anything draws on the terminal, so that the question can be read.
  await settleTrust(io);
  const shown: { view?: RunView; crib?: CribHost } = {};
  const onQuestion = (open: boolean): void => shown.view?.pause(open);
  const person: Approver = terminalPerson(io, { user, yes, onQuestion });
  const approver = yes
    ? person
    : stepsAskLater(person, async (id) => shown.crib?.approvals.get(id));
  const open = await openCrib(io, approver);
  const { crib } = open;
  shown.crib = crib;
  try {
    await registerModules(io, crib, modules);
    shown.view = createRunView(io, crib, quiet);
    return await work({ crib, view: shown.view, person, ...modules }, open);
  } finally {
    await closeSession(io, crib);
  }
};
