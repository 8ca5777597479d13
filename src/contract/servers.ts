/** The MCP servers behind the crib, as surfaces and the command line see them. */

export type ServerTransport = 'stdio' | 'http' | 'sse' | 'websocket';

export type ServerState =
  /** Known from the last time; started when something needs it. */
  | 'idle'
  | 'starting'
  | 'ready'
  /** Died; the next start waits for its backoff. */
  | 'restarting'
  /** Given up after too many restarts, until its cool-down is over or somebody restarts it. */
  | 'open'
  | 'disabled'
  | 'needs_login';

export interface ServerStatus {
  readonly name: string;
  readonly transport: ServerTransport;
  readonly state: ServerState;
  readonly tools: number;
  readonly resources: number;
  readonly prompts: number;
  readonly restarts: number;
  /** Of the running process, if there is one. */
  readonly pid?: number;
  /** As negotiated, e.g. `2026-07-28`. */
  readonly protocol?: string;
  readonly lastError?: string;
  /** Milliseconds of the last ping. */
  readonly latencyMs?: number;
  readonly startedAt?: number;
}

export interface ServerResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

export interface ServerPrompt {
  readonly server: string;
  readonly name: string;
  readonly description?: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

export interface ResourceText {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** Base64. */
  readonly blob?: string;
}

export interface PromptText {
  readonly description?: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: unknown }[];
}

export interface Servers {
  list(): readonly ServerStatus[];
  /** Starts it if need be, pings it and lists what it has. Fails with SERVER_ERROR. */
  test(name: string): Promise<ServerStatus>;
  /** The last lines it wrote to stderr, redacted, oldest first. */
  logs(name: string): readonly string[];
  restart(name: string): Promise<ServerStatus>;
  resources(): Promise<readonly ServerResource[]>;
  readResource(server: string, uri: string): Promise<readonly ResourceText[]>;
  prompts(): Promise<readonly ServerPrompt[]>;
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
  ): Promise<PromptText>;
}
