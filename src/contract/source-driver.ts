/** The port of a kind of API: how its definitions are read, and how they become tools. */
import type { ToolContext } from './context.ts';
import type { Runtime } from './runtime.ts';
import type { JsonSchema, Schema } from './schema.ts';
import type { RefusedTool, SourceKind } from './sources.ts';
import type { AssignedFlow, Tier, Tool } from './tool.ts';
import type { RateLimit } from './tool-limits.ts';

/** The settings that sources of every kind have. */
export interface ExternalSettings {
  readonly name: string;
  readonly kind: SourceKind;
  readonly enabled: boolean;
  /** Set by the user for all tools; by the kind of operation when absent. */
  readonly tier?: Tier;
  /** What the user says of single tools, by the name that the source gives them. */
  readonly toolTiers: Readonly<Record<string, Tier>>;
  readonly labels?: Partial<AssignedFlow>;
  readonly toolLabels?: Readonly<Record<string, Partial<AssignedFlow>>>;
  /** How long a call may take. */
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
  /** How often one caller may call its tools, all together. */
  readonly rateLimit?: RateLimit;
  /** Sent with every request; values may refer to secrets: `${secret:KEY}`. */
  readonly headers: Readonly<Record<string, string>>;
  /** What only this kind has, as its section of the configuration describes it. */
  readonly own: unknown;
}

/** What reading the definitions may use. Every request goes through the egress guard. */
export interface ReadDeps {
  readonly runtime: Runtime;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Reaches any public host, and hosts on this machine that the configuration names. */
  readonly fetch: typeof globalThis.fetch;
  /** Resolves a host to the checked address to connect to, for protocols other than HTTP. */
  resolveHost(host: string, port: number): Promise<string>;
  /** Reads a file that the configuration names, no device or pipe; paths are relative to the project. */
  readFile(path: string, limits?: FileLimits): Promise<Uint8Array>;
  /** Gives the absolute path of such a file. */
  absolutePath(path: string): string;
  /** Reads a secret; `undefined` when there is none under this key. */
  secret(key: string): Promise<string | undefined>;
  redact(text: string): string;
}

export interface FileLimits {
  readonly maxBytes?: number;
  /** A folder that no link may lead out of, for files that other files name. */
  readonly within?: string;
}

/** What was read of a source. */
export interface SourceReading<D> {
  /** Plain JSON: it is cached, so that the next start reads nothing. */
  readonly definition: D;
  /** Absolute paths of the files that were read; a change of one causes another reading. */
  readonly files: readonly string[];
}

/** An access token of a person's login or of client credentials. */
export interface SourceTokens {
  /** Gives an access token. Rejects with AUTH_MISSING where a person has to log in first. */
  token(signal: AbortSignal): Promise<string>;
  /** Tells that the service did not accept the token, so that the next call gets another one. */
  refused(): Promise<void>;
}

export interface BuildDeps {
  readonly runtime: Runtime;
  redact(text: string): string;
  /** Hides a value that is a credential from everything that leaves a call. */
  learn?(credential: string): void;
  /** Reports what cannot become a tool, and why. */
  refuse(refused: RefusedTool): void;
  /** Compiles a schema of the source; parts that cannot be checked safely are left out. */
  compile?(schema: JsonSchema): Promise<Schema>;
  /**
   * Resolves a host like `resolveHost` of the reading, for health checks, which have no context.
   */
  resolveHost?(host: string, port: number): Promise<string>;
  /** For health checks, which have no context: reaches what reading reaches. */
  readonly probe?: typeof globalThis.fetch;
  /** The tokens of an OAuth login; absent where the source has none. */
  readonly tokens?: SourceTokens;
}

export interface SourceDriver<D = unknown> {
  readonly kind: SourceKind;
  /** Says where the source is, for people: without credentials. */
  locationOf(settings: ExternalSettings): string;
  read(settings: ExternalSettings, deps: ReadDeps): Promise<SourceReading<D>>;
  /**
   * Makes the tools of a definition. Does no I/O; a request is made by `run`, with the `fetch` and the
   * secrets of its context. Returns nothing for a definition that this version cannot read.
   */
  build(definition: D, settings: ExternalSettings, deps: BuildDeps): readonly Tool[] | undefined;
  /**
   * Asks whether the service itself answers, where reading does not ask it, or not always. Rejects with
   * what is wrong.
   */
  ping?(definition: D, settings: ExternalSettings, deps: ReadDeps): Promise<void>;
  close?(): Promise<void>;
}

/** The part of the context that a request takes. */
export type RequestContext = Pick<ToolContext, 'fetch' | 'secret' | 'signal' | 'warn'>;
