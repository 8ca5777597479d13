/** Tells the user's own MCP servers from those that a project configures. */
import type { LoadedConfig } from '../../trust/load-config.ts';

const PREFIX = 'mcp:';

/** Says whether the user configured the server. `origin` is a source's label, e.g. `mcp:github`. */
export const isUserServer = (
  { config, changes }: Pick<LoadedConfig, 'config' | 'changes'>,
  origin: string,
): boolean => {
  if (!origin.startsWith(PREFIX)) return false;
  const name = origin.slice(PREFIX.length);
  return (
    Object.hasOwn(config.mcp.servers, name) &&
    !changes.some(({ path }) => path.startsWith(`mcp.servers.${name}.`))
  );
};
