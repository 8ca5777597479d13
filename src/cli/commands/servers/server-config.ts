/** Finds MCP servers in the configuration. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { LoadedConfig } from '../../../trust/load-config.ts';
import { type ConfigDeps, isSetByProject } from '../../session/config-edit.ts';

export type ServerSettings = LoadedConfig['config']['mcp']['servers'][string];

export const settingsOf = ({ loaded }: ConfigDeps, name: string): ServerSettings | undefined => {
  const { servers } = loaded.config.mcp;
  return Object.hasOwn(servers, name) ? servers[name] : undefined;
};

/** Finds the settings of a server. Fails with NOT_FOUND, and suggests a close name. */
export const requireServer = async (deps: ConfigDeps, name: string): Promise<ServerSettings> => {
  const settings = settingsOf(deps, name);
  if (settings) return settings;
  const names = Object.keys(deps.loaded.config.mcp.servers);
  const { closest, distance } = await import('fastest-levenshtein');
  const close = names.length === 0 ? undefined : closest(name, names);
  throw new ToolFailure('NOT_FOUND', 'No MCP server of this name is configured.', {
    suggestions: [
      ...(close !== undefined && distance(name, close) <= 2 ? [`Did you mean ${close}?`] : []),
      'See which there are: toolcrib servers',
      'Add one: toolcrib servers add <name> -- <command>',
    ],
  });
};

/** Tells whether the project defines how the server is reached. */
export const isOfProject = (deps: ConfigDeps, name: string): boolean =>
  isSetByProject(
    deps,
    ['command', 'url'].map((key) => `mcp.servers.${name}.${key}`),
  );
