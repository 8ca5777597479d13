/**
 * The publisher of a team's catalog: propose, decide, publish, roll back. Nobody decides about their own
 * proposal, a decision is bound to what was looked at, and each step is on the audit trail.
 */

import type { CallerNames } from '../../contract/caller.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import {
  BUNDLE_FORMAT,
  type PublishedBundle,
  type SignedBundle,
  type TeamBundle,
  type TeamCatalog,
  type TeamChange,
  type TeamDecision,
  type TeamEntry,
  type TeamKey,
  type TeamProposal,
} from '../../contract/team.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { conflict } from '../../kit/data/coded-failures.ts';
import { DAY_MS } from '../../kit/data/durations.ts';
import { auditEvent } from '../audit/audit-event.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import { type CatalogState, CatalogStates } from './catalog-state.ts';
import { changeDiff } from './change-diff.ts';
import { entryKey, parseChange } from './entry-shape.ts';
import {
  digestOfBundle,
  fingerprintOf,
  MAX_ENTRIES,
  signBundle,
  signHandover,
} from './team-bundle.ts';

export interface TeamCatalogDeps {
  readonly org: string;
  /** Days after which a bundle is too old; without an end when absent. */
  readonly expiresDays?: number | undefined;
  store(): Promise<Pick<Store, 'memory' | 'audit'>>;
  key(): Promise<SigningKey>;
  readonly runtime: Pick<Runtime, 'now' | 'log'>;
  newId(): string;
  /** Lists what is wrong with an entry beyond its shape: code that does not compile, bad settings. */
  check(entry: TeamEntry): Promise<readonly string[]>;
}

export interface TeamPublisher extends TeamCatalog {
  /** Lets the key of this server sign from now on instead of the key before. */
  rotate(before: SigningKey, by: CallerNames): Promise<PublishedBundle>;
}

/** Proposals that wait for a decision or to be published. */
const MAX_OPEN = 200;
const MAX_OPEN_EACH = 20;
/** Decided proposals that are kept beside the audit trail. */
const MAX_CLOSED = 300;
const MAX_HISTORY = 100;
const MAX_NOTE = 1000;

const applied = (entries: readonly TeamEntry[], change: TeamChange): readonly TeamEntry[] => {
  const key = entryKey(change.action === 'put' ? change.entry : change);
  const others = entries.filter((entry) => entryKey(entry) !== key);
  return change.action === 'put' ? [...others, change.entry] : others;
};

const sorted = (entries: readonly TeamEntry[]): readonly TeamEntry[] =>
  entries.toSorted((a, b) => (entryKey(a) < entryKey(b) ? -1 : 1));

const isPending = ({ state }: TeamProposal): boolean => state === 'open' || state === 'approved';

/** Drops the oldest of those that are over. */
const bounded = (proposals: readonly TeamProposal[]): readonly TeamProposal[] => {
  const over = proposals.filter((each) => !isPending(each)).slice(0, MAX_CLOSED);
  return proposals.filter((each) => isPending(each) || over.includes(each));
};

const checkedNote = (note: string | undefined): { readonly note?: string } => {
  if (note === undefined || note === '') return {};
  if (note.length <= MAX_NOTE) return { note };
  throw new ToolFailure('VALIDATION_ERROR', `A note has ${MAX_NOTE} characters at most.`);
};

const noSuchProposal = (): ToolFailure =>
  new ToolFailure('NOT_FOUND', 'There is no such proposal.', {
    suggestions: ['See which there are: toolcrib team review'],
  });

const replaced = (state: CatalogState, proposal: TeamProposal): CatalogState => ({
  ...state,
  proposals: state.proposals.map((each) => (each.id === proposal.id ? proposal : each)),
});

class Publisher implements TeamPublisher {
  readonly #deps: TeamCatalogDeps;
  readonly #states: CatalogStates;

  constructor(deps: TeamCatalogDeps) {
    this.#deps = deps;
    this.#states = new CatalogStates(deps);
  }

