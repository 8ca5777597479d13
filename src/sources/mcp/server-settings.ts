/** The complete settings of one server, and the dependencies of all servers. */
import type { AuthProvider } from '@modelcontextprotocol/client';
import type { Elicit } from '../../contract/elicitation.ts';
import type { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { ServerNotification, ServerTransport } from '../../contract/servers.ts';
import type { AssignedFlow, Tier } from '../../contract/tool.ts';
import type { TextStream } from './stdio/stderr-tail.ts';

export interface ServerSettings {
  readonly name: string;
  readonly transport: ServerTransport;
  /** The user chose the transport; otherwise the older one is tried as well for a remote server. */
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
  /** Set by the user. What a server says of its own tools does not change it. */
  readonly tier: Tier;
  readonly toolTiers: Readonly<Record<string, Tier>>;
  /** Labels that the user gives to the results of all its tools, and of single ones. */
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
  /** Confines the program; without it the program can do what its user can. */
  readonly sandbox?: ServerSandbox;
}

/** What a confined program can see and use of this machine. */
export interface ServerSandbox {
  /** Absolute paths. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  readonly hosts: readonly string[];
  readonly memoryMb?: number;
  readonly processes?: number;
  /** The user chose the folder that it starts in. */
  readonly isCwdChosen: boolean;
}

export interface ConfineRequest extends ServerSandbox {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** How to start a program confined. */
export interface ConfinedStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly identity?: { readonly uid: number; readonly gid: number };
  /** Passed to the program on the descriptors 3, 4 and so on. */
  readonly data: readonly Uint8Array[];
  watch(
    pid: number,
    events: { onLimit(failure: ToolFailure): void; onNote(line: string): void },
  ): void;
  /** Called once all its processes have ended. Never rejects. */
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
 * How a server whose tools are not known yet is listed. `waiting`: start it and wait as long as a start
 * may take. `briefly`: start it and wait a moment; one that was that late before is not started for
 * a while. `background`: start it without waiting; its tools come with a change. `never`: do not start it.
 */
export type ListingStart = 'waiting' | 'briefly' | 'background' | 'never';

export interface McpDeps {
  readonly runtime: Runtime;
  readonly platform: NodeJS.Platform;
  /** The environment of this process; servers get few of its variables. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The workspace, absolute. */
  readonly root: string;
  /** Where definitions are cached between runs; nowhere when absent. */
  readonly cacheDir?: string;
  /** How servers that were never listed are listed; `waiting` when absent. */
  readonly listing?: ListingStart;
  /** The version in the handshake. */
  readonly clientVersion: string;
  secret(key: string): Promise<string | undefined>;
  /** Redacts text of a server that people may read. */
  redact(text: string): string;
  readonly redactStream?: () => TextStream;
  /** Loads all secrets into the redactor, so that no text of a server shows one. Never rejects. */
  learnSecrets?(): Promise<void>;
  /** Gives the only fetch that reaches the host of this server. */
  fetchFor(settings: ServerSettings): typeof globalThis.fetch;
  webSocketFor(
    settings: ServerSettings,
    headers: Readonly<Record<string, string>>,
  ): Promise<WebSocketLike>;
  /** Rejects with SANDBOX_ERROR when this machine cannot confine the program. */
  confine?(request: ConfineRequest): Promise<ConfinedStart>;
  authFor?(settings: ServerSettings): AuthProvider | undefined;
  /** Called with what servers report by themselves. */
  notified?(server: string, notification: ServerNotification): void;
  /** Asks a person. Without one, every question of a server is declined. */
  readonly elicit?: Elicit;
  /** Classifies a field by its name: servers must not ask for secrets. */
  nameKind(name: string): 'plain' | 'maybe' | 'token' | 'password';
}
