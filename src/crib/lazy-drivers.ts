/** Opens the parts of a crib that are loaded only where the configuration or a call needs them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/schema.ts';
import type { Policy } from '../contract/policy.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Sandboxes } from '../contract/sandbox.ts';
import type { Store } from '../contract/store.ts';
import type { Retention } from '../governance/audit/retention.ts';
import type { Redactor } from '../governance/redaction/redaction.ts';
import { lazyAsync } from '../kit/data/lazy.ts';
import { hasEmbeddings } from './background/background-tools.ts';
import type { CribOptions } from './crib-options.ts';
import type { LocalCribDeps } from './local-crib.ts';
import type { Opened } from './members/member-deps.ts';
import type { OpenEngineDeps } from './open-engine.ts';
import type { OpenedMcpServers } from './open-mcp-servers.ts';
import type { OpenPolicyDeps } from './open-policy.ts';
import type { SandboxSettings } from './open-sandboxes.ts';
import type { OpenedLock } from './open-tool-lock.ts';
import {
  type ConnectedServers,
  type ConnectedServersDeps,
  connectedServers,
} from './sources/connected-servers.ts';
import type { OpenedTeam, OpenTeamDeps } from './team/open-team.ts';

import { userFolder } from './user-folder.ts';

/** Opens the one redactor of a crib, so that a secret that any part reads is hidden everywhere. */
export const openRedactor = async ({ filtering }: Config): Promise<Redactor> => {
  const { Redactor } = await import('../governance/redaction/redaction.ts');
  return new Redactor({ hidden: filtering.redactKeys, shown: filtering.shownKeys });
};

export const sandboxSettings = ({ egress, sandbox, observation }: Config): SandboxSettings => ({
  egress,
  sandbox,
  measuresRuns: observation.measureRuns,
  env: readEnvironment(),
});

/** Loads a sandbox driver when something first runs in it. */
export const lazySandboxes = (runtime: Runtime, config: Config): Sandboxes => {
  let opened: Promise<Sandboxes> | undefined;
  const open = (): Promise<Sandboxes> => {
    opened ??= import('./open-sandboxes.ts').then(({ openSandboxes }) =>
      openSandboxes(runtime, sandboxSettings(config)),
    );
    return opened;
  };
  return {
    get: async (type) => (await open()).get(type),
    readiness: async () => (await open()).readiness(),
    close: async () => (await opened)?.close(),
  };
};

type ServersDeps = Pick<OpenEngineDeps, 'config' | 'runtime' | 'root' | 'events'> &
  Pick<ConnectedServersDeps, 'registry'> & {
    redactor(): Promise<Redactor>;
  };

/** Returns why no MCP server may be started; `undefined` when they may. */
const offReason = ({ mcp, enforcement }: Config): string | undefined => {
  if (!mcp.enabled) return 'MCP servers are switched off: mcp.enabled is false.';
  return enforcement.disableLocalTools
    ? 'A team allows no MCP servers of this machine.'
    : undefined;
};

/** Opens the configured MCP servers; loads nothing when there are none or they are switched off. */
export const openServers = async (
  options: CribOptions,
  deps: ServersDeps,
): Promise<ConnectedServers> => {
  const off = offReason(deps.config);
  const isNeeded = off === undefined && Object.keys(deps.config.mcp.servers).length > 0;
  const open = () => openMcp(options, deps);
  const opened = isNeeded ? await open() : undefined;
  return connectedServers({ opened, open, off, registry: deps.registry });
};

const openMcp = async (
  options: CribOptions,
  { config, runtime, root, redactor, events }: ServersDeps,
): Promise<OpenedMcpServers> => {
  const { openMcpServers } = await import('./open-mcp-servers.ts');
  const confiner = lazyAsync(async () => {
    const { openConfiner } = await import('./open-sandboxes.ts');
    return openConfiner(runtime, sandboxSettings(config));
  });
  return openMcpServers({
    ...options,
    config,
    runtime,
    root,
    home: userFolder(options.home),
    redactor: await redactor(),
    confine: async (request) => (await confiner())(request),
    notified: (server, notification) => {
      if (events.has('server.notified'))
        events.emit('server.notified', { server, ...notification });
    },
  });
};

/**
 * Opens the policy. Rules of the user are read now, so that invalid ones stop the start; the rules
 * that ship are read with the first call.
 */
export const policyOf = async (
  options: CribOptions,
  { policy }: Config,
  deps: OpenPolicyDeps,
): Promise<() => Promise<Policy>> => {
  const open = async (): Promise<Policy> => {
    const { openPolicy } = await import('./open-policy.ts');
    return openPolicy(options, policy, deps);
  };
  if (!options.policy && !options.policyFiles?.length) return lazyAsync(open);
  const opened = await open();
  return async () => opened;
};

type TeamDeps = Pick<OpenTeamDeps, 'config' | 'runtime' | 'sandboxes'> & {
  redactor(): Promise<Redactor>;
};

/** Opens the catalog of the user's team. Loads nothing for a user who is in none. */
export const teamOf = async (
  options: CribOptions,
  { redactor, ...deps }: TeamDeps,
): Promise<OpenedTeam | undefined> => {
  const home = userFolder(options.home);
  const isJoined = options.settings !== undefined && existsSync(join(home, 'keys', 'team.json'));
  if (!deps.config.teams.enabled && !isJoined) return undefined;
  const { openTeam } = await import('./team/open-team.ts');
  return openTeam(options, { ...deps, home, redactor: await redactor() });
};

/** Opens the tool lock. One that cannot be read stops the start. */
export const openLock = async (
  options: CribOptions,
  config: Config,
  runtime: Runtime,
): Promise<OpenedLock> => {
  const { openToolLock } = await import('./open-tool-lock.ts');
  return openToolLock(options, { config, runtime, userDir: userFolder(options.home) });
};

/**
 * Opens the retention; `undefined` unless `audit.retentionDays` is set, because audit rows are kept for
 * ever by default.
 */
export const retentionOf = async (
  store: Store,
  { home }: CribOptions,
  { config, events, runtime }: Pick<OpenEngineDeps, 'config' | 'events' | 'runtime'>,
): Promise<Retention | undefined> => {
  const { retentionDays: days } = config.audit;
  if (days === undefined) return undefined;
  const { openRetention } = await import('./audit/open-retention.ts');
  return openRetention(store, { days, folder: userFolder(home), events, runtime });
};

/** Opens the automatic checkpoints; `undefined` unless the configuration names their destination. */
export const checkpointsOf = async (
  store: Store,
  { home, secrets }: CribOptions,
  deps: Pick<OpenEngineDeps, 'config' | 'runtime' | 'redactor'>,
): Promise<Opened['checkpoints']> => {
  if (deps.config.audit.checkpoints.to === undefined) return undefined;
  const { openCheckpoints } = await import('./audit/open-checkpoints.ts');
  return openCheckpoints(store, { ...deps, folder: userFolder(home), secrets });
};

/** Returns the settings of jobs, and a function that opens their queue with the first job. */
export const jobEngineOf = (
  { config, runtime }: Pick<OpenEngineDeps, 'config' | 'runtime'>,
  options: CribOptions,
): Pick<LocalCribDeps, 'jobSettings' | 'openQueue' | 'services'> => ({
  jobSettings: config.jobs,
  services: {
    embeddings: hasEmbeddings(options, config),
    push: options.background?.push !== undefined,
  },
  openQueue: async (store) => {
    const { openQueue } = await import('./queue/open-queue.ts');
    const { home, secrets } = options;
    return openQueue(store, { config, runtime, userDir: userFolder(home), secrets });
  },
});