  async key(): Promise<TeamKey> {
    const { publicKey } = await this.#deps.key();
    return { org: this.#deps.org, publicKey, fingerprint: fingerprintOf(publicKey) };
  }

  async overview() {
    const { serial, entries, proposals } = await this.#states.read();
    const count = (state: string) => proposals.filter((each) => each.state === state).length;
    const counts = { open: count('open'), approved: count('approved') };
    return { ...(await this.key()), serial, entries, ...counts };
  }

  proposals: TeamCatalog['proposals'] = async (state) =>
    (await this.#states.read()).proposals.filter((each) => !state || each.state === state);

  review: TeamCatalog['review'] = async (id) => {
    const { entries, proposals } = await this.#states.read();
    const proposal = proposals.find((each) => each.id === id);
    if (!proposal) throw noSuchProposal();
    return { ...proposal, diff: await changeDiff(entries, proposal.change) };
  };

  propose: TeamCatalog['propose'] = async (value, note, by) => {
    const change = parseChange(value);
    const problems = change.action === 'put' ? await this.#deps.check(change.entry) : [];
    if (problems.length > 0) {
      throw new ToolFailure('VALIDATION_ERROR', 'The entry cannot be used as it is.', {
        issues: problems.map((message) => ({ path: ['entry'], message })),
      });
    }
    const proposal: TeamProposal = {
      ...{ id: this.#deps.newId(), change, digest: digestOf(change), state: 'open' },
      ...{ proposedBy: by.userId, proposedAt: this.#deps.runtime.now(), ...checkedNote(note) },
    };
    await this.#states.change((state) => this.#withProposal(state, proposal));
    await this.#record('team_propose', by, { id: proposal.id, change, digest: proposal.digest });
    return proposal;
  };

  decide: TeamCatalog['decide'] = async (id, decision, by) => {
    let decided: TeamProposal | undefined;
    await this.#states.change((state) => {
      const proposal = this.#decidable(state, id, { decision, by });
      const { note: decisionNote } = checkedNote(decision.note);
      decided = {
        ...proposal,
        state: decision.approve ? 'approved' : 'rejected',
        decidedBy: by.userId,
        decidedAt: this.#deps.runtime.now(),
        ...(decisionNote !== undefined && { decisionNote }),
      };
      return replaced(state, decided);
    });
    const { digest, approve } = decision;
    await this.#record(approve ? 'team_approve' : 'team_reject', by, { id, digest });
    return decided as unknown as TeamProposal;
  };

  publish: TeamCatalog['publish'] = async ({ note, renew = false }, by) =>
    this.#issue(by, { ...checkedNote(note) }, (state) => {
      const ready = state.proposals.filter((each) => each.state === 'approved');
      if (ready.length === 0 && !renew) {
        throw conflict('Nothing is approved that was not published.', 'Approve a proposal first.');
      }
      const order = ready.toSorted((a, b) => (a.decidedAt ?? 0) - (b.decidedAt ?? 0));
      const entries = order.reduce((all, { change }) => applied(all, change), state.entries);
      return { entries, proposals: order.map(({ id }) => id) };
    });

