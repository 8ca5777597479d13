/**
 * The publisher of a team's catalog: propose, decide, publish, roll back. No one decides about
 * their own proposal, a decision is bound to what was looked at, and each step is on the audit
 * trail.
 */
import type { CallerNames } from '../../contract/caller.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Store } from '../../contract/store.ts';
import type {
  PublishedBundle,
  TeamBundle,
  TeamCatalog,
  TeamEntry,
  TeamKey,
  TeamProposal,
} from '../../contract/team.ts';
import { digestOf } from '../../kit/data/canonical-json.ts';
import { conflict } from '../../kit/data/coded-failures.ts';
import { auditEvent } from '../audit/audit-event.ts';
import type { SigningKey } from '../signing/open-signing-key.ts';
import { type CatalogState, CatalogStates } from './catalog-state.ts';
import { changeDiff } from './change-diff.ts';
import { parseChange } from './entry-shape.ts';
import { type BundleContent, type NextState, nextState } from './next-bundle.ts';
import {
  approvedContent,
  checkedNote,
  decidableProposal,
  proposalOf,
  withDecided,
  withProposal,
} from './proposal-rules.ts';
import { fingerprintOf, MAX_HANDOVERS, signHandover } from './team-bundle.ts';
import { assertTwoPeople, makersOf } from './two-people.ts';

export interface TeamCatalogDeps {
  readonly org: string;
  /** Days after which a bundle is too old; without an end when absent. */
  readonly expiresDays?: number | undefined;
  store(): Promise<Pick<Store, 'memory' | 'audit' | 'tokens'>>;
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
    const state = await this.#states.read();
    const proposal = proposalOf(state, id);
    return { ...proposal, diff: await changeDiff(state.entries, proposal.change) };
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
    await this.#states.change((state) => withProposal(state, proposal));
    await this.#record('team_propose', by, { id: proposal.id, change, digest: proposal.digest });
    return proposal;
  };

  decide: TeamCatalog['decide'] = async (id, decision, by) => {
    const { note: decisionNote } = checkedNote(decision.note);
    const tokens = await (await this.#deps.store()).tokens.list();
    const decide = (state: CatalogState): TeamProposal => {
      const proposal = decidableProposal(state, id, decision);
      if (decision.approve) assertTwoPeople(proposal.proposedBy, by.userId, tokens);
      return {
        ...proposal,
        state: decision.approve ? 'approved' : 'rejected',
        decidedBy: by.userId,
        decidedAt: this.#deps.runtime.now(),
        ...(decisionNote !== undefined && { decisionNote }),
      };
    };
    const after = await this.#states.change((state) => withDecided(state, decide(state)));
    const decided = proposalOf(after, id);
    const { proposedBy, digest } = decided;
    const tokensMadeBy = Object.fromEntries(
      [proposedBy, by.userId].map((name) => [name, [...makersOf(name, tokens)]]),
    );
    const detail = { id, digest, proposedBy, tokensMadeBy };
    await this.#record(decision.approve ? 'team_approve' : 'team_reject', by, detail);
    return decided;
  };

  publish: TeamCatalog['publish'] = async ({ note, renew = false }, by) =>
    this.#issue(by, { ...checkedNote(note) }, (state) => {
      const content = approvedContent(state);
      if (content.proposals.length > 0 || renew) return content;
      throw conflict('Nothing is approved that was not published.', 'Approve a proposal first.');
    });

  rollBack: TeamCatalog['rollBack'] = async (serial, note, by) => {
    const before = (await this.#states.read()).history.find((each) => each.serial === serial);
    const stored = before && (await this.#states.keptBundle(before));
    if (!stored) {
      throw new ToolFailure('NOT_FOUND', 'There is no bundle of that serial to go back to.', {
        suggestions: ['See which there are: toolcrib team history'],
      });
    }
    const { entries } = JSON.parse(stored.bundle) as TeamBundle;
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
      // Clients refuse longer chains; one that missed so many changes joins again.
      (state) => ({ ...state, handovers: [...state.handovers, handover].slice(-MAX_HANDOVERS) }),
      before,
    );
    await this.#record('team_rotate', by, { from: handover.from, to });
    return this.publish({ renew: true, note: 'another key signs' }, by);
  }

  /** Signs the next bundle and puts it in force. */
  async #issue(
    by: CallerNames,
    more: Pick<PublishedBundle, 'note' | 'restored'>,
    content: (state: CatalogState) => BundleContent,
  ): Promise<PublishedBundle> {
    const { expiresDays, runtime } = this.#deps;
    const publication = {
      ...{ ...more, publishedBy: by.userId, at: runtime.now(), expiresDays },
      key: await this.#deps.key(),
    };
    // A store may try a change again, so the last result counts.
    const result: { next?: NextState } = {};
    const { signed } = await this.#states.change((before) => {
      result.next = nextState(before, content(before), publication);
      return result.next.state;
    });
    if (!result.next || !signed) throw new ToolFailure('INTERNAL', 'Nothing was published.');
    const { published, dropped } = result.next;
    await this.#states.keepBundle(published.serial, signed);
    for (const { serial } of dropped) await this.#states.forgetBundle(serial);
    await this.#record(more.restored === undefined ? 'team_publish' : 'team_rollback', by, {
      ...published,
    });
    return published;
  }

  async #record(tool: string, by: CallerNames, detail: Record<string, unknown>): Promise<void> {
    const { audit } = await this.#deps.store();
    const { org, runtime } = this.#deps;
    await audit.append(auditEvent({ tool, at: runtime.now(), detail: { org, ...detail } }, by));
  }
}

export const createTeamCatalog = (deps: TeamCatalogDeps): TeamPublisher => new Publisher(deps);
