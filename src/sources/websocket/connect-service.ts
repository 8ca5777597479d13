/** Connects to a WebSocket service and logs in, with the secrets of a call or of a health check. */
import type { Runtime } from '../../contract/runtime.ts';
import type { ExternalSettings } from '../../contract/source-driver.ts';
import { resolveSecrets } from '../../kit/text/resolve-secrets.ts';
import { type MessageScope, type MessageTemplate, readPath } from './message-template.ts';
import {
  type ConnectionEvents,
  type LoginStep,
  type OpenConnection,
  openConnection,
} from './open-connection.ts';
import { ownSettings } from './websocket-settings.ts';

export interface ServiceDeps {
  readonly settings: ExternalSettings;
  readonly runtime: Runtime;
  readonly login: MessageTemplate | undefined;
  readonly maxMessageBytes: number;
  readonly heartbeatMs: number;
}

/** Gives the value of a secret. Rejects for one that is not there. */
type SecretOf = (key: string) => Promise<string>;

export const scopeOf = async (
  keys: readonly string[],
  input: unknown,
  secretOf: SecretOf,
): Promise<MessageScope> => {
  const secrets = new Map<string, string>();
  for (const key of keys) secrets.set(key, await secretOf(key));
  return { input, secret: (key) => secrets.get(key) ?? '' };
};

const loginStep = async (
  { settings, login }: ServiceDeps,
  secretOf: SecretOf,
): Promise<{ readonly login?: LoginStep }> => {
  const own = ownSettings(settings).login;
  if (!login || !own) return {};
  const text = JSON.stringify(login.fill(await scopeOf(login.secrets, undefined, secretOf)));
  const { replyField, replyValue } = own;
  if (replyField === undefined) return { login: { text } };
  return { login: { text, accepted: { path: readPath(replyField), value: replyValue ?? true } } };
};

/** Connects to an address that the guard has checked, and to no other. */
export const connectService = async (
  deps: ServiceDeps,
  { secretOf, address }: { readonly secretOf: SecretOf; readonly address: string },
  events: ConnectionEvents,
): Promise<OpenConnection> => {
  const { settings, runtime, maxMessageBytes, heartbeatMs } = deps;
  const { url, protocols = [] } = ownSettings(settings);
  const headers = await resolveSecrets(settings.headers, secretOf);
  const target = { url, address, protocols, headers, maxMessageBytes, heartbeatMs };
  return openConnection({ ...target, ...(await loginStep(deps, secretOf)) }, events, runtime);
};
