/** Distinguishes the user's own MCP servers and other sources of tools from those that a project configures. */
import type { LoadedConfig } from '../../trust/load-config.ts';

/** Returns the path of a source in the configuration. `origin` is its label, e.g. `mcp:github`. */
const pathOf = ({ config }: Pick<LoadedConfig, 'config'>, origin: string): string | undefined => {
  const at = origin.indexOf(':');
  const [kind, name] = [origin.slice(0, at), origin.slice(at + 1)];
  if (kind === 'mcp') {
    return Object.hasOwn(config.mcp.servers, name) ? `mcp.servers.${name}.` : undefined;
  }
  const { sources } = config;
  const named: object = Object.hasOwn(sources, kind) ? sources[kind as keyof typeof sources] : {};
  return Object.hasOwn(named, name) ? `sources.${kind}.${name}.` : undefined;
};

/** Tells whether the user configured the source. `origin` is its label, e.g. `openapi:petstore`. */
export const isUserServer = (
  loaded: Pick<LoadedConfig, 'config' | 'changes'>,
  origin: string,
): boolean => {
  const start = pathOf(loaded, origin);
  return start !== undefined && !loaded.changes.some(({ path }) => path.startsWith(start));
};
