/** `toolcrib team review`, `approve` and `reject`: the proposals, and a person's decision. */
import type { Command } from 'commander';
import { ToolFailure } from '../../../contract/errors.ts';
import type { TeamProposal, TeamReview } from '../../../contract/team.ts';
import { visibleBlock, visibleJson, visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { canAsk, confirm, noTerminal } from '../../input/confirm.ts';
import { type Io, note, print, printDone, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { headRow, table } from '../../output/table.ts';
import {
  changeText,
  findProposal,
  LOCAL,
  type ServerOptions,
  withCatalog,
  withServer,
} from './team-access.ts';

interface DecideOptions extends ServerOptions {
  readonly note?: string;
  readonly yes?: boolean;
}

/**
 * Describes a proposal: one that is pending as a difference to what is published, one that is decided by
 * its content.
 */
const contentOf = ({ change, state, diff }: TeamReview): string => {
  const isPending = state === 'open' || state === 'approved';
  if (isPending) return diff === '' ? 'It would change nothing.' : visibleBlock(diff);
  if (change.action === 'remove') return changeText(change);
  const { entry } = change;
  return entry.kind === 'tool'
    ? visibleBlock(entry.text)
    : visibleJson(JSON.stringify(entry, null, 2));
};

const printProposal = (io: Io, proposal: TeamReview): void => {
  const { id, digest, state, change, proposedBy, proposedAt, decidedBy, decidedAt } = proposal;
  print(io, `${io.ink.bold(changeText(change))}  ${state}`);
  print(io, `  id        ${id}`, `  digest    ${digest}`);
  print(io, `  proposed  ${visibleText(proposedBy)}, ${formatTime(proposedAt)}`);
  if (decidedBy !== undefined && decidedAt !== undefined) {
    print(io, `  decided   ${visibleText(decidedBy)}, ${formatTime(decidedAt)}`);
  }
  if (proposal.note !== undefined) print(io, `  note      ${visibleText(proposal.note)}`);
  print(io, '', contentOf(proposal));
};

const printList = (io: Io, proposals: readonly TeamProposal[]): void => {
  if (proposals.length === 0) {
    note(io, 'Nothing is proposed. Propose something: toolcrib team propose');
    return;
  }
  const rows = proposals.map(({ id, state, change, proposedBy, proposedAt }) => [
    ...[id.slice(0, 8), state, changeText(change), visibleText(proposedBy)],
    formatTime(proposedAt),
  ]);
  print(io, ...table([headRow(['id', 'state', 'change', 'by', 'when'], io.ink), ...rows]));
};

const review = (io: Io, id: string | undefined, options: ServerOptions): Promise<number> =>
  withCatalog(io, options, async (catalog) => {
    if (id !== undefined) {
      const proposal = await catalog.review((await findProposal(catalog, id)).id);
      if (io.json) printJson(io, proposal);
      else printProposal(io, proposal);
      return 0;
    }
    const proposals = await catalog.proposals();
    if (io.json) printJson(io, proposals);
    else printList(io, proposals);
    return 0;
  });

export const teamReviewCommand = (team: Command, io: Io): Command =>
  withExamples(
    withServer(
      withJson(team.command('review').argument('[id]', 'one proposal, with its whole content')),
    ).action(
      leaving(io, (id: string | undefined, options: ServerOptions) => review(io, id, options)),
    ),
    'toolcrib team review',
    'toolcrib team review 3f2c',
  );

/** Shows the proposal and asks. Fails when the person does not approve it. */
const assertAgreed = async (
  io: Io,
  proposal: TeamReview,
  { yes }: DecideOptions,
): Promise<void> => {
  if (yes === true) return;
  if (!canAsk(io)) throw noTerminal('Add --yes to approve without being asked.');
  printProposal(io, proposal);
  if (await confirm(io, 'Approve this change?')) return;
  throw new ToolFailure('USER_CANCELLED', 'Nothing was approved.');
};

const decide = (
  io: Io,
  { id, approve }: { readonly id: string; readonly approve: boolean },
  options: DecideOptions,
): Promise<number> =>
  withCatalog(io, options, async (catalog) => {
    const proposal = await catalog.review((await findProposal(catalog, id)).id);
    if (approve) await assertAgreed(io, proposal, options);
    const { digest } = proposal;
    const decision = { approve, digest, note: options.note };
    const decided = await catalog.decide(proposal.id, decision, LOCAL);
    if (io.json) printJson(io, decided);
    else printDone(io, `${decided.state}: ${changeText(decided.change)}`);
    return 0;
  });

const decideCommand = (team: Command, io: Io, approve: boolean): Command => {
  const word = approve ? 'approve' : 'reject';
  const command = withServer(
    withJson(team.command(word).argument('<id>', 'the proposal; a beginning of its id will do')),
  ).option('--note <text>', 'why');
  if (approve) command.option('--yes', 'approve without being asked');
  return withExamples(
    command.action(
      leaving(io, (id: string, options: DecideOptions) => decide(io, { id, approve }, options)),
    ),
    `toolcrib team ${word} 3f2c`,
  );
};

export const teamApproveCommand = (team: Command, io: Io): Command => decideCommand(team, io, true);

export const teamRejectCommand = (team: Command, io: Io): Command => decideCommand(team, io, false);
