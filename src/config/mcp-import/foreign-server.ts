/** Converts one server of another program's list to our configuration. Pure. */
import { isRecord } from '../../kit/data/is-record.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { commonEntry } from './client-dialects.ts';
import type { ClientName } from './client-files.ts';
import { looksSecret } from './looks-secret.ts';

/** An entry of `mcp.servers`. */
export interface ServerDefinition {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly transport?: 'stdio' | 'http' | 'sse' | 'websocket';
  readonly enabled?: boolean;
  readonly timeoutMs?: number;
}

export interface ForeignServer {
  /** The name here; `foreignName` is the one in the other program. */
  readonly name: string;
  readonly foreignName: string;
  readonly definition: ServerDefinition;
  /** What a person should know before importing it. */
  readonly notes: readonly string[];
}

export interface ImportContext {
  readonly client: ClientName | undefined;
  readonly home: string;
  /** The value of `${workspaceFolder}`. */
  readonly folder: string;
}

/** The reason why a server cannot be imported. */
export class NotImportable extends Error {}

type Entry = Readonly<Record<string, unknown>>;

const textAt = (entry: Entry, ...keys: readonly string[]): string | undefined => {
  const text =
    keys.map((key) => ownValue(entry, key)).find((value) => value !== undefined) ?? undefined;
  if (text === undefined || typeof text === 'string') return text;
  throw new NotImportable(`"${keys[0]}" is no text`);
};

const listAt = (entry: Entry, key: string): readonly string[] | undefined => {
  const list = ownValue(entry, key) ?? undefined;
  if (list === undefined) return undefined;
  if (Array.isArray(list) && list.every((item) => typeof item === 'string')) return list;
  throw new NotImportable(`"${key}" is no list of texts`);
};

const pairsAt = (entry: Entry, key: string): Readonly<Record<string, string>> | undefined => {
  const record = ownValue(entry, key) ?? undefined;
  if (record === undefined) return undefined;
  if (!isRecord(record)) throw new NotImportable(`"${key}" is no list of names and values`);
  const pairs = Object.entries(record).map(([name, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new NotImportable(`a value of "${key}" is no text`);
    }
    return [name, String(value)] as const;
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
};

const FOLDERS = /\$\{(workspaceFolder|userHome|workspaceRoot)\}/g;

const withFolders = (text: string, { home, folder }: ImportContext): string =>
  text.replace(FOLDERS, (_all, name) => (name === 'userHome' ? home : folder));

/** Resolves the folders in a command or an address; other variables belong to the other program. */
const plainText = (text: string, context: ImportContext): string => {
  const resolved = withFolders(text, context);
  if (!/\$\{[^}]*\}/.test(resolved)) return resolved;
  throw new NotImportable(
    'it uses a variable outside of "env"; write the value there and import again',
  );
};

const asKey = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();

/** Makes the name of the secret for a value of a server. */
export const secretKeyFor = (server: string, name: string): string =>
  `MCP_${asKey(server)}_${asKey(name)}`;

interface ResolvedValue {
  readonly value: string;
  readonly notes: readonly string[];
}

const VARIABLES = /\$\{input:([\w.-]+)\}|\$\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}/g;

/** Converts `${env:X}`, `${X}`, `${X:-y}` and `${input:x}`, also inside of a text, to references to secrets. */
const resolveValue = (text: string, server: string, context: ImportContext): ResolvedValue => {
  const resolved = withFolders(text, context);
  const [, bare] = /^\$([A-Za-z_]\w*)$/.exec(resolved) ?? [];
  const plain = bare === undefined ? resolved : `\${${bare}}`;
  const outside = plain.replaceAll(VARIABLES, '');
  if (/\$\{[^}]*\}/.test(outside) || (outside !== plain && looksSecret('', outside))) {
    throw new NotImportable('a value mixes text and variables; write it out and import again');
  }
  const notes: string[] = [];
  const value = plain.replaceAll(VARIABLES, (_all, input?: string, name?: string) => {
    const key = input === undefined ? String(name) : secretKeyFor(server, input);
    notes.push(
      input === undefined
        ? `${key} is taken from your secrets or environment`
        : `set its secret: toolcrib secrets set ${key}`,
    );
    return `\${secret:${key}}`;
  });
  return { value, notes };
};

const valuesOf = (
  pairs: Readonly<Record<string, string>> | undefined,
  server: string,
  context: ImportContext,
): { values?: Readonly<Record<string, string>>; notes: readonly string[] } => {
  if (!pairs) return { notes: [] };
  const resolved = Object.entries(pairs).map(
    ([name, text]) => [name, resolveValue(text, server, context)] as const,
  );
  return {
    values: Object.fromEntries(resolved.map(([name, { value }]) => [name, value])),
    notes: resolved.flatMap(([, { notes }]) => notes),
  };
};

const TRANSPORTS: Readonly<Record<string, ServerDefinition['transport']>> = {
  sse: 'sse',
  ws: 'websocket',
  websocket: 'websocket',
  http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
};

