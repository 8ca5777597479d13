/** One connection to a server: transport, handshake in whichever protocol era it speaks, and handlers. */

import { pathToFileURL } from 'node:url';
import type {
  Client,
  JsonSchemaValidator,
  jsonSchemaValidator,
} from '@modelcontextprotocol/client';
import { ToolFailure } from '../../contract/errors.ts';
import { type CallTool, throughLane, throughSdk } from './call-tool.ts';
import { type OpenTransport, openTransport, type TransportHooks } from './open-transport.ts';
import { isNoSuchTransport } from './server-failure.ts';
import type { ElicitationAnswer, McpDeps, ServerSettings } from './server-settings.ts';
import { StdioTransport } from './stdio/stdio-transport.ts';

export interface ConnectHooks extends TransportHooks {
  /** Milliseconds until the start is given up; `startTimeoutMs` of the settings when absent. */
  readonly startLimitMs?: number;
  /** Rejects when nobody needs the server any more. */
  readonly stopped?: Promise<never>;
  onToolsChanged(): void;
  /** The connection ended, for whatever reason; told once it stood. */
  onClosed(): void;
}

export interface Connection {
  readonly client: Client;
  readonly transport: OpenTransport;
  readonly isModern: boolean;
  readonly protocol: string;
  readonly callTool: CallTool;
}

type Sdk = typeof import('@modelcontextprotocol/client');

/** The pipeline checks results, with patterns that cannot hang; the SDK's own check could. */
const NO_CHECK: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined });
  },
};

const DECLINED: ElicitationAnswer = { action: 'decline' };

const answerQuestions = (client: Client, { name }: ServerSettings, { elicit }: McpDeps): void => {
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    if (!elicit || !('requestedSchema' in params)) return { ...DECLINED };
    const { message, requestedSchema } = params;
    const question = { server: name, message, schema: requestedSchema as Record<string, unknown> };
    // Whoever cannot be asked has not agreed.
    const answer = await elicit(question, mcpReq.signal).catch(() => DECLINED);
    return { action: answer.action, ...(answer.content && { content: { ...answer.content } }) };
  });
};

/** How this program introduces itself. */
const infoOf = ({ clientVersion }: McpDeps) => ({ name: 'toolcrib', version: clientVersion });

const capabilitiesOf = ({ roots }: ServerSettings) => ({
  elicitation: { form: {} },
  ...(roots && { roots: {} }),
});

const createClient = (
  sdk: Sdk,
  { settings, deps, hooks }: { settings: ServerSettings; deps: McpDeps; hooks: ConnectHooks },
): Client => {
  const client = new sdk.Client(infoOf(deps), {
    capabilities: capabilitiesOf(settings),
    versionNegotiation: { mode: 'auto', probe: { timeoutMs: settings.startTimeoutMs / 2 } },
    jsonSchemaValidator: NO_CHECK,
    listChanged: {
      tools: { autoRefresh: false, debounceMs: 0, onChanged: () => hooks.onToolsChanged() },
    },
  });
  answerQuestions(client, settings, deps);
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
  return throughLane(transport, isModern ? envelope : undefined, asSdk);
};

interface Attempt {
  readonly settings: ServerSettings;
  readonly deps: McpDeps;
  readonly hooks: ConnectHooks;
  /** Skips the question for the newer protocol, which some old servers do not survive. */
  readonly isLegacy: boolean;
}

const DIED_WHEN_ASKED = 'ERA_NEGOTIATION_FAILED';

const attempt = async (sdk: Sdk, { settings, deps, hooks, isLegacy }: Attempt) => {
  const transport = await openTransport(settings, deps, { ...hooks, sdk });
  const client = createClient(sdk, { settings, deps, hooks });
  const timeout = hooks.startLimitMs ?? settings.startTimeoutMs;
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
  const reached = { client, transport, protocol, isModern };
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
