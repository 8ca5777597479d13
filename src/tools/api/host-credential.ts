/** A credential that belongs to a host: sent there, and nowhere else, whatever a caller asks for. */
import type { ToolContext } from '../../contract/context.ts';

export interface HostCredential {
  /** Exactly as in the address, with the port where it is not the usual one. */
  readonly host: string;
  /** The key under which the secrets port holds it. */
  readonly secret: string;
  readonly header?: string;
  /** What goes before it; `Bearer ` by default. */
  readonly prefix?: string;
}

/** The header to add, or nothing for a host that has no credential. */
export const headerFor = async (
  { host }: URL,
  credentials: readonly HostCredential[],
  { secret }: Pick<ToolContext, 'secret'>,
): Promise<{ readonly name: string; readonly value: string } | undefined> => {
  const own = credentials.find((each) => each.host.toLowerCase() === host);
  if (own === undefined) return undefined;
  const { header = 'authorization', prefix = 'Bearer ' } = own;
  return { name: header, value: `${prefix}${await secret(own.secret)}` };
};
