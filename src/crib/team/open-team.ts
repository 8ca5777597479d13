/**
 * Opens the catalog of a team on a client: its rules on top of every policy, what it enforces, its tools
 * and its APIs. Once joined it stays in force until `toolcrib team leave`, whatever configuration and
 * variables say.
 */
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policy.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Sandboxes } from '../../contract/sandbox.ts';
import type { TeamClient, TeamSource as TeamSourceEntry, TeamTool } from '../../contract/team.ts';
import type { EgressInit } from '../../governance/egress/create-egress.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { openTeamClient } from '../../governance/team/create-team-client.ts';
import { TeamFiles } from '../../governance/team/team-files.ts';
import { withTeamPolicy } from '../../governance/team/team-policy.ts';
import { MINUTE_MS } from '../../kit/data/durations.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { reasonOf } from '../../kit/data/reason-of.ts';
import { localHosts } from '../../kit/http/loopback.ts';
import { type BuiltTools, TeamSource } from '../../sources/team/team-source.ts';
import type { CribOptions } from '../crib-options.ts';
import { openEgress, scopeOf } from '../sources/open-egress.ts';
import { runIn } from '../sources/run-in-sandbox.ts';
import { secretsOf } from '../sources/source-secrets.ts';
import { openUserKey } from '../user-folder.ts';

export interface OpenTeamDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  /** The user's folder, absolute. */
  readonly home: string;
  readonly sandboxes: Sandboxes;
  readonly redactor: Redactor;
}

export interface OpenedTeam {
  readonly client: TeamClient;
  readonly source: TeamSource;
  /** The configuration, with the settings that the team enforces. */
  readonly config: Config;
  isEnforced(name: string): boolean;
  isRevoked(name: string): boolean;
  withRules(own: Policy): Policy;
  /** The APIs of the bundle, as of the start. */
  readonly apis: readonly TeamSourceEntry[];
}

/** How long the start waits for the first bundle. */
const MAX_FIRST_SYNC_MS = 15_000;

export interface Enrolment {
  readonly url: string;
  readonly org: string;
  readonly publicKey: string;
}

export const teamFiles = ({ home, runtime }: Pick<OpenTeamDeps, 'home' | 'runtime'>): TeamFiles =>
  new TeamFiles({ home, key: lazyAsync(() => openUserKey(home)), log: runtime.log });

/** Makes a `fetch` that reaches the server of the catalog alone, through the egress guard. */
export const catalogFetch = (
  url: string,
  config: Pick<Config, 'egress'>,
): { readonly fetch: typeof globalThis.fetch; close(): Promise<void> } => {
  const address = new URL(url);
  const guard = lazyAsync(() => openEgress(config, localHosts(address)));
  let isOpen = false;
  return {
    fetch: async (input, init) => {
      isOpen = true;
      const scope = scopeOf([address.host], init?.signal ?? undefined);
      return (await guard()).fetch(input, { ...init, scope } as EgressInit);
    },
    close: async () => {
      if (isOpen) await (await guard()).close();
    },
  };
};

/** Returns the enrolment that settings name. */
export const configuredTeam = ({ teams }: Pick<Config, 'teams'>): Enrolment | undefined => {
  const { enabled, url, orgId: org, key: publicKey } = teams;
  const isComplete = url !== undefined && org !== undefined && publicKey !== undefined;
  return enabled && isComplete ? { url, org, publicKey } : undefined;
};

/** Finds the enrolment: the one on record, which no setting or variable replaces, or that of the configuration. */
const enrolmentOf = async (
  { settings }: Pick<CribOptions, 'settings'>,
  { config, files }: Pick<OpenTeamDeps, 'config'> & { readonly files: TeamFiles },
): Promise<Enrolment | undefined> => {
  const configured = configuredTeam(config);
  // A program that hands over its own settings is in the team that it names.
  if (!settings) return configured;
  const reading = await files.record();
  if (reading.state === 'good') return reading.record;
  if (configured) return configured;
  if (reading.state === 'changed') {
    throw new ToolFailure('SECURITY_VIOLATION', 'The record of your team was changed.', {
      suggestions: ['Join the team again: toolcrib team join <url>', 'Or: toolcrib team leave'],
    });
  }
  return undefined;
};

export type TeamTokenDeps = Pick<OpenTeamDeps, 'config' | 'runtime' | 'home' | 'redactor'> &
  Pick<CribOptions, 'secrets'>;

