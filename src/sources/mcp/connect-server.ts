/** Opens one connection to a server: transport, handshake in its protocol era, and handlers. */
import { pathToFileURL } from 'node:url';
import type {
  Client,
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/errors.ts';
import type { ServerList } from '../../contract/servers.ts';
import { type CallTool, directly, throughSdk } from './call/call-tool.ts';
import { linkReplies } from './call/question-link.ts';
import { RunningCalls } from './call/running-calls.ts';
import { answerQuestions } from './questions/answer-questions.ts';
import { answerSampling } from './questions/lend-model.ts';
import { isNoSuchTransport } from './server-failure.ts';
import type { McpDeps, ServerSettings } from './server-settings.ts';
import { StdioTransport } from './stdio/stdio-transport.ts';
import { failWithStream } from './transport/ended-streams.ts';
import {
  type OpenTransport,
  openTransport,
  type TransportHooks,
} from './transport/open-transport.ts';

export interface ConnectHooks extends TransportHooks {
  /** Milliseconds until the start fails; `startTimeoutMs` of the settings when absent. */
  readonly startLimitMs?: number;
  /** Rejects when the server is no longer needed. */
  readonly stopped?: Promise<never>;
  onToolsChanged(): void;
  /** Called when the list of resources or prompts has changed. */
  onListChanged(list: ServerList): void;
  onResourceUpdated(uri: string): void;
  /** Called with each message of the server's log. */
  onMessage?(params: { readonly level?: unknown; readonly data?: unknown }): void;
  /** Called when the connection has ended, if it was open. */
  onClosed(): void;
}

export interface Connection {
  readonly client: Client;
  readonly transport: OpenTransport;
  readonly isModern: boolean;
  readonly protocol: string;
  readonly callTool: CallTool;
  readonly calls: RunningCalls;
}

type Sdk = typeof import('@modelcontextprotocol/client');

/** Skips the SDK's check of results, whose patterns could hang: the pipeline checks them safely. */
const NO_CHECK: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

const infoOf = ({ clientVersion }: McpDeps) => ({ name: 'toolcrib', version: clientVersion });

const capabilitiesOf = ({ roots, sampling }: ServerSettings) => ({
  elicitation: { form: {}, url: {} },
  ...(sampling && { sampling: {} }),
  ...(roots && { roots: {} }),
});

const createClient = (sdk: Sdk, calls: RunningCalls, about: Attempt): Client => {
  const { settings, deps, hooks } = about;
  const client = new sdk.Client(infoOf(deps), {
    capabilities: capabilitiesOf(settings),
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: settings.startTimeoutMs / 2 } },
    jsonSchemaValidator: NO_CHECK,
    listChanged: {
      tools: { autoRefresh: false, debounceMs: 0, onChanged: () => hooks.onToolsChanged() },
      resources: {
        autoRefresh: false,
        debounceMs: 0,
        onChanged: () => hooks.onListChanged('resources'),
      },
      prompts: {
        autoRefresh: false,
        debounceMs: 0,
        onChanged: () => hooks.onListChanged('prompts'),
      },
    },
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    hooks.onResourceUpdated(params.uri),
  );
  client.setNotificationHandler('notifications/message', ({ params }) => hooks.onMessage?.(params));
  answerSampling(client, calls, about);
  answerQuestions(client, calls, about);
  if (settings.roots) {
    const uri = pathToFileURL(deps.root).href;
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri, name: 'workspace' }] }));
  }
  return client;
};

type OpenConnection = Omit<Connection, 'callTool'>;

const callToolOf = (
  sdk: Sdk,
  { client, transport, protocol, isModern }: OpenConnection,
  { settings, deps }: Pick<Attempt, 'settings' | 'deps'>,
): CallTool => {
  const viaSdk = throughSdk(client, settings);
  if (!(transport instanceof StdioTransport)) return viaSdk;
  const envelope = {
    [sdk.PROTOCOL_VERSION_META_KEY]: protocol,
    [sdk.CLIENT_INFO_META_KEY]: infoOf(deps),
    [sdk.CLIENT_CAPABILITIES_META_KEY]: capabilitiesOf(settings),
  };
  return directly(transport, isModern ? envelope : undefined, viaSdk);
};

