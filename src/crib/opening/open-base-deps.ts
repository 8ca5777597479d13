/**
 * Opens the parts of a crib that are there before its tools are loaded: the settings, the registry with its
 * lock, and where tools come from.
 */
import { resolve } from 'node:path';
import { toolSwitches } from '../../config/configured-tools.ts';
import { defaultSettings } from '../../config/default-settings.ts';
import type { Config } from '../../config/schema.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { ToolLock } from '../../contract/lock.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Sandboxes } from '../../contract/sandbox.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import type { ArgumentCheck } from '../../kit/data/check-arguments.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { createEventBus } from '../../observation/event-bus.ts';
import { UsageStats } from '../../observation/usage-stats.ts';
import { createRegistry, type Registry } from '../../registry/registry.ts';
import { assertFolder, assertOptions, CRIB_OPTIONS } from '../check-options.ts';
import type { CribOptions } from '../crib-options.ts';
import { lazySandboxes, openLock, openRedactor, openServers, teamOf } from '../lazy-drivers.ts';
import type { ConnectedServers } from '../sources/connected-servers.ts';
import { type OutsideSources, outsideSources } from '../sources/outside-sources.ts';
import type { OpenedTeam } from '../team/open-team.ts';
import { withCleanCallers } from '../tracing/span-callers.ts';
import { withTraceHosts } from '../tracing/trace-hosts.ts';
import { tracingRuntime } from '../tracing/tracing-runtime.ts';
import type { HostDeps } from './host-deps.ts';

/** The crib, once it is there. */
export interface LateCrib {
  crib?: CribHost;
}

export interface BaseDeps extends OutsideSources {
  readonly config: Config;
  /** The project and the workspace, absolute. */
  readonly project: string;
  readonly root: string;
  readonly runtime: Runtime;
  readonly events: Events;
  readonly registry: Registry;
  readonly usage: UsageStats;
  readonly sandboxes: Sandboxes;
  redactor(): Promise<Redactor>;
  readonly lock: ToolLock;
  readonly mcp: ConnectedServers;
  readonly team: OpenedTeam | undefined;
  readonly late: LateCrib;
}

/** Makes the access to the crib for parts that are made before it. */
export const hostOf = (late: LateCrib) => (): CribHost => {
  if (late.crib) return late.crib;
  throw new ToolFailure('STORE_UNAVAILABLE', 'The crib is not open yet.');
};

/** Throws when an allowed address is invalid; warns of commands that can never run. */
const checkReach = async ({ egress, commands }: Config, { log }: Runtime): Promise<void> => {
  if (egress.allowPrivate.length > 0) {
    const { createPrivateAllowlist } = await import('../../governance/egress/private-allowlist.ts');
    createPrivateAllowlist(egress.allowPrivate);
  }
  if (commands.allow.length + commands.tasks.length > 0) {
    const { checkCommands } = await import('../check-commands.ts');
    await checkCommands(commands, log);
  }
};

/** Returns the checked settings. Throws CONFIG_INVALID when they are invalid. */
const configOf = async ({ settings, config }: CribOptions): Promise<Config> => {
  if (settings) return settings;
  if (!config) return defaultSettings();
  return (await import('../../config/load/parse-config.ts')).parseConfig(config);
};

const foldersOf = ({ root = '.' }: CribOptions, { workspace }: Config) => {
  const project = resolve(root);
  return { project, root: resolve(project, workspace.root) };
};

/** Makes the functions that tell which tools are switched on, and which cannot be switched here. */
const switchesOf = (config: Config, team: OpenedTeam | undefined) => {
  const enforced = new Set(config.enforcement.enforcedTools);
  const switches = toolSwitches(config);
  const isEnforced = (name: string): boolean =>
    enforced.has(name) || team?.isEnforced(name) === true;
  return {
    isEnforced,
    isEnabled: (name: string): boolean | undefined => {
      if (team?.isRevoked(name)) return false;
      return isEnforced(name) ? true : switches.get(name);
    },
  };
};

/** Completes the configuration with what a team enforces, and opens what all other parts need. */
const openSettings = async (options: CribOptions, runtime: Runtime, host: HostDeps) => {
  const config = await configOf(options);
  await checkReach(config, runtime);
  const sandboxes = lazySandboxes(runtime, config);
  const redactor = host.redactor ?? lazyAsync(() => openRedactor(config));
  const team = await teamOf(options, { config, runtime, sandboxes, redactor });
  return { config: team?.config ?? config, sandboxes, redactor, team };
};

const checkOptions = async (options: CribOptions): Promise<void> => {
  const checks: Readonly<Record<keyof CribOptions, ArgumentCheck>> = CRIB_OPTIONS;
  assertOptions(options, checks);
  await assertFolder(options.root);
};

/** Returns a runtime whose spans hold cleaned names of callers, and that sends the trace only to allowed hosts. */
const governedTracing = (
  runtime: Runtime,
  config: Config,
  redactor: () => Promise<Redactor>,
): Promise<Runtime> =>
  withCleanCallers(withTraceHosts(runtime, config.observation.traceHosts), redactor);

/** Opens the parts. Throws VALIDATION_ERROR or CONFIG_INVALID for options that cannot be used. */
export const openBaseDeps = async (options: CribOptions, shared: HostDeps): Promise<BaseDeps> => {
  await checkOptions(options);
  const plain = await tracingRuntime(options.runtime);
  const { config, sandboxes, redactor, team } = await openSettings(options, plain, shared);
  const runtime = await governedTracing(plain, config, redactor);
  const [events, usage] = [createEventBus(runtime.log), new UsageStats()];
  const { gate, lock } = await openLock(options, config, runtime);
  const registry = createRegistry({
    runtime,
    ...(gate && { gate }),
    events,
    usage: (tool) => usage.of(tool),
    ...switchesOf(config, team),
  });
  const late: LateCrib = {};
  const { project, root } = foldersOf(options, config);
  const mcp = await openServers(options, { config, runtime, root, redactor, events, registry });
  const host = hostOf(late);
  const outsideDeps = { config, runtime, project, redactor, registry, sandboxes, host, team };
  const outside = await outsideSources(options, outsideDeps, mcp);
  const opened = { config, project, root, runtime, events, registry, usage, sandboxes, redactor };
  return { ...opened, ...outside, lock, mcp, team, late };
};
