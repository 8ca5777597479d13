/** Tells the user's own MCP servers from those that a project configures. */
import type { LoadedConfig } from '../../trust/load-config.ts';

const PREFIX = 'mcp:';

/** `origin` is the label of a source, e.g. `mcp:github`. A server of the project shows among its changes. */
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