const transportOf = (entry: Entry, { client }: ImportContext): ServerDefinition['transport'] => {
  const type = textAt(entry, 'type', 'transport') ?? '';
  if (Object.hasOwn(TRANSPORTS, type)) return TRANSPORTS[type];
  // Gemini distinguishes the two by name: `httpUrl` is the newer one.
  return client === 'gemini' && ownValue(entry, 'url') !== undefined && type === ''
    ? 'sse'
    : undefined;
};

/** Reads the connection. Older versions of Zed have command, arguments and environment one level deeper. */
const connectionOf = (
  entry: Entry,
  server: string,
  context: ImportContext,
): { definition: ServerDefinition; notes: readonly string[] } => {
  const nested = ownValue(entry, 'command');
  const source = isRecord(nested) ? nested : entry;
  const command = textAt(source, ...(isRecord(nested) ? ['path'] : ['command']));
  const url = textAt(entry, 'url', 'serverUrl', 'httpUrl');
  if (command === undefined && url === undefined)
    throw new NotImportable('it has no command or url');
  if (command === undefined) {
    const transport = transportOf(entry, context);
    const { values, notes } = valuesOf(pairsAt(entry, 'headers'), server, context);
    const definition = {
      url: plainText(url ?? '', context),
      ...(transport && { transport }),
      ...(values && { headers: values }),
    };
    return { definition, notes };
  }
  const args = listAt(source, 'args');
  const cwd = textAt(source, 'cwd');
  const { values, notes } = valuesOf(pairsAt(source, 'env'), server, context);
  const definition = {
    command: plainText(command, context),
    ...(args && args.length > 0 && { args: args.map((arg) => plainText(arg, context)) }),
    ...(values && { env: values }),
    ...(cwd !== undefined && { cwd: plainText(cwd, context) }),
  };
  return { definition, notes };
};

const LEFT_OUT: Readonly<Record<string, string>> = {
  autoApprove: 'what it may do unasked is not taken over: your rules decide',
  alwaysAllow: 'what it may do unasked is not taken over: your rules decide',
  trust: 'what it may do unasked is not taken over: your rules decide',
  envFile: 'its file of variables is not taken over',
};

/** Selections of tools in the other program. They are reported: here tools are switched one by one. */
const TOOL_LISTS = [
  ['disabledTools', 'leaves out'],
  ['excludeTools', 'leaves out'],
  ['disabled_tools', 'leaves out'],
  ['includeTools', 'uses only'],
  ['enabledTools', 'uses only'],
  ['enabled_tools', 'uses only'],
] as const;

const MAX_NAMED = 10;

const toolNotes = (entry: Entry): readonly string[] =>
  TOOL_LISTS.flatMap(([key, verb]) => {
    const listed = ownValue(entry, key);
    if (!Array.isArray(listed) || listed.length === 0) return [];
    const names = listed.map(String).map((name) => name.replace(/[^\w.-]+/g, '?').slice(0, 64));
    const shown = names.slice(0, MAX_NAMED).join(', ');
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
    return [
      `the other program ${verb} ${shown}${more}; here all tools come, switch with: toolcrib tools disable <name>`,
    ];
  });

const switchOf = (entry: Entry): Pick<ServerDefinition, 'enabled'> =>
  ownValue(entry, 'disabled') === true || ownValue(entry, 'enabled') === false
    ? { enabled: false }
    : {};

const timeoutOf = (
  entry: Entry,
  { client }: ImportContext,
): Pick<ServerDefinition, 'timeoutMs'> => {
  const timeout = ownValue(entry, 'timeout');
  const isKnown = client === 'gemini' || client === 'codex';
  const usable = isKnown && Number.isInteger(timeout) && (timeout as number) > 0;
  return usable ? { timeoutMs: timeout as number } : {};
};

/** Makes a name that our configuration allows. */
const legalName = (name: string): string => {
  const usable = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[^A-Za-z0-9]+|-+$/g, '');
  if (usable === '') throw new NotImportable('its name has no letter or digit');
  return usable.slice(0, 64);
};

/** Throws `NotImportable` with a reason that contains no value of the entry. */
export const foreignServer = (
  foreignName: string,
  foreignEntry: unknown,
  context: ImportContext,
): ForeignServer => {
  const entry = commonEntry(foreignEntry, context.client);
  if (!isRecord(entry)) throw new NotImportable('it is no object');
  const name = legalName(foreignName);
  const { definition, notes } = connectionOf(entry, name, context);
  const leftOut = Object.entries(LEFT_OUT).filter(([key]) => ownValue(entry, key) !== undefined);
  return {
    name,
    foreignName,
    definition: { ...definition, ...switchOf(entry), ...timeoutOf(entry, context) },
    notes: [
      ...(name === foreignName ? [] : [`is called ${name} here`]),
      ...notes,
      ...new Set(leftOut.map(([, note]) => note)),
      ...toolNotes(entry),
    ],
  };
};
