/** Makes the transport to a server. Nothing is started before it is connected. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ToolFailure } from '../../../contract/errors.ts';
import { isRecord } from '../../../kit/data/is-record.ts';
import { resolveSecrets } from '../../../kit/text/resolve-secrets.ts';
import type { ConfinedStart, McpDeps, ServerSettings } from '../server-settings.ts';
import type { StderrTail } from '../stdio/stderr-tail.ts';
import { StdioTransport } from '../stdio/stdio-transport.ts';
import type { Watchdog } from '../stdio/watchdog.ts';
import { soundFetch } from './sound-message.ts';
import { WebSocketTransport } from './web-socket-transport.ts';

/** How long a server may take to end before it is killed. */
const GRACE_MS = 2000;

export interface TransportHooks {
  readonly watchdog: Watchdog;
  /** Unique on this machine. */
  readonly mark: string;
  /** Receives stderr. */
  readonly tail: Pick<StderrTail, 'begin'>;
  onGarbage(): void;
}

type Sdk = typeof import('@modelcontextprotocol/client');

/** A transport that may know why it was cut, and how its process ended. */
export type OpenTransport = Transport & {
  readonly cut?: string | undefined;
  readonly failure?: ToolFailure | undefined;
  readonly end?: string | undefined;
  readonly pid?: number | null;
};

/** Confines a server that has a sandbox; it is never started without. */
const confineServer = async (
  { confine }: McpDeps,
  { name, command, args, cwd, sandbox }: ServerSettings,
  env: Readonly<Record<string, string>>,
): Promise<ConfinedStart | undefined> => {
  if (sandbox === undefined) return undefined;
  if (confine) return confine({ ...sandbox, command, args, cwd, env });
  throw new ToolFailure('SANDBOX_ERROR', `Nothing here can confine the MCP server ${name}.`, {
    suggestions: ['Run `toolcrib doctor` to see which sandboxes this machine can give.'],
  });
};

const overStdio = async (
  settings: ServerSettings,
  deps: McpDeps,
  hooks: TransportHooks & { parse(value: unknown): JSONRPCMessage },
): Promise<OpenTransport> => {
  const { command, args, cwd, maxMessageBytes } = settings;
  const { platform, runtime } = deps;
  const configured = await resolveSecrets(settings.env, deps.secret);
  const confined = await confineServer(deps, settings, configured);
  const env = serverEnvironment(deps.environment, configured, platform);
  const { watchdog, mark } = hooks;
  const request = { mark, platform, watchdog, ...(confined ?? { command, args, env, cwd }) };
  const limits = { maxMessageBytes, graceMs: GRACE_MS };
  return new StdioTransport({ ...hooks, ...limits, request, confined, runtime });
};

type Fields = Readonly<Record<string, unknown>>;

const isId = (id: unknown): boolean =>
  typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));

const isCall = ({ id, params }: Fields): boolean =>
  (id === undefined || isId(id)) && (params === undefined || isRecord(params));

const isError = ({ id, error }: Fields): boolean =>
  (id === undefined || id === null || isId(id)) &&
  isRecord(error) &&
  typeof error.code === 'number' &&
  typeof error.message === 'string';

const isAnswer = (message: Fields): boolean =>
  message.result === undefined
    ? isError(message)
    : isId(message.id) && isRecord(message.result) && message.error === undefined;

/**
 * Tells JSON-RPC messages from other output of a server; throws for the latter. Checks the frame only:
 * the SDK checks the content once it knows which request it answers.
 */
export const readMessage = (value: unknown): JSONRPCMessage => {
  if (isRecord(value) && value.jsonrpc === '2.0') {
    const isMessage = typeof value.method === 'string' ? isCall(value) : isAnswer(value);
    if (isMessage) return value as unknown as JSONRPCMessage;
  }
  throw new TypeError('That is no JSON-RPC message.');
};

/** Fails with AUTH_MISSING when a secret that the configuration names is not set. */
export const openTransport = async (
  settings: ServerSettings,
  deps: McpDeps,
  { sdk, ...hooks }: TransportHooks & { readonly sdk: Sdk },
): Promise<OpenTransport> => {
  const { transport, maxMessageBytes } = settings;
  await deps.learnSecrets?.();
  if (transport === 'stdio') return overStdio(settings, deps, { ...hooks, parse: readMessage });
  const headers = await resolveSecrets(settings.headers, deps.secret);
  if (transport === 'websocket') {
    const open = () => deps.webSocketFor(settings, headers);
    return new WebSocketTransport({ ...hooks, open, parse: readMessage, maxMessageBytes });
  }
  const authProvider = deps.authFor?.(settings);
  const options = {
    fetch: soundFetch(deps.fetchFor(settings)),
    requestInit: { headers },
    ...(authProvider && { authProvider }),
  };
  const url = new URL(settings.url);
  return transport === 'sse'
    ? new sdk.SSEClientTransport(url, options)
    : (new sdk.StreamableHTTPClientTransport(url, options) as Transport);
};

type Environment = Readonly<Record<string, string | undefined>>;

const POSIX = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];
const WINDOWS = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERPROFILE',
  'WINDIR',
];

/** Tells whether a variable is an exported shell function, which old shells would run. */
const isShellFunction = (value: string): boolean => value.startsWith('()');

/** Makes the environment of a server: what programs need, and what is configured. Nothing else. */
const serverEnvironment = (
  own: Environment,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform,
): Record<string, string> => {
  const names = platform === 'win32' ? WINDOWS : POSIX;
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(own)) {
    const name = platform === 'win32' ? key.toUpperCase() : key;
    if (value !== undefined && names.includes(name) && !isShellFunction(value)) env[key] = value;
  }
  return { ...env, ...configured };
};