  rollBack: TeamCatalog['rollBack'] = async (serial, note, by) => {
    const before = (await this.#states.read()).history.find((each) => each.serial === serial);
    const kept = before && (await this.#states.keptBundle(before));
    if (!kept) {
      throw new ToolFailure('NOT_FOUND', 'There is no bundle of that serial to go back to.', {
        suggestions: ['See which there are: toolcrib team history'],
      });
    }
    const { entries } = JSON.parse(kept.bundle) as TeamBundle;
    const more = { ...checkedNote(note), restored: serial };
    return this.#issue(by, more, () => ({ entries, proposals: [] }));
  };

  history: TeamCatalog['history'] = async () => (await this.#states.read()).history;

  bundle: TeamCatalog['bundle'] = async () => (await this.#states.read()).signed;

  async rotate(before: SigningKey, by: CallerNames): Promise<PublishedBundle> {
    const { org, runtime } = this.#deps;
    const { publicKey: to } = await this.#deps.key();
    if (to === before.publicKey) {
      throw conflict('That is the key in use.', 'Replace the key of the server first.');
    }
    const handover = signHandover(before, { org, to, at: runtime.now() });
    await this.#states.change(
      (state) => ({ ...state, handovers: [...state.handovers, handover] }),
      before,
    );
    await this.#record('team_rotate', by, { from: handover.from, to });
    return this.publish({ renew: true, note: 'another key signs' }, by);
  }

  #withProposal(state: CatalogState, proposal: TeamProposal): CatalogState {
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
  }

  #decidable(
    { proposals }: CatalogState,
    id: string,
    { decision, by }: { readonly decision: TeamDecision; readonly by: CallerNames },
  ): TeamProposal {
    const proposal = proposals.find((each) => each.id === id);
    if (!proposal) throw noSuchProposal();
    if (decision.approve && proposal.proposedBy === by.userId) {
      throw new ToolFailure('PERMISSION_DENIED', 'Somebody else has to approve a proposal.', {
        suggestions: ['Ask another operator or admin of the server.'],
      });
    }
    // What was approved and not published yet can still be rejected.
    const isLate = proposal.state !== 'open' && (decision.approve || proposal.state !== 'approved');
    if (isLate) throw conflict(`The proposal is ${proposal.state} already.`, 'Propose it again.');
    if (proposal.digest === decision.digest) return proposal;
    throw conflict('The digest is that of another change.', 'Look at the proposal again.');
  }

  /** Signs the next bundle and puts it in force. */
  async #issue(
    by: CallerNames,
    more: Pick<PublishedBundle, 'note' | 'restored'>,
    content: (
      state: CatalogState,
    ) => Pick<TeamBundle, 'entries'> & Pick<PublishedBundle, 'proposals'>,
  ): Promise<PublishedBundle> {
    const key = await this.#deps.key();
    let dropped: readonly PublishedBundle[] = [];
    const state = await this.#states.change((before) => {
      const { entries, proposals } = content(before);
      if (entries.length > MAX_ENTRIES) {
        throw conflict('The catalog has too many entries.', `Remove some: ${MAX_ENTRIES} fit.`);
      }
      const bundle = this.#nextBundle(before, sorted(entries));
      const signed = signBundle(bundle, key, before.handovers);
      const published = this.#published(bundle, signed, { ...more, proposals, by });
      const history = [published, ...before.history];
      dropped = history.slice(MAX_HISTORY);
      return this.#after(before, {
        bundle,
        signed,
        history: history.slice(0, MAX_HISTORY),
        proposals,
      });
    });
    const [published] = state.history as [PublishedBundle];
    if (state.signed) await this.#states.keepBundle(published.serial, state.signed);
    for (const { serial } of dropped) await this.#states.forgetBundle(serial);
    await this.#record(more.restored === undefined ? 'team_publish' : 'team_rollback', by, {
      ...published,
    });
    return published;
  }

  #nextBundle(before: CatalogState, entries: readonly TeamEntry[]): TeamBundle {
    const { org, expiresDays, runtime } = this.#deps;
    const issuedAt = runtime.now();
    return {
      ...{ format: BUNDLE_FORMAT, org, serial: before.serial + 1, issuedAt, entries },
      previous: before.lastDigest,
      ...(expiresDays !== undefined && { expiresAt: issuedAt + expiresDays * DAY_MS }),
    };
  }

  #published(
    { serial, previous, entries, issuedAt, expiresAt }: TeamBundle,
    signed: SignedBundle,
    {
      by,
      ...more
    }: Pick<PublishedBundle, 'note' | 'restored' | 'proposals'> & { readonly by: CallerNames },
  ): PublishedBundle {
    return {
      ...{ serial, previous, digest: digestOfBundle(signed), entries: entries.length, ...more },
      ...{ publishedBy: by.userId, publishedAt: issuedAt },
      ...(expiresAt !== undefined && { expiresAt }),
    };
  }

  #after(
    before: CatalogState,
    {
      bundle: { serial, entries },
      signed,
      history,
      proposals,
    }: Pick<CatalogState, 'history'> & {
      readonly bundle: TeamBundle;
      readonly signed: SignedBundle;
      readonly proposals: readonly string[];
    },
  ): CatalogState {
    return {
      ...before,
      ...{ serial, entries, signed, history, lastDigest: digestOfBundle(signed) },
      proposals: before.proposals.map((each) =>
        proposals.includes(each.id) ? { ...each, state: 'published' as const, serial } : each,
      ),
    };
  }

  async #record(tool: string, by: CallerNames, detail: Record<string, unknown>): Promise<void> {
    const { audit } = await this.#deps.store();
    const { org, runtime } = this.#deps;
    await audit.append(auditEvent({ tool, at: runtime.now(), detail: { org, ...detail } }, by));
  }
}

export const createTeamCatalog = (deps: TeamCatalogDeps): TeamPublisher => new Publisher(deps);