interface Attempt {
  readonly settings: ServerSettings;
  readonly deps: McpDeps;
  readonly hooks: ConnectHooks;
  /** Skips the probe for the newer protocol, which crashes some old servers. */
  readonly isLegacy: boolean;
}

const PROBE_FAILED = 'ERA_NEGOTIATION_FAILED';

const attempt = async (sdk: Sdk, options: Attempt) => {
  const { settings, deps, hooks, isLegacy } = options;
  const { maxCallMs } = settings;
  const calls = new RunningCalls({ elapsed: () => deps.runtime.elapsed(), maxCallMs });
  const transport = await openTransport(settings, deps, { ...hooks, sdk });
  linkReplies(transport, calls);
  if (settings.transport === 'http') {
    const { ConnectionClosed } = sdk.SdkErrorCode;
    const reason = 'its answer broke off';
    failWithStream(transport, () => new sdk.SdkError(ConnectionClosed, reason));
  }
  const timeout = hooks.startLimitMs ?? settings.startTimeoutMs;
  const client = createClient(sdk, calls, options);
  let timer: { cancel(): void } | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = deps.runtime.after(timeout, () => {
      const message = `The MCP server ${settings.name} did not start in time.`;
      const suggestions = [
        `See its output: toolcrib servers logs ${settings.name}`,
        'Raise mcp.startTimeoutMs if it needs longer.',
      ];
      reject(new ToolFailure('TIMEOUT', message, { suggestions }));
    });
  });
  try {
    const connectOptions = { timeout, ...(isLegacy && { prior: { kind: 'legacy' as const } }) };
    await Promise.race([
      client.connect(transport, connectOptions),
      late,
      ...(hooks.stopped ? [hooks.stopped] : []),
    ]);
  } catch (error) {
    await transport.close().catch(() => undefined);
    if (transport.failure) throw transport.failure;
    throw transport.end === undefined ? error : new Error(transport.end, { cause: error });
  } finally {
    timer?.cancel();
  }
  client.onclose = () => hooks.onClosed();
  if (settings.transport === 'sse') {
    // The session ends with its stream: the library would open another one that nobody initializes.
    client.onerror = (error) => {
      if (error instanceof sdk.SseError) void transport.close();
    };
  }
  const protocol = client.getNegotiatedProtocolVersion() ?? 'unknown';
  const isModern = client.getProtocolEra() === 'modern';
  const connection = { client, transport, protocol, isModern, calls };
  return { ...connection, callTool: callToolOf(sdk, connection, { settings, deps }) };
};

/** Gives the code of the error behind one that describes how the process ended. */
const causeCode = (error: unknown): unknown => {
  const inner = error instanceof Error ? (error.cause ?? error) : error;
  return (inner as { code?: unknown } | undefined)?.code;
};

/** Rejects when the server cannot be reached or does not answer in time; everything is closed then. */
export const connectServer = async (
  settings: ServerSettings,
  deps: McpDeps,
  hooks: ConnectHooks,
): Promise<Connection> => {
  const sdk = await import('@modelcontextprotocol/client');
  const first = { settings, deps, hooks, isLegacy: settings.transport === 'sse' };
  try {
    return await attempt(sdk, first);
  } catch (error) {
    const mayBeOld = settings.transport === 'http' && !settings.isTransportChosen;
    if (mayBeOld && isNoSuchTransport(error)) {
      return attempt(sdk, {
        ...first,
        settings: { ...settings, transport: 'sse' },
        isLegacy: true,
      });
    }
    const isChannel = settings.transport === 'stdio' || settings.transport === 'websocket';
    if (isChannel && causeCode(error) === PROBE_FAILED) {
      return attempt(sdk, { ...first, isLegacy: true });
    }
    throw error;
  }
};
