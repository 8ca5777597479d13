/** Loads the tools of a crib: those that ship, those of sources and servers, the user's own. */
import { delimiter } from 'node:path';
import { unknownTools } from '../config/configured-tools.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { Source } from '../contract/source.ts';
import type { Registry } from '../registry/registry.ts';
import type { McpServers, UnlistedServer } from '../sources/mcp/create-mcp-servers.ts';
import { type BackgroundToolDeps, backgroundTools } from './background/background-tools.ts';
import type { CribOptions } from './crib-options.ts';
import { sandboxSettings } from './lazy-drivers.ts';
import type { OpenCodeModeDeps } from './open-code-mode.ts';
import type { CustomSources, CustomTools } from './open-custom-tools.ts';
import type { OpenEngineDeps } from './open-engine.ts';

export type LoadToolsDeps = Pick<OpenEngineDeps, 'config' | 'runtime' | 'sandboxes' | 'events'> &
  Pick<OpenCodeModeDeps, 'read'> &
  Pick<BackgroundToolDeps, 'store'> &
  Pick<McpServers, 'sources'> & {
    /** The tools of a team: loaded before local ones, which cannot take their names. */
    readonly team?: Source | undefined;
  };

const shippedTools = async (catalog: Registry, deps: LoadToolsDeps): Promise<Source> => {
  const { config, runtime } = deps;
  const [{ builtinTools }, { openCodeMode }] = await Promise.all([
    import('./builtin-tools.ts'),
    import('./open-code-mode.ts'),
  ]);
  return builtinTools({
    services: config.services,
    defaultZone: config.datetime.zone,
    now: runtime.now,
    programFolders: readEnvironment().PATH?.split(delimiter) ?? [],
    openEngine: async () => {
      const { openDockerEngine } = await import('./open-sandboxes.ts');
      return openDockerEngine(runtime, sandboxSettings(config));
    },
    more: openCodeMode({ ...deps, catalog }),
  });
};

/** Opens the custom tools; none when they are switched off or a team forbids local tools. */
const customSources = async (
  customTools: CustomTools | undefined,
  registry: Registry,
  { config, runtime, sandboxes, events }: LoadToolsDeps,
): Promise<CustomSources | undefined> => {
  const isOff = !config.tools.autoLoadCustomTools || config.enforcement.disableLocalTools;
  if (!customTools || isOff) return undefined;
  const { openCustomTools } = await import('./open-custom-tools.ts');
  const defaultSandbox = config.sandbox.default;
  return openCustomTools(customTools, { sandboxes, defaultSandbox, runtime, events, registry });
};

/** Wraps a source so that it lists no tools. It is still closed with the crib: its server may be started by hand. */
const withoutTools = (source: Source): Source => ({
  kind: source.kind,
  label: source.label,
  load: async () => [],
  close: async () => source.close?.(),
});

/**
 * Warns of names in the configuration that no tool has. While tools may still be added, only names
 * close to that of a tool are reported.
 */
const warnOfUnknownTools = (
  registry: Registry,
  { config, runtime }: Pick<OpenEngineDeps, 'config' | 'runtime'>,
  isComplete: boolean,
): void => {
  const names = registry.list().map(({ tool }) => tool.name);
  const hasServers = Object.keys(config.mcp.servers).length > 0;
  const mayGrow = hasServers || !isComplete;
  const has = (name: string): boolean => registry.get(name) !== undefined;
  for (const problem of unknownTools(config, { has, names, mayGrow })) runtime.log.warn(problem);
};

export const loadTools = async (
  registry: Registry,
  options: CribOptions,
  deps: LoadToolsDeps,
): Promise<void> => {
  const { builtins, sources = [], tools = [], customTools, watch = true } = options;
  const shipped = builtins === false ? [] : [await shippedTools(registry, deps)];
  const own = await customSources(customTools, registry, deps);
  const local = [...deps.sources, ...(own ? [own.custom] : [])];
  const { autoDiscovery } = deps.config.registry;
  const discovered = autoDiscovery ? local : local.map(withoutTools);
  const background = backgroundTools(options, { ...deps, now: deps.runtime.now });
  const team = deps.team ? [deps.team] : [];
  await registry.load([...shipped, ...background, ...team, ...sources, ...discovered]);
  registry.registerAll(tools);
  // Last, because composed tools refer to all the others.
  if (own && autoDiscovery) await registry.load([own.composed]);
  warnOfUnknownTools(registry, deps, builtins !== false && tools.length === 0);
  if (watch) registry.watch();
};

/** Starts the servers whose tools were never listed, or the named ones of them, and loads their tools. */
export const discoverWith =
  (registry: Registry, { unlisted }: Pick<McpServers, 'unlisted'>) =>
  async (signal: AbortSignal, servers?: readonly string[]): Promise<void> => {
    const labels = servers?.map((name) => `mcp:${name}`);
    const load = async ({ source, discover }: UnlistedServer): Promise<void> => {
      await discover(signal);
      await registry.load([source]);
    };
    const chosen = unlisted().filter(({ source }) => labels?.includes(source.label) ?? true);
    await Promise.all(chosen.map(load));
  };
