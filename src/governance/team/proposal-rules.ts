/** The rules of proposals: how many may wait, who may decide, and what becomes of the entries. */
import { ToolFailure } from '../../contract/errors.ts';
import type { TeamChange, TeamDecision, TeamEntry, TeamProposal } from '../../contract/team.ts';
import { conflict } from '../../kit/data/coded-failures.ts';
import type { CatalogState } from './catalog-state.ts';
import { entryKey } from './entry-shape.ts';

/** Proposals that wait for a decision or to be published. */
const MAX_OPEN = 200;
const MAX_OPEN_EACH = 20;
/** Decided proposals that are kept beside the audit trail. */
const MAX_CLOSED = 300;
const MAX_NOTE = 1000;

const isPending = ({ state }: TeamProposal): boolean => state === 'open' || state === 'approved';

/** Drops the oldest of those that are over. */
const bounded = (proposals: readonly TeamProposal[]): readonly TeamProposal[] => {
  const over = proposals.filter((each) => !isPending(each)).slice(0, MAX_CLOSED);
  return proposals.filter((each) => isPending(each) || over.includes(each));
};

/** Throws VALIDATION_ERROR for a note that is too long. */
export const checkedNote = (note: string | undefined): { readonly note?: string } => {
  if (note === undefined || note === '') return {};
  if (note.length <= MAX_NOTE) return { note };
  throw new ToolFailure('VALIDATION_ERROR', `A note has ${MAX_NOTE} characters at most.`);
};

/** Adds a proposal. Throws CONFLICT where too many wait, or where there is nothing to remove. */
export const withProposal = (state: CatalogState, proposal: TeamProposal): CatalogState => {
  const pending = state.proposals.filter(isPending);
  const own = pending.filter(({ proposedBy }) => proposedBy === proposal.proposedBy);
  if (pending.length >= MAX_OPEN || own.length >= MAX_OPEN_EACH) {
    throw conflict('Too many proposals are waiting.', 'Have some of them decided first.');
  }
  const { change } = proposal;
  const isGone =
    change.action === 'remove' &&
    !state.entries.some((each) => entryKey(each) === entryKey(change));
  if (isGone) throw conflict('The catalog has no such entry.', 'Look at toolcrib team list.');
  return { ...state, proposals: bounded([proposal, ...state.proposals]) };
};

/** Finds a proposal. Throws NOT_FOUND. */
export const proposalOf = ({ proposals }: CatalogState, id: string): TeamProposal => {
  const proposal = proposals.find((each) => each.id === id);
  if (proposal) return proposal;
  throw new ToolFailure('NOT_FOUND', 'There is no such proposal.', {
    suggestions: ['See which there are: toolcrib team review'],
  });
};

/** Finds the proposal that a decision is about. Throws where it cannot be decided like that. */
export const decidableProposal = (
  state: CatalogState,
  id: string,
  decision: TeamDecision,
): TeamProposal => {
  const proposal = proposalOf(state, id);
  // What was approved and not published yet can still be rejected.
  const isLate = proposal.state !== 'open' && (decision.approve || proposal.state !== 'approved');
  if (isLate) throw conflict(`The proposal is ${proposal.state} already.`, 'Propose it again.');
  if (proposal.digest === decision.digest) return proposal;
  throw conflict('The digest is that of another change.', 'Look at the proposal again.');
};

export const withDecided = (state: CatalogState, proposal: TeamProposal): CatalogState => ({
  ...state,
  proposals: state.proposals.map((each) => (each.id === proposal.id ? proposal : each)),
});

const applied = (entries: readonly TeamEntry[], change: TeamChange): readonly TeamEntry[] => {
  const key = entryKey(change.action === 'put' ? change.entry : change);
  const others = entries.filter((entry) => entryKey(entry) !== key);
  return change.action === 'put' ? [...others, change.entry] : others;
};

/** Gives the entries with everything that is approved, in the order of the decisions. */
export const approvedContent = ({ entries, proposals }: CatalogState) => {
  const ready = proposals
    .filter((each) => each.state === 'approved')
    .toSorted((a, b) => (a.decidedAt ?? 0) - (b.decidedAt ?? 0));
  return {
    entries: ready.reduce((all, { change }) => applied(all, change), entries),
    proposals: ready.map(({ id }) => id),
  };
};
