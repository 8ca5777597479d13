/** Credentials that belong to a host: sent there and nowhere else, whatever a caller asks for. */
import type { ToolContext } from '../contract/context.ts';
import { ToolFailure } from '../contract/errors.ts';

export interface HostCredential {
  /** The key under which the secrets port holds it. */
  readonly secret: string;
  /** `bearer` when absent. `header` sends the secret as it is. */
  readonly scheme?: 'bearer' | 'basic' | 'header';
  /** For `basic`. */
  readonly username?: string;
  /** For `header`; `authorization` when absent. */
  readonly header?: string;
}

/** By the host exactly as in the address, with the port where it is not the usual one. */
export type HostCredentials = Readonly<Record<string, HostCredential>>;

export const secretsOf = (credentials: HostCredentials): readonly string[] => [
  ...new Set(Object.values(credentials).map(({ secret }) => secret)),
];

/** As `URL` writes them: short, hexadecimal and octal spellings are gone by then. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const isPrivateChannel = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || LOOPBACK.test(hostname);

const headerValue = (
  { scheme = 'bearer', username = '' }: HostCredential,
  secret: string,
): string => {
  if (scheme === 'header') return secret;
  if (scheme === 'bearer') return `Bearer ${secret}`;
  return `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
};

/** Refuses a value that is no header. `Headers` would do so too, but with the value in its message. */
const assertSendable = (value: string, key: string): void => {
  if (/^[\t\x20-\x7e\x80-\xff]+$/.test(value)) return;
  throw new ToolFailure('AUTH_MISSING', `The secret ${key} cannot be sent in a header.`, {
    suggestions: [`Keep it without line breaks: toolcrib secrets set ${key}`],
  });
};

/**
 * Gives the header to add, or nothing for a host that has no credential. An address that others can
 * listen to gets none: the caller chooses the address, and must not be able to bring the secret out.
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
