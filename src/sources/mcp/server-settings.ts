/** What is configured for one server, complete, and what the servers are handed to work with. */
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { Elicit } from '../../contract/elicitation.ts';
import type { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { ServerTransport } from '../../contract/servers.ts';
import type { AssignedFlow, Tier } from '../../contract/tool.ts';
import type { TextStream } from './stdio/stderr-tail.ts';

export interface ServerSettings {
  readonly name: string;
  readonly transport: ServerTransport;
  /** Somebody chose the transport; otherwise a remote server may also speak the older one. */
  readonly isTransportChosen: boolean;
  readonly enabled: boolean;
  readonly command: string;
  readonly args: readonly string[];
  /** Values may refer to secrets: `${secret:KEY}`. So may those of `headers`. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Empty for stdio. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The user's word. What a server says of its own tools changes nothing. */
  readonly tier: Tier;
  readonly toolTiers: Readonly<Record<string, Tier>>;
  /** What the user says of the results of its tools, and of single ones. */
  readonly labels?: Partial<AssignedFlow>;
  readonly toolLabels?: Readonly<Record<string, Partial<AssignedFlow>>>;
  /** How long a request may go without an answer or a sign of progress. */
  readonly timeoutMs: number;
  /** How long a call may take, progress or not. */
  readonly maxCallMs: number;
  readonly startTimeoutMs: number;
  /** How long the first start may take, which may have to load packages; `startTimeoutMs` when absent. */
  readonly firstStartTimeoutMs?: number;
  readonly maxRestarts: number;
  readonly healthCheckIntervalMs: number;
  readonly idleMs: number;
  readonly maxMessageBytes: number;
  readonly maxOutputBytes: number;
  /** The server may be told the folder it works in. */
  readonly roots: boolean;
  /** The server may ask the model of the client whose call runs; absent means no. */
  readonly sampling?: boolean;
  /** Started behind walls; without it a program can do what its user can. */
  readonly sandbox?: ServerSandbox;
}

/** What a program that is started here can see and use of this machine. */
export interface ServerSandbox {
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly hosts: readonly string[];
  readonly memoryMb?: number;
  readonly processes?: number;
  /** Somebody chose the folder it starts in. */
  readonly isCwdChosen: boolean;
}

export interface ConfineRequest extends ServerSandbox {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How to start a program so that it is confined. */
export interface ConfinedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** To be read from the descriptors 3, 4 and so on. */
  readonly data: readonly Uint8Array[];
  watch(
    pid: number,
    events: { onLimit(failure: ToolFailure): void; onNote(line: string): void },
  ): void;
  /** Once nothing of it runs any more. Never rejects. */
  close(): Promise<void>;
}

/** The part of a WebSocket that a transport needs. */
export interface WebSocketLike {
  send(data: string): void;
  close(): void;
  addEventListener(
    type: 'message' | 'close' | 'error' | 'open',
    listener: (event: { readonly data?: unknown }) => void,
  ): void;
}

/**
 * What is done about a server whose tools are not known yet. `waiting`: it is started and waited for as
 * long as a start may take. `briefly`: it is started and waited for a moment, and not started again
 * for a while when it was that late before. `background`: it is started, nothing waits, and its
 * tools come with a change. `never`: it is not started.
 */
export type ListingStart = 'waiting' | 'briefly' | 'background' | 'never';

export interface McpDeps {
  readonly runtime: Runtime;
  readonly platform: NodeJS.Platform;
  /** The environment of this process, of which servers get very little. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The workspace, absolute. */
  readonly root: string;
  /** Where definitions are kept between runs; nowhere when absent. */
  readonly cacheDir?: string;
  /** How servers that were never listed are started to list their tools; `waiting` when absent. */
  readonly listing?: ListingStart;
  /** How this program introduces itself. */
  readonly clientVersion: string;
  secret(key: string): Promise<string | undefined>;
  /** For whatever a server writes that people may read. */
  redact(text: string): string;
  readonly redactStream?: () => TextStream;
  /** Learns the secrets that there are, so that no server's words show one. Never rejects. */
  learnSecrets?(): Promise<void>;
  /** The only way to the host of this server. */
  fetchFor(settings: ServerSettings): typeof globalThis.fetch;
  webSocketFor(
    settings: ServerSettings,
    headers: Readonly<Record<string, string>>,
  ): Promise<WebSocketLike>;
  /** Rejects with SANDBOX_ERROR when this machine cannot confine the program. */
  confine?(order: ConfineRequest): Promise<ConfinedStart>;
  authFor?(settings: ServerSettings): AuthProvider | undefined;
  /** Asks a person. Without one, every question of a server is declined. */
  readonly elicit?: Elicit;
  /** What a name says of its value: servers must not ask for secrets. */
  nameKind(name: string): 'plain' | 'maybe' | 'token' | 'password';
}
