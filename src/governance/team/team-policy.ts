/**
 * Puts the rules of a team on top of a policy. They are guards: the stricter answer counts, so that no rule
 * of the user, the project or the program takes one away, and none of them allows anything by itself.
 */
import type { Explanation, Policy, PolicyQuestion, Verdict } from '../../contract/policy.ts';
import type { TeamClient, TeamEntry, TeamState } from '../../contract/team.ts';
import { compilePolicy } from '../policy/compile-policy.ts';
import type { PolicyRule } from '../policy/document/policy-document.ts';
import type { CompiledPolicy } from '../policy/policy-engine.ts';
import { rulesDocument } from './entry-shape.ts';

const severityOf = ({ effect, everyTime }: Verdict): number => {
  if (effect === 'deny') return 3;
  if (effect === 'ask') return everyTime ? 2 : 1;
  return 0;
};

/** Prefers the first where both are as strict. */
const stricter = (own: Verdict, team: Verdict): Verdict =>
  severityOf(team) > severityOf(own) ? team : own;

/** What holds while no bundle could be verified. */
const BLOCKED: PolicyRule = {
  name: 'team-unknown',
  effect: 'deny',
  reason: 'The rules of the team cannot be read. Run toolcrib team sync, or toolcrib team leave.',
};

const revokedRule = (names: readonly string[]): readonly PolicyRule[] =>
  names.length === 0
    ? []
    : [
        {
          name: 'team-revoked',
          effect: 'deny',
          tools: [...names],
          reason: 'The team has revoked this tool.',
        },
      ];

const isRule = (entry: TeamEntry): entry is Extract<TeamEntry, { kind: 'rule' }> =>
  entry.kind === 'rule';

const rulesOf = ({ bundle }: TeamState): readonly unknown[] => {
  if (!bundle) return [BLOCKED];
  const revoked = bundle.entries.flatMap(({ kind, name }) => (kind === 'revoke' ? [name] : []));
  return [...revokedRule(revoked), ...bundle.entries.filter(isRule).map(({ rule }) => rule)];
};

/** Compiles the rules of a bundle alone: what they do not mention is allowed by this part. */
const compileGuard = (state: TeamState): CompiledPolicy =>
  compilePolicy(
    [
      {
        origin: `team:${state.org}`,
        kind: 'program',
        document: { version: 1, builtin: false, rules: [{ name: 'team-silent', effect: 'allow' }] },
      },
      { origin: `team:${state.org}`, kind: 'project', document: rulesDocument(rulesOf(state)) },
    ],
    { flow: 'off' },
  );

class TeamPolicy implements Policy {
  readonly #own: Policy;
  #guard: CompiledPolicy;
  readonly rightsOf?: NonNullable<Policy['rightsOf']>;

  constructor(own: Policy, client: TeamClient) {
    this.#own = own;
    this.#guard = compileGuard(client.state());
    client.onChange(() => {
      this.#guard = compileGuard(client.state());
    });
    if (own.rightsOf) this.rightsOf = (caller) => own.rightsOf?.(caller) ?? caller;
  }

  get version(): string {
    return `${this.#own.version}+${this.#guard.version}`;
  }

  get readsFlow(): boolean {
    return this.#own.readsFlow === true || this.#guard.readsFlow;
  }

  judge(question: PolicyQuestion): Verdict {
    return stricter(this.#own.judge(question), this.#guard.judge(question));
  }

  explain(question: PolicyQuestion): Explanation {
    const own = this.#own.explain?.(question);
    const team = this.#guard.explain(question);
    return {
      verdict: this.judge(question),
      considered: [
        ...(own?.considered ?? []),
        ...team.considered.filter(({ rule }) => rule !== 'team-silent'),
      ],
    };
  }
}

/** Follows the client: a new bundle counts from the next call on. */
export const withTeamPolicy = (own: Policy, client: TeamClient): Policy =>
  new TeamPolicy(own, client);
