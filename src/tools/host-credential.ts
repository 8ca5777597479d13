/** Credentials of hosts: each is sent to its host only, whatever a caller asks for. */
import type { ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';
import { isLoopback } from '../kit/http/loopback.ts';

export interface HostCredential {
  /** The key of the secret. */
  readonly secret: string;
  /** `bearer` when absent. `header` sends the secret unchanged. */
  readonly scheme?: 'bearer' | 'basic' | 'header';
  /** The user name of `basic`. */
  readonly username?: string;
  /** The header of `header`; `authorization` when absent. */
  readonly header?: string;
}

/** Credentials by the host as written in the address, with the port when it is not the default. */
export type HostCredentials = Readonly<Record<string, HostCredential>>;

export const secretsOf = (credentials: HostCredentials): readonly string[] => [
  ...new Set(Object.values(credentials).map(({ secret }) => secret)),
];

const isPrivateChannel = (url: URL): boolean => url.protocol === 'https:' || isLoopback(url);

const headerValue = (
  { scheme = 'bearer', username = '' }: HostCredential,
  secret: string,
): string => {
  if (scheme === 'header') return secret;
  if (scheme === 'bearer') return `Bearer ${secret}`;
  return `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
};

/** Refuses a value that cannot be a header. `Headers` would too, but with the value in its message. */
const assertSendable = (value: string, key: string): void => {
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(value)) return;
  throw new ToolFailure('AUTH_MISSING', `The secret ${key} cannot be sent in a header.`, {
    suggestions: [`Keep it without line breaks: toolcrib secrets set ${key}`],
  });
};

/**
 * Makes the header to add; `undefined` for a host without a credential. Without https, only this machine
 * gets one: the caller chooses the address and could use another to read the secret.
 */
export const headerFor = async (
  address: URL,
  credentials: HostCredentials,
  context: Pick<ToolContext, 'secret' | 'warn'>,
): Promise<{ readonly name: string; readonly value: string } | undefined> => {
  const own = Object.hasOwn(credentials, address.host) ? credentials[address.host] : undefined;
  if (own === undefined) return undefined;
  if (!isPrivateChannel(address)) {
    context.warn('The credential of this host was not sent: it is sent over https only.');
    return undefined;
  }
  const secret = (await context.secret(own.secret)).trim();
  const name = own.scheme === 'header' ? (own.header ?? 'authorization') : 'authorization';
  const value = headerValue(own, secret);
  assertSendable(secret === '' ? '' : value, own.secret);
  return { name, value };
};
