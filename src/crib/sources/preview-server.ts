/**
 * Previews an MCP server before it is added: starts it with a temporary cache, lists its tools and ends
 * it. Writes nothing into the user's folder.
 */
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Secrets } from '../../contract/secrets.ts';
import { secretKeysOf } from '../../kit/text/resolve-secrets.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { createSecretChain } from '../../secrets/chain.ts';
import { openSecrets } from '../open-secrets.ts';
import { withPreviewCrib } from './preview-crib.ts';
import {
  emptyLike,
  lookAt,
  type PreviewDeps,
  type SourcePreview,
  statesOf,
} from './preview-source.ts';

type ServerConfig = Config['mcp']['servers'][string];

const onlyServer = (config: Config, name: string, server: ServerConfig): Config => ({
  ...config,
  sources: emptyLike(config.sources),
  mcp: { ...config.mcp, enabled: true, servers: { [name]: { ...server, enabled: true } } },
  registry: { ...config.registry, lock: 'off', autoDiscovery: true },
});

const MAX_QUOTED = 3;
const MAX_LINE = 200;
/** Matches lines of a stack trace, which do not help somebody who only starts the program. */
const FRAME = /^\s*(?:at\s|$|[\^~{}]+\s*$|Node\.js v)/;

/** Adds the server's own output to a failure: it is not configured, so its log cannot be read later. */
const withOutput = (
  error: unknown,
  servers: Pick<CribHost['servers'], 'logs'>,
  name: string,
): unknown => {
  if (!(error instanceof ToolFailure)) return error;
  const lines = servers.logs(name).filter((line) => !FRAME.test(line));
  const faults = lines.filter((line) => /error|cannot|not found|denied|missing/i.test(line));
  const quoted = (faults.length > 0 ? faults : lines).slice(-MAX_QUOTED);
  const others = (error.extras.suggestions ?? []).filter((text) => !text.includes('servers logs'));
  const suggestions = [
    ...quoted.map((line) => `It wrote: ${visibleText(line.trim().slice(0, MAX_LINE))}`),
    ...(others.length > 0 ? others : ['Check the address, or the command and its arguments.']),
  ];
  return new ToolFailure(error.code, error.message, { ...error.extras, suggestions });
};

/** Previews a server. Rejects with the reason why it does not answer. */
export const previewServer = async (
  { name, server }: { readonly name: string; readonly server: ServerConfig },
  deps: PreviewDeps,
): Promise<SourcePreview> => {
  const { config, home, project, runtime } = deps;
  const secrets: Secrets =
    deps.secrets ?? createSecretChain(openSecrets({ config, env: readEnvironment(), home }));
  const settings = onlyServer(config, name, server);
  return withPreviewCrib({ settings, root: project, secrets, runtime }, async (crib) => {
    try {
      await crib.servers.test(name);
      await crib.discoverTools(AbortSignal.timeout(config.mcp.startTimeoutMs), [name]);
    } catch (error) {
      throw withOutput(error, crib.servers, name);
    }
    const { keys, ...look } = await lookAt(crib.tools, deps);
    const location = server.url ?? [server.command, ...(server.args ?? [])].join(' ');
    const ownKeys = secretKeysOf({ ...server.env, ...server.headers });
    const states = await statesOf([...new Set([...ownKeys, ...keys])], async (key) =>
      secrets.get(key),
    );
    return { location, ...look, refused: [], secrets: states };
  });
};
