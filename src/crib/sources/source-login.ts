/**
 * The OAuth login of a source, on the login flow of MCP servers. Where to log in comes from the
 * configuration, or from the API itself; an OpenAPI document has no say in it.
 */
import { readEnvironment } from '../../config/read-environment.ts';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { ExternalSettings, SourceTokens } from '../../contract/source-driver.ts';
import { compact } from '../../kit/data/compact.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import type { ServerAuth } from '../../sources/mcp/oauth/create-server-auth.ts';
import type { AuthServer } from '../../sources/mcp/oauth/login-flow.ts';

export interface SourceLoginDeps {
  readonly config: Config;
  readonly runtime: Runtime;
  /** The user's folder, absolute. */
  readonly home: string;
  secret(key: string): Promise<string | undefined>;
  openBrowser(url: URL): Promise<void>;
}

const settingText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** Finds the scheme that a person logs in with; `undefined` when the source has none. */
const loginScheme = ({ own }: ExternalSettings): Readonly<Record<string, unknown>> | undefined => {
  const auth = isRecord(own) ? own.auth : undefined;
  const schemes = isRecord(auth) ? Object.values(auth) : [];
  return schemes.filter(isRecord).find(({ login }) => login === true);
};

/** Tells whether a person logs in to a source with OAuth. */
export const hasLogin = (settings: ExternalSettings): boolean =>
  loginScheme(settings) !== undefined;

const addressOf = ({ own, name }: ExternalSettings): string => {
  const { baseUrl, document, url } = isRecord(own) ? own : {};
  const address = [baseUrl, url, document].find(
    (text): text is string => typeof text === 'string' && /^https?:/i.test(text),
  );
  if (address !== undefined) return address;
  throw new ToolFailure('CONFIG_INVALID', `The source ${name} has no address to log in to.`, {
    suggestions: ['Set "baseUrl" of the source to the address of the API.'],
  });
};

const serverOf = async (
  settings: ExternalSettings,
  { secret }: Pick<SourceLoginDeps, 'secret'>,
): Promise<AuthServer> => {
  const scheme = loginScheme(settings) ?? {};
  const [clientId, key] = [settingText(scheme.clientId), settingText(scheme.clientSecret)];
  const clientSecret = key === undefined ? undefined : await secret(key);
  const [authorization, token] = [
    settingText(scheme.authorizationUrl),
    settingText(scheme.tokenUrl),
  ];
  const { scopes, redirectPort } = scheme;
  return {
    // No name of an MCP server has a colon, so the two never share a login.
    name: `source:${settings.name}`,
    url: addressOf(settings),
    loginCommand: `toolcrib sources login ${settings.name}`,
    ...compact({ clientId, clientSecret }),
    ...(Array.isArray(scopes) && { scope: scopes.join(' ') }),
    ...(typeof redirectPort === 'number' && { redirectPort }),
    ...(authorization !== undefined &&
      token !== undefined && { endpoints: { authorization, token } }),
  };
};

/** Opens the login of a source: logging in and out, its state, and the tokens of its requests. */
export const openSourceLogin = async (
  settings: ExternalSettings,
  deps: SourceLoginDeps,
): Promise<ServerAuth> => {
  const { openServerAuth } = await import('../open-server-auth.ts');
  const { config, runtime, home, openBrowser } = deps;
  const env = readEnvironment();
  const server = await serverOf(settings, deps);
  return openServerAuth(server, { config, runtime, home, env, openBrowser });
};

/**
 * Makes the tokens of a source's requests. A request opens no browser: without a login it fails.
 */
export const loginTokens = (
  settings: ExternalSettings,
  deps: Omit<SourceLoginDeps, 'openBrowser'> & { learn(credential: string): void },
): SourceTokens => {
  const openBrowser = async (): Promise<void> => {
    throw new ToolFailure('AUTH_MISSING', 'A person has to log in first.', {
      suggestions: [`Log in: toolcrib sources login ${settings.name}`],
    });
  };
  const opened = lazyAsync(() => openSourceLogin(settings, { ...deps, openBrowser }));
  return {
    async token() {
      const token = await (await opened()).provider.token();
      if (token !== undefined) {
        deps.learn(token);
        return token;
      }
      const { name } = settings;
      throw new ToolFailure('AUTH_MISSING', `Nobody has logged in to ${name}.`, {
        suggestions: [`Log in: toolcrib sources login ${name}`],
      });
    },
    refused: async () => (await opened()).refused(),
  };
};
