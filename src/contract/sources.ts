/** The sources of tools beside MCP servers, as surfaces and the command line see them. */
import type { Source } from './source.ts';

export const SOURCE_KINDS = [
  'openapi',
  'graphql',
  'grpc',
  'websocket',
  'n8n',
  'package',
  'team',
] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

export type SourceState =
  /** Its definitions are known, and its tools are loaded. */
  | 'ready'
  /** Its definitions were never read. */
  | 'unread'
  /** The last reading failed; the tools loaded before stay. */
  | 'failed'
  | 'disabled'
  /** A person has to log in first. */
  | 'needs_login';

export interface SourceStatus {
  readonly name: string;
  readonly kind: SourceKind;
  readonly state: SourceState;
  /** Where it is, for people: an address without credentials, or a path. */
  readonly location: string;
  readonly tools: number;
  /** The organisation whose catalog it comes from; absent for the user's own. */
  readonly team?: string;
  /** What it offers that could not become a tool, and why. */
  readonly refused: readonly RefusedTool[];
  /** When its definitions were last read, in milliseconds. */
  readonly readAt?: number;
  readonly lastError?: string;
}

export interface RefusedTool {
  readonly name: string;
  readonly reason: string;
}

/** How the tools of a source differ from those before, by name. */
export interface SourceChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

export interface SourceRefresh {
  readonly status: SourceStatus;
  readonly change: SourceChange;
}

/** A source whose state people can see, and that can be read again. */
export interface ManagedSource extends Source {
  status(): SourceStatus;
  /** Reads its definitions again. Rejects with the reason of a failure; the tools loaded before stay. */
  refresh(signal: AbortSignal): Promise<SourceChange>;
  /** Reads its definitions, forgets them, and asks its service: nothing changes. Rejects with the reason. */
  test?(signal: AbortSignal): Promise<void>;
}

/** The sources of the configuration, and those that the program adds. */
export interface CribSources {
  /**
   * Lists the sources with their state. Reads none of them.
   *
   * @example
   * for (const { name, kind, state } of crib.sources.list()) console.log(name, kind, state);
   */
  list(): readonly SourceStatus[];
  /**
   * Reads the definitions of a source again and loads what changed. Changed tools wait for a person,
   * as the lock says. Rejects with NOT_FOUND, or with the reason why they could not be read.
   *
   * @example
   * const { change } = await crib.sources.refresh('petstore');
   * console.log(change.added, change.removed, change.changed);
   */
  refresh(name: string): Promise<SourceRefresh>;
  /**
   * Reads the definitions of a source to see whether that works, and asks its service where they lie
   * elsewhere; neither they nor the tools change. Rejects with NOT_FOUND, or with the reason.
   *
   * @example
   * const { state } = await crib.sources.test('petstore');
   */
  test(name: string, signal?: AbortSignal): Promise<SourceStatus>;
  /**
   * Adds a source for as long as the crib is open, with the settings that `sources.<kind>.<name>` takes
   * in the configuration. Rejects with CONFIG_INVALID, CONFLICT for a name that is taken, or the
   * reason why its definitions could not be read; then nothing is added.
   *
   * @example
   * await crib.sources.add('openapi', 'petstore', { document: 'https://example.com/openapi.json' });
   */
  add(kind: SourceKind, name: string, settings: unknown): Promise<SourceStatus>;
  /**
   * Removes a source and its tools until the crib is opened again.
   *
   * @example
   * await crib.sources.remove('petstore');
   */
  remove(name: string): Promise<void>;
}
