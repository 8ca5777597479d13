/** The port to the MCP servers as the configuration files have them. Changes count from the next start. */
import type { ServerTransport } from '../../contract/servers.ts';
import type { Tier } from '../../contract/tool.ts';

export interface NewServer {
  readonly name: string;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly url?: string | undefined;
  readonly transport?: ServerTransport | undefined;
  readonly tier?: Tier | undefined;
}

export interface ConfiguredServer {
  readonly name: string;
  /** The command line or the address; what may be secret is hidden. */
  readonly reach: string;
  /** The tier of its tools, where one is set for all of them. */
  readonly tier?: Tier;
  readonly isOfProject: boolean;
  /** How the file differs from what this process was started with. */
  readonly pending?: 'added' | 'changed' | 'removed';
}

export interface ServerChange {
  readonly servers: readonly string[];
  /** What a person should know, without any value. */
  readonly notes: readonly string[];
}

/** A server of another program, as it would be taken in. */
export interface ImportOffer {
  readonly name: string;
  /** The program it was found at, if that is known, and its file. */
  readonly client?: string;
  readonly file: string;
  readonly outcome: 'new' | 'same' | 'refused';
  readonly reason?: string;
  readonly reach?: string;
  /** Variables and headers whose values are kept as secrets. */
  readonly secrets: readonly string[];
  readonly notes: readonly string[];
  /** Names exactly this definition: what changes before it is taken is not taken. */
  readonly digest: string;
}

/**
 * Every change goes through the checks of the command line and is put on record with who made it.
 * Fails with VALIDATION_ERROR, CONFLICT, NOT_FOUND or PERMISSION_DENIED.
 */
export interface ServerEditor {
  list(): Promise<readonly ConfiguredServer[]>;
  add(server: NewServer, by: string): Promise<ServerChange>;
  remove(name: string, by: string): Promise<ServerChange>;
  setTier(name: string, tier: Tier, by: string): Promise<ServerChange>;
  /** Lists the servers of other programs of this user. Changes nothing. */
  offers(): Promise<readonly ImportOffer[]>;
  take(
    offers: readonly { readonly name: string; readonly digest: string }[],
    by: string,
  ): Promise<ServerChange>;
}
