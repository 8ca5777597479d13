/** Opens the OAuth login of one remote MCP server; its tokens are in a configured vault. */
import type { Config } from '../config/schema.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { EgressInit } from '../governance/egress/create-egress.ts';
import { isLoopback } from '../kit/http/loopback.ts';
import type { ServerAuth } from '../sources/mcp/oauth/create-server-auth.ts';
import type { AuthServer } from '../sources/mcp/oauth/login-flow.ts';
import { openVault, type SecretDeps, type VaultName } from './open-secrets.ts';
import { openEgress, scopeOf } from './sources/open-egress.ts';

const VAULTS: readonly VaultName[] = ['file', 'keychain'];

/** Returns the first configured secret source that can be written to. */
const vaultOf = ({ secrets }: Pick<Config, 'secrets'>): VaultName =>
  VAULTS.find((name) => secrets.sources.includes(name)) ?? 'file';

export interface ServerAuthDeps extends SecretDeps {
  readonly config: Pick<Config, 'secrets' | 'egress'>;
  readonly runtime: Runtime;
  openBrowser(url: URL): Promise<void>;
}

/** The hosts of login pages on this machine, as rules of the egress guard: not all of 127/8. */
const OWN_MACHINE = ['localhost', '127.0.0.1', '::1'];

/** Allows any public host, because a login server may be anywhere; loopback only for a server on loopback. */
const guardedFetch = async (
  { url }: AuthServer,
  config: Pick<Config, 'egress'>,
): Promise<typeof fetch> => {
  const guard = await openEgress(config, isLoopback(new URL(url)) ? OWN_MACHINE : []);
  const scope = scopeOf(['*']);
  return (input, init) => guard.fetch(input, { ...init, scope } as EgressInit);
};

/** Opens the login. Reads no secret and sends no request before one is needed. */
export const openServerAuth = async (
  server: AuthServer,
  deps: ServerAuthDeps,
): Promise<ServerAuth> => {
  const { createServerAuth } = await import('../sources/mcp/oauth/create-server-auth.ts');
  const { runtime, openBrowser } = deps;
  const secrets = openVault(vaultOf(deps.config), deps);
  const fetch = await guardedFetch(server, deps.config);
  return createServerAuth({ server, secrets, runtime, fetch, openBrowser });
};
