/** One connection to a server: transport, handshake in whichever protocol era it speaks, and handlers. */

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
import {
  type OpenTransport,
  openTransport,
  type TransportHooks,
} from './transport/open-transport.ts';

export interface ConnectHooks extends TransportHooks {
  /** Milliseconds until the start is given up; `startTimeoutMs` of the settings when absent. */
  readonly startLimitMs?: number;
  /** Rejects when nobody needs the server any more. */
  readonly stopped?: Promise<never>;
  onToolsChanged(): void;
  /** A list that is no source of tools changed. */
  onListChanged(list: ServerList): void;
  onResourceUpdated(uri: string): void;
  /** The connection ended, for whatever reason; told once it stood. */
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

/** The pipeline checks results, with patterns that cannot hang; the SDK's own check could. */
const NO_CHECK: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

/** How this program introduces itself. */
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
  answerSampling(client, calls, about);
  answerQuestions(client, calls, about);
  if (settings.roots) {
    const uri = pathToFileURL(deps.root).href;
    client.setRequestHandler('roots/list', () => ({ roots: [{ uri, name: 'workspace' }] }));
  }
  return client;
};

type Reached = Omit<Connection, 'callTool'>;

const callToolOf = (
  sdk: Sdk,
  { client, transport, protocol, isModern }: Reached,
  { settings, deps }: Pick<Attempt, 'settings' | 'deps'>,
): CallTool => {
  const asSdk = throughSdk(client, settings);
  if (!(transport instanceof StdioTransport)) return asSdk;
  const envelope = {
    [sdk.PROTOCOL_VERSION_META_KEY]: protocol,
    [sdk.CLIENT_INFO_META_KEY]: infoOf(deps),
    [sdk.CLIENT_CAPABILITIES_META_KEY]: capabilitiesOf(settings),
  };
  return directly(transport, isModern ? envelope : undefined, asSdk);
};

interface Attempt {
  readonly settings: ServerSettings;
  readonly deps: McpDeps;
  readonly hooks: ConnectHooks;
  /** Skips the question for the newer protocol, which some old servers do not survive. */
  readonly isLegacy: boolean;
}

const DIED_WHEN_ASKED = 'ERA_NEGOTIATION_FAILED';

const attempt = async (sdk: Sdk, about: Attempt) => {
  const { settings, deps, hooks, isLegacy } = about;
  const calls = new RunningCalls();
  const transport = await openTransport(settings, deps, { ...hooks, sdk });
  linkReplies(transport, calls);
  const timeout = hooks.startLimitMs ?? settings.startTimeoutMs;
  const client = createClient(sdk, calls, about);
  let timer: { cancel(): void } | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = deps.runtime.after(timeout, () => {
      reject(new ToolFailure('TIMEOUT', `The MCP server ${settings.name} did not start in time.`));
    });
  });
  try {
    const options = { timeout, ...(isLegacy && { prior: { kind: 'legacy' as const } }) };
    await Promise.race([
      client.connect(transport, options),
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
  const protocol = client.getNegotiatedProtocolVersion() ?? 'unknown';
  const isModern = client.getProtocolEra() === 'modern';
  const reached = { client, transport, protocol, isModern, calls };
  return { ...reached, callTool: callToolOf(sdk, reached, { settings, deps }) };
};

/** The error behind one that tells how the process ended. */
const causeCode = (error: unknown): unknown => {
  const inner = error instanceof Error ? (error.cause ?? error) : error;
  return (inner as { code?: unknown } | undefined)?.code;
};

/** Rejects when the server cannot be reached or does not answer in time; nothing of it is left then. */
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
    if (isChannel && causeCode(error) === DIED_WHEN_ASKED) {
      return attempt(sdk, { ...first, isLegacy: true });
    }
    throw error;
  }
};
