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
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** In bytes, as the server says. */
  readonly size?: number;
  readonly annotations?: ResourceAnnotations;
}

/** For whom a resource is, how much it matters (0 to 1), and when it changed, as the server says. */
export interface ResourceAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  readonly priority?: number;
  readonly lastModified?: string;
}

export interface ServerTemplate extends Omit<ServerResource, 'uri' | 'size'> {
  /** RFC 6570, as the server has it. */
  readonly uriTemplate: string;
}

/** An argument of a prompt or a variable of a template, as far as it was typed. */
export interface CompletionAsked {
  readonly of: { readonly prompt: string } | { readonly template: string };
  readonly argument: string;
  readonly typed: string;
  /** Arguments that are settled already. */
  readonly given?: Readonly<Record<string, string>>;
}

/** Which list of the servers may have changed. */
export type ServerList = 'resources' | 'prompts';

export interface ServerPrompt {
  readonly server: string;
  readonly name: string;
  readonly title?: string;
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
  templates(): Promise<readonly ServerTemplate[]>;
  /** Values that start with what was typed; none from a server that offers no completions. */
  complete(server: string, asked: CompletionAsked): Promise<readonly string[]>;
  /**
   * Calls back when the resource changed; returns how to stop. The server is kept running meanwhile.
   * Fails when it offers no subscriptions.
   */
  subscribe(server: string, uri: string, changed: () => void): Promise<() => void>;
  /** Calls back when a list may have changed; returns how to stop. */
  watch(changed: (list: ServerList) => void): () => void;
  prompts(): Promise<readonly ServerPrompt[]>;
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
  ): Promise<PromptText>;
}
