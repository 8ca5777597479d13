/** The MCP servers behind the crib, as surfaces and the command line see them. */
import type { CallAs } from './call-options.ts';
import type { AssignedFlow } from './tool.ts';

export const SERVER_TRANSPORTS = ['stdio', 'http', 'sse', 'websocket'] as const;

export type ServerTransport = (typeof SERVER_TRANSPORTS)[number];

export type ServerState =
  /** Does not run; what it offers is known from its last run, and it starts when something needs it. */
  | 'idle'
  | 'starting'
  | 'ready'
  /** Died; the next start waits for its backoff. */
  | 'restarting'
  /** Given up after too many restarts, until its cool-down ends or somebody restarts it. */
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
  /** The labels of what is read from it, and whether requests to it carry data out: as for its tools. */
  readonly labels: AssignedFlow;
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

/**
 * The requests that a program may send to a server itself. All of them only read: `tools/call` is not
 * among them, because a call that does not go through the pipeline would be judged by nobody.
 */
export const SERVER_METHODS = [
  'ping',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'prompts/get',
  'completion/complete',
] as const;
export type ServerMethod = (typeof SERVER_METHODS)[number];

export interface ServerRequest {
  readonly method: ServerMethod;
  /** As the protocol has them. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A server as `mcp.servers.<name>` of the configuration describes it, with its name. */
export interface NewServerConfig {
  readonly name: string;
  /** The program to start; give this or `url`. */
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The address of a server that is running. */
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Every other setting of a server. */
  readonly [setting: string]: unknown;
}

/** What a server reported by itself. Its texts come from outside and are not trusted. */
export interface ServerNotification {
  /** As the protocol names it, e.g. `notifications/tools/list_changed`. */
  readonly method: string;
  /** The resource that changed. */
  readonly uri?: string;
  /** Of a log message. */
  readonly level?: string;
  /** A log message, redacted and cut. */
  readonly text?: string;
}

/** Who reads from a server, and how. The answer is always that of the server, and the whole of it. */
export type ReadAs = Omit<CallAs, 'dryRun' | 'audience'>;

/** The MCP servers of the configuration. They start when something needs them. */
export interface Servers {
  /**
   * Lists the servers with their state. Starts none.
   *
   * @example
   * for (const { name, state, tools } of crib.servers.list()) console.log(name, state, tools);
   */
  list(): readonly ServerStatus[];
  /**
   * Starts a server if need be, pings it and lists what it has. Fails with SERVER_ERROR.
   *
   * @example
   * const { state, latencyMs } = await crib.servers.test('github');
   */
  test(name: string): Promise<ServerStatus>;
  /**
   * Gives the last lines a server wrote to stderr, redacted, oldest first.
   *
   * @example
   * console.log(crib.servers.logs('github').join('\n'));
   */
  logs(name: string): readonly string[];
  /**
   * Ends a server and starts it anew; its failures are forgotten.
   *
   * @example
   * const { state } = await crib.servers.restart('github');
   */
  restart(name: string): Promise<ServerStatus>;
  /**
   * Starts a server that the configuration does not have, for as long as the crib is open, and loads its
   * tools; the lock holds them until somebody accepts them. Rejects with CONFIG_INVALID, CONFLICT for a
   * name that is taken, PERMISSION_DENIED where servers are switched off, or the reason why it does
   * not answer; then nothing is added.
   *
   * @example
   * await crib.servers.connect({ name: 'files', command: 'npx', args: ['-y', 'some-server'] });
   */
  connect(server: NewServerConfig): Promise<ServerStatus>;
  /**
   * Ends a server and removes its tools until the crib is opened again. Rejects with NOT_FOUND.
   *
   * @example
   * await crib.servers.disconnect('files');
   */
  disconnect(name: string): Promise<void>;
  /**
   * Sends a request that only reads, and gives the answer as the server sent it. It comes from outside
   * and is not trusted. Rejects with PERMISSION_DENIED for any other method, OUTPUT_TOO_LARGE,
   * TIMEOUT or SERVER_ERROR.
   *
   * @example
   * const { tools } = await crib.servers.request('files', { method: 'tools/list' });
   */
  request(name: string, request: ServerRequest): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Lists the resources of all servers, or of the named one. A server that fails contributes an empty list.
   *
   * @example
   * for (const { server, uri } of await crib.servers.resources()) console.log(server, uri);
   */
  resources(server?: string): Promise<readonly ServerResource[]>;
  /**
   * Reads a resource. Its text comes from outside and is not trusted. With `as` it is a call of that caller:
   * judged, recorded, labelled and redacted like one of a tool; rejects where it is refused.
   *
   * @example
   * const [first] = await crib.servers.readResource('github', 'repo://readme');
   * console.log(first?.text);
   */
  readResource(server: string, uri: string, as?: ReadAs): Promise<readonly ResourceText[]>;
  /**
   * Lists the templates of resources of all servers, or of the named one.
   *
   * @example
   * for (const { uriTemplate } of await crib.servers.templates()) console.log(uriTemplate);
   */
  templates(server?: string): Promise<readonly ServerTemplate[]>;
  /**
   * Gives values that start with what was typed; none from a server that offers no completions. `as` is as
   * for `readResource`; where a person would have to be asked there are no values, and nobody is asked.
   *
   * @example
   * const asked = { of: { prompt: 'review' }, argument: 'branch', typed: 'ma' };
   * console.log(await crib.servers.complete('github', asked));
   */
  complete(server: string, asked: CompletionAsked, as?: ReadAs): Promise<readonly string[]>;
  /**
   * Calls back when the resource changed; returns how to stop. The server is kept running meanwhile.
   * Fails when it offers no subscriptions. `as` is as for `readResource`.
   *
   * @example
   * const stop = await crib.servers.subscribe('github', 'repo://readme', () => console.log('changed'));
   * stop();
   */
  subscribe(server: string, uri: string, changed: () => void, as?: ReadAs): Promise<() => void>;
  /**
   * Calls back when a list may have changed; returns how to stop.
   *
   * @example
   * const stop = crib.servers.watch((list) => console.log(list));
   * stop();
   */
  watch(changed: (list: ServerList) => void): () => void;
  /**
   * Lists the prompts of all servers, or of the named one.
   *
   * @example
   * for (const { server, name } of await crib.servers.prompts()) console.log(server, name);
   */
  prompts(server?: string): Promise<readonly ServerPrompt[]>;
  /**
   * Fills a prompt in. Its text comes from outside and is not trusted. `as` is as for `readResource`.
   *
   * @example
   * const { messages } = await crib.servers.getPrompt('github', 'review', { branch: 'main' });
   */
  getPrompt(
    server: string,
    name: string,
    args: Readonly<Record<string, string>>,
    as?: ReadAs,
  ): Promise<PromptText>;
}

/**
 * Says how long opening a crib waits for servers whose tools it does not know. `true` waits as long as a start
 * may take.
 */
export type StartServers = boolean | 'briefly' | 'background';
