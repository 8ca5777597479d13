/**
 * Previews the catalog of a team before joining: syncs into a temporary folder, and describes what the
 * bundle would add and enforce. Enrols nobody, and writes nothing into the user's folder.
 */
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { TeamClient, TeamEntry, TeamKey, TeamState } from '../../contract/team.ts';
import { withTeamPolicy } from '../../governance/team/team-policy.ts';
import { createSecretChain } from '../../secrets/chain.ts';
import { openSecrets } from '../open-secrets.ts';
import { withPreviewCrib } from '../sources/preview-crib.ts';
import {
  emptyLike,
  lookAt,
  type PreviewDeps,
  type SourcePreview,
  statesOf,
} from '../sources/preview-source.ts';

/** A rule of the bundle, for people. */
export interface PreviewedRule {
  readonly name: string;
  readonly effect: string;
  /** The tools that the rule is about; all of them when absent. */
  readonly tools?: readonly string[];
}

export interface TeamPreview extends SourcePreview {
  readonly serial: number;
  readonly rules: readonly PreviewedRule[];
  /** Tools that cannot be switched off. */
  readonly enforced: readonly string[];
  /** Tools that could not be run any more. */
  readonly revoked: readonly string[];
  /** True when custom tools, MCP servers and APIs of the user would not be loaded. */
  readonly disablesLocalTools: boolean;
}

/** Keeps only the team of the configuration, so that nothing else that the user configured is opened. */
const onlyTeam = (config: Config, { url, org, publicKey }: ProposedTeam): Config => ({
  ...config,
  sources: emptyLike(config.sources),
  mcp: { ...config.mcp, servers: {} },
  registry: { ...config.registry, lock: 'off' },
  teams: { ...config.teams, enabled: true, url, orgId: org, key: publicKey },
});

const ruleOf = ({ name, rule }: Extract<TeamEntry, { kind: 'rule' }>): PreviewedRule => ({
  name,
  effect: String(rule.effect),
  ...(Array.isArray(rule.tools) && { tools: rule.tools.map(String) }),
});

const contentOf = (
  entries: readonly TeamEntry[],
): Pick<TeamPreview, 'rules' | 'enforced' | 'revoked' | 'disablesLocalTools'> => {
  const names = (kind: TeamEntry['kind']): readonly string[] =>
    entries.flatMap((entry) => (entry.kind === kind ? [entry.name] : []));
  return {
    rules: entries.flatMap((entry) => (entry.kind === 'rule' ? [ruleOf(entry)] : [])),
    enforced: names('enforce'),
    revoked: names('revoke'),
    disablesLocalTools: names('no-local-tools').length > 0,
  };
};

const noBundle = ({ fault }: Pick<TeamState, 'fault'>): ToolFailure =>
  new ToolFailure('SERVER_ERROR', 'The server gave no bundle that can be verified.', {
    suggestions: [fault ?? 'Ask the people who maintain the catalog whether one is published.'],
  });

export type ProposedTeam = TeamKey & { readonly url: string };

export interface TeamPreviewDeps extends PreviewDeps {
  /** The variables that may hold the token. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Rejects with the reason why there is no bundle to look at. */
export const previewTeam = async (
  team: ProposedTeam,
  deps: TeamPreviewDeps,
): Promise<TeamPreview> => {
  const { config, home, runtime, env } = deps;
  const secrets = deps.secrets ?? createSecretChain(openSecrets({ config, env, home }));
  const settings = onlyTeam(config, team);
  return withPreviewCrib({ settings, secrets, runtime }, async (crib) => {
    const state = crib.team();
    if (!state?.bundle) throw noBundle(state ?? {});
    const client: TeamClient = {
      state: () => state,
      onChange: () => () => undefined,
      sync: async () => false,
    };
    const withRules: PreviewDeps['withRules'] = (own) => withTeamPolicy(own, client);
    const { keys, ...look } = await lookAt(crib.tools, { ...deps, withRules });
    const states = await statesOf(keys, async (key) => secrets.get(key));
    const refused = crib.sources
      .list()
      .flatMap((source) => [
        ...source.refused,
        ...(source.state === 'failed'
          ? [{ name: source.name, reason: source.lastError ?? 'It could not be read.' }]
          : []),
      ]);
    const { serial, entries } = state.bundle;
    return {
      location: team.url,
      serial,
      ...look,
      refused,
      secrets: states,
      ...contentOf(entries),
    };
  });
};
