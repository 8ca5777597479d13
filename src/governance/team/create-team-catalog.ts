/**
 * The publisher of a team's catalog: propose, decide, publish, roll back. Nobody decides about their own
 * proposal, a decision is bound to what was looked at, and each step is on the audit trail before it changes
 * anything.
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
import type { SigningKey } from '../signing/open-signing-key.ts';
import { type CatalogState, CatalogStates, hasTaken, withStep } from './catalog-state.ts';
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
import { type BegunStep, RecordedSteps, type StepEnd, type StepName } from './recorded-steps.ts';
import { fingerprintOf, MAX_HANDOVERS, signHandover } from './team-bundle.ts';
import { assertTwoPeople, assertUsers, makersOf } from './two-people.ts';

/** The parts of a store that a catalog uses. */
export interface CatalogStore extends Pick<Store, 'memory'> {
  readonly audit: Pick<Store['audit'], 'append' | 'query'>;
  readonly tokens: Pick<Store['tokens'], 'list'>;
}

export interface TeamCatalogDeps {
  readonly org: string;
  /** Days after which a bundle is too old; without an end when absent. */
  readonly expiresDays?: number | undefined;
  /** `users`: only those who logged in propose and approve what is published. */
  readonly reviewers?: 'tokens' | 'users' | undefined;
  store(): Promise<CatalogStore>;
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

const CATALOG_STEPS: readonly StepName[] = [
  ...(['team_propose', 'team_approve', 'team_reject'] as const),
  ...(['team_publish', 'team_rollback', 'team_rotate'] as const),
];

class Publisher implements TeamPublisher {
  readonly #deps: TeamCatalogDeps;
  readonly #states: CatalogStates;
  readonly #steps: RecordedSteps;

  constructor(deps: TeamCatalogDeps) {
    this.#deps = deps;
    const states = new CatalogStates(deps);
    this.#states = states;
    this.#steps = new RecordedSteps({
      audit: async () => (await deps.store()).audit,
      runtime: deps.runtime,
      newId: deps.newId,
      names: CATALOG_STEPS,
      isDone: async ({ detail }) => hasTaken(await states.read(), detail.step),
    });
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
      id: this.#deps.newId(),
      change,
      digest: digestOf(change),
      state: 'open',
      proposedBy: by.userId,
      proposedAt: this.#deps.runtime.now(),
      ...checkedNote(note),
    };
    const detail = { id: proposal.id, change, digest: proposal.digest };
    return this.#step('team_propose', { by, detail }, async (step) => {
      await this.#change(step, (state) => withProposal(state, proposal));
      return { value: proposal };
    });
  };

  decide: TeamCatalog['decide'] = async (id, decision, by) => {
    const { note: decisionNote } = checkedNote(decision.note);
    const tokens = await (await this.#deps.store()).tokens.list();
    const decide = (state: CatalogState): TeamProposal => {
      const proposal = decidableProposal(state, id, decision);
      if (decision.approve) {
        assertTwoPeople(proposal.proposedBy, by.userId, tokens);
        if (this.#deps.reviewers === 'users') assertUsers(proposal.proposedBy, by.userId);
      }
      return {
        ...proposal,
        state: decision.approve ? 'approved' : 'rejected',
        decidedBy: by.userId,
        decidedAt: this.#deps.runtime.now(),
        ...(decisionNote !== undefined && { decisionNote }),
      };
    };
    const { digest } = decision;
    const name = decision.approve ? 'team_approve' : 'team_reject';
    return this.#step(name, { by, detail: { id, digest } }, async (step) => {
      const after = await this.#change(step, (state) => withDecided(state, decide(state)));
      const decided = proposalOf(after, id);
      const { proposedBy } = decided;
      const tokensMadeBy = Object.fromEntries(
        [proposedBy, by.userId].map((each) => [each, [...makersOf(each, tokens)]]),
      );
      return { value: decided, detail: { proposedBy, tokensMadeBy } };
    });
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
    const { publicKey: to } = await this.#deps.key();
    const from = before.publicKey;
    if (to === from) {
      throw conflict('That is the key in use.', 'Replace the key of the server first.');
    }
    if (!(await this.#isHandedOver(from, to))) await this.#handOver(before, { by, to });
    return this.publish({ renew: true, note: 'another key signs' }, by);
  }

  /**
   * Tells whether the catalog names this change of key already: a crash may have come between the change of
   * the key and the bundle that tells of it.
   */
  async #isHandedOver(from: string, to: string): Promise<boolean> {
    const handovers = await this.#states.read().then(
      (state) => state.handovers,
      () => [],
    );
    return handovers.some((each) => each.from === from && each.to === to);
  }

  async #handOver(
    before: SigningKey,
    { by, to }: { readonly by: CallerNames; readonly to: string },
  ): Promise<void> {
    const { org, runtime } = this.#deps;
    const detail = { from: before.publicKey, to };
    await this.#step('team_rotate', { by, detail }, async (step) => {
      const handover = signHandover(before, { org, to, at: runtime.now() });
      await this.#change(
        step,
        // Clients refuse longer chains; one that missed so many changes joins again.
        (state) => ({ ...state, handovers: [...state.handovers, handover].slice(-MAX_HANDOVERS) }),
        before,
      );
      return { value: undefined };
    });
  }

  /** Signs the next bundle and puts it in force. */
  async #issue(
    by: CallerNames,
    more: Pick<PublishedBundle, 'note' | 'restored'>,
    content: (state: CatalogState) => BundleContent,
  ): Promise<PublishedBundle> {
    const { expiresDays, runtime } = this.#deps;
    const publication = {
      ...more,
      publishedBy: by.userId,
      at: runtime.now(),
      expiresDays,
      key: await this.#deps.key(),
    };
    const name = more.restored === undefined ? 'team_publish' : 'team_rollback';
    const { note, restored } = more;
    const detail = {
      ...(note !== undefined && { note }),
      ...(restored !== undefined && { restored }),
    };
    return this.#step(name, { by, detail }, async (step) => {
      await this.#states.keepCurrent();
      // A store may try a change again, so the last result counts.
      const made: { next?: NextState } = {};
      const { signed } = await this.#change(step, (before) => {
        made.next = nextState(before, content(before), publication);
        return made.next.state;
      });
      if (!made.next || !signed) throw new ToolFailure('INTERNAL', 'Nothing was published.');
      const { published, dropped } = made.next;
      await this.#states.keepBundle(published.serial, signed);
      for (const { serial } of dropped) await this.#states.forgetBundle(serial);
      return { value: published, detail: { ...published } };
    });
  }

  #step<T>(
    tool: StepName,
    { by, detail }: { readonly by: CallerNames; readonly detail: Record<string, unknown> },
    work: (step: BegunStep) => Promise<StepEnd<T>>,
  ): Promise<T> {
    return this.#steps.run({ tool, by, detail: { org: this.#deps.org, ...detail } }, work);
  }

  /**
   * Changes the state. The id of the step is stored with what it changes, so that an interrupted one can be
   * judged.
   */
  #change(
    step: BegunStep,
    change: (state: CatalogState) => CatalogState,
    before?: SigningKey,
  ): Promise<CatalogState> {
    return this.#states.change((state) => {
      step.assertInTime();
      return withStep(change(state), step.id);
    }, before);
  }
}

export const createTeamCatalog = (deps: TeamCatalogDeps): TeamPublisher => new Publisher(deps);
