/** Opens the APIs of a team's catalog like the user's own, but with less reach. */
import type { Config } from '../../config/schema.ts';
import type { ManagedSource, RefusedTool } from '../../contract/sources.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { teamRefusal } from '../../sources/team/team-refusal.ts';
import type { OpenedSources } from '../sources/open-sources.ts';
import type { ExternalConfig, ExternalKind } from '../sources/source-settings.ts';
import type { OpenedTeam } from './open-team.ts';

export interface TeamApisDeps {
  readonly config: Config;
  opened(): Promise<OpenedSources>;
  /** Checks settings as the configuration would. */
  check(
    kind: string,
    name: string,
    settings: unknown,
  ): Promise<readonly [ExternalKind, ExternalConfig]>;
}

/**
 * Wraps the driver of an API without the tools that reach the user's machine or secrets that the user did
 * not grant.
 */
export const limitedApi = (
  api: ManagedSource,
  { org, granted }: { readonly org: string; readonly granted: readonly string[] },
): ManagedSource => {
  let refused: readonly RefusedTool[] = [];
  return {
    kind: api.kind,
    label: api.label,
    load: async () => {
      const judged = (await api.load()).map((tool) => ({
        tool,
        reason: teamRefusal(tool, granted),
      }));
      refused = judged.flatMap(({ tool: { name }, reason }) =>
        reason === undefined ? [] : [{ name, reason }],
      );
      return judged.filter(({ reason }) => reason === undefined).map(({ tool }) => tool);
    },
    watch: (changed) => api.watch?.(changed) ?? (() => undefined),
    close: async () => api.close?.(),
    refresh: (signal) => api.refresh(signal),
    ...(api.test && { test: (signal) => api.test?.(signal) ?? Promise.resolve() }),
    status: () => {
      const status = api.status();
      const tools = status.tools - refused.length;
      return { ...status, team: org, tools, refused: [...status.refused, ...refused] };
    },
  };
};

const failedApi = (
  { type, name, org }: { readonly type: ExternalKind; readonly name: string; readonly org: string },
  reason: string,
): ManagedSource => ({
  kind: 'external',
  label: `${type}:${name}`,
  load: async () => [],
  refresh: async () => ({ added: [], removed: [], changed: [] }),
  status: () => ({
    name,
    kind: type,
    state: 'failed',
    location: '',
    team: org,
    tools: 0,
    refused: [],
    lastError: reason,
  }),
});

/**
 * Opens the APIs of a bundle. An API of the user with the same name takes precedence; invalid settings
 * are reported.
 */
export const openTeamApis = (
  { apis, client }: Pick<OpenedTeam, 'apis' | 'client'>,
  { config, opened, check }: TeamApisDeps,
): Promise<readonly ManagedSource[]> => {
  const userNames = new Set(Object.values(config.sources).flatMap((named) => Object.keys(named)));
  const { org } = client.state();
  const { secrets } = config.teams;
  return Promise.all(
    apis
      .filter(({ name }) => !userNames.has(name))
      .map(async ({ type, name, settings }) => {
        try {
          const [kind, own] = await check(type, name, settings);
          const api = await (await opened()).openForeign(kind, name, { settings: own, secrets });
          return limitedApi(api, { org, granted: secrets });
        } catch (error) {
          return failedApi({ type, name, org }, reasonOf(error));
        }
      }),
  );
};