/** Reads the token for the server. Rejects with AUTH_MISSING. */
export const teamToken = (deps: TeamTokenDeps) => async (): Promise<string> => {
  const { tokenKey } = deps.config.teams;
  const token = await secretsOf(deps).secret(tokenKey);
  if (token !== undefined) return token;
  throw new ToolFailure('AUTH_MISSING', 'There is no token for the server of the catalog.', {
    suggestions: [`Store the one that its admin gave you: toolcrib secrets set ${tokenKey}`],
  });
};

/** Compiles the files of tools; a module describes itself in a sandbox. */
const buildWith =
  ({ config, sandboxes }: OpenTeamDeps) =>
  async (files: readonly TeamTool[]): Promise<BuiltTools> => {
    const [{ loadToolFiles }, { createCompileCache }] = await Promise.all([
      import('../../sources/custom/load-tool-files.ts'),
      import('../../sources/custom/compile-cache.ts'),
    ]);
    const { tools, problems, composed } = await loadToolFiles({
      files: new Map(files.map(({ name, text }) => [name, new TextEncoder().encode(text)])),
      // Foreign code is compiled without a cache: a planted one must not run in place of the signed code.
      cache: createCompileCache(undefined),
      runCode: runIn(sandboxes),
      defaultSandbox: config.sandbox.default,
    });
    const refused = problems.map(({ file, line, column, message }) => ({
      name: file,
      reason: `${line}:${column} ${message}`,
    }));
    const mixed = composed.map(({ file }) => ({ name: file, reason: 'It composes other tools.' }));
    return { tools, refused: [...refused, ...mixed] };
  };

const names = (client: TeamClient, kind: 'enforce' | 'revoke'): ReadonlySet<string> =>
  new Set(
    (client.state().bundle?.entries ?? []).flatMap((entry) =>
      entry.kind === kind ? [entry.name] : [],
    ),
  );

/** Makes a lookup by name that follows changes of the bundle. */
const followed = (client: TeamClient, kind: 'enforce' | 'revoke'): ((name: string) => boolean) => {
  let current = names(client, kind);
  client.onChange(() => {
    current = names(client, kind);
  });
  return (name) => current.has(name);
};

const withEnforcement = (config: Config, client: TeamClient): Config => {
  const entries = client.state().bundle?.entries ?? [];
  const isLocalOff = entries.some(({ kind }) => kind === 'no-local-tools');
  const { disableLocalTools, enforcedTools } = config.enforcement;
  return {
    ...config,
    enforcement: {
      disableLocalTools: disableLocalTools || isLocalOff,
      enforcedTools: [...new Set([...enforcedTools, ...names(client, 'enforce')])],
    },
  };
};

/** Opens the catalog; `undefined` for a user who is in no team. */
export const openTeam = async (
  options: Pick<CribOptions, 'settings' | 'secrets'>,
  deps: OpenTeamDeps,
): Promise<OpenedTeam | undefined> => {
  const { config, runtime } = deps;
  const files = teamFiles(deps);
  const enrolment = await enrolmentOf(options, { config, files });
  if (!enrolment) return undefined;
  const { fetch, close } = catalogFetch(enrolment.url, config);
  const { secrets } = options;
  const token = teamToken({ ...deps, ...(secrets && { secrets }) });
  const client = await openTeamClient({ ...enrolment, files, runtime, fetch, token });
  if (!client.state().bundle) {
    await client.sync(AbortSignal.timeout(MAX_FIRST_SYNC_MS)).catch((error: unknown) => {
      runtime.log.error('The rules of the team are not known', { reason: reasonOf(error) });
    });
  }
  const { secrets: granted, features, acceptTools, syncMinutes } = config.teams;
  const source = new TeamSource({
    client,
    runtime,
    granted,
    sharesTools: features.sharedTools,
    isAccepted: acceptTools,
    build: buildWith(deps),
    syncMs: syncMinutes * MINUTE_MS,
    close,
  });
  const { bundle, isExpired } = client.state();
  const entries = features.sharedTools && !isExpired ? (bundle?.entries ?? []) : [];
  return {
    client,
    source,
    config: withEnforcement(config, client),
    isEnforced: followed(client, 'enforce'),
    isRevoked: followed(client, 'revoke'),
    withRules: (own) => withTeamPolicy(own, client),
    apis: entries.filter((entry) => entry.kind === 'source'),
  };
};
