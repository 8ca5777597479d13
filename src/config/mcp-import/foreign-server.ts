/** One server of another program's list, in the words of our configuration. Pure. */

import { isRecord } from '../../kit/data/is-record.ts';
import { ownValue } from '../../kit/data/own-value.ts';
import { inCommonWords } from './client-dialects.ts';
import type { ClientName } from './client-files.ts';
import { looksSecret } from './looks-secret.ts';

/** As in `mcp.servers` of our configuration. */
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
  /** Ours; `foreignName` is what the other program calls it. */
  readonly name: string;
  readonly foreignName: string;
  readonly definition: ServerDefinition;
  /** What a person should know before taking it. */
  readonly notes: readonly string[];
}

export interface Surroundings {
  readonly client: ClientName | undefined;
  readonly home: string;
  /** What `${workspaceFolder}` stands for. */
  readonly folder: string;
}

/** Why one cannot be taken. */
export class NotTaken extends Error {}

type Entry = Readonly<Record<string, unknown>>;

const textAt = (entry: Entry, ...keys: readonly string[]): string | undefined => {
  const found = keys.map((key) => ownValue(entry, key)).find((value) => value !== undefined);
  if (found === undefined || found === null) return undefined;
  if (typeof found !== 'string') throw new NotTaken(`"${keys[0]}" is no text`);
  return found;
};

const listAt = (entry: Entry, key: string): readonly string[] | undefined => {
  const found = ownValue(entry, key);
  if (found === undefined || found === null) return undefined;
  if (Array.isArray(found) && found.every((item) => typeof item === 'string')) return found;
  throw new NotTaken(`"${key}" is no list of texts`);
};

const pairsAt = (entry: Entry, key: string): Readonly<Record<string, string>> | undefined => {
  const found = ownValue(entry, key);
  if (found === undefined || found === null) return undefined;
  if (!isRecord(found)) throw new NotTaken(`"${key}" is no list of names and values`);
  const pairs = Object.entries(found).map(([name, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new NotTaken(`a value of "${key}" is no text`);
    }
    return [name, String(value)] as const;
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
};

const FOLDERS = /\$\{(workspaceFolder|userHome|workspaceRoot)\}/g;

const withFolders = (text: string, { home, folder }: Surroundings): string =>
  text.replace(FOLDERS, (_all, name) => (name === 'userHome' ? home : folder));

/** In a command or an address: the folders are known, other variables are that program's own. */
const plainText = (text: string, around: Surroundings): string => {
  const known = withFolders(text, around);
  if (!/\$\{[^}]*\}/.test(known)) return known;
  throw new NotTaken('it uses a variable outside of "env"; write the value there and import again');
};

const asKey = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase();

/** The name of a secret for a value of a server. */
export const secretKeyFor = (server: string, name: string): string =>
  `MCP_${asKey(server)}_${asKey(name)}`;

interface Valued {
  readonly value: string;
  readonly notes: readonly string[];
}

const VARIABLES = /\$\{input:([\w.-]+)\}|\$\{(?:env:)?([A-Za-z_]\w*)(?::-[^}]*)?\}/g;

/** `${env:X}`, `${X}`, `${X:-y}` and `${input:x}` become references to secrets of ours, inside of a text too. */
const settledValue = (text: string, server: string, around: Surroundings): Valued => {
  const known = withFolders(text, around);
  const [, bare] = /^\$([A-Za-z_]\w*)$/.exec(known) ?? [];
  const plain = bare === undefined ? known : `\${${bare}}`;
  const outside = plain.replaceAll(VARIABLES, '');
  if (/\$\{[^}]*\}/.test(outside) || (outside !== plain && looksSecret('', outside))) {
    throw new NotTaken('a value mixes text and variables; write it out and import again');
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
  around: Surroundings,
): { values?: Readonly<Record<string, string>>; notes: readonly string[] } => {
  if (!pairs) return { notes: [] };
  const read = Object.entries(pairs).map(
    ([name, text]) => [name, settledValue(text, server, around)] as const,
  );
  return {
    values: Object.fromEntries(read.map(([name, { value }]) => [name, value])),
    notes: read.flatMap(([, { notes }]) => notes),
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

const transportOf = (entry: Entry, { client }: Surroundings): ServerDefinition['transport'] => {
  const said = textAt(entry, 'type', 'transport') ?? '';
  if (Object.hasOwn(TRANSPORTS, said)) return TRANSPORTS[said];
  // Gemini keeps the two apart by name: `httpUrl` is the newer one.
  return client === 'gemini' && ownValue(entry, 'url') !== undefined && said === ''
    ? 'sse'
    : undefined;
};

/** How it is reached. Zed used to keep command, arguments and environment one level deeper. */
const reachOf = (
  entry: Entry,
  server: string,
  around: Surroundings,
): { definition: ServerDefinition; notes: readonly string[] } => {
  const nested = ownValue(entry, 'command');
  const source = isRecord(nested) ? nested : entry;
  const command = textAt(source, ...(isRecord(nested) ? ['path'] : ['command']));
  const url = textAt(entry, 'url', 'serverUrl', 'httpUrl');
  if (command === undefined && url === undefined) throw new NotTaken('it has no command or url');
  if (command === undefined) {
    const transport = transportOf(entry, around);
    const { values, notes } = valuesOf(pairsAt(entry, 'headers'), server, around);
    const definition = {
      url: plainText(url ?? '', around),
      ...(transport && { transport }),
      ...(values && { headers: values }),
    };
    return { definition, notes };
  }
  const args = listAt(source, 'args');
  const cwd = textAt(source, 'cwd');
  const { values, notes } = valuesOf(pairsAt(source, 'env'), server, around);
  const definition = {
    command: plainText(command, around),
    ...(args && args.length > 0 && { args: args.map((arg) => plainText(arg, around)) }),
    ...(values && { env: values }),
    ...(cwd !== undefined && { cwd: plainText(cwd, around) }),
  };
  return { definition, notes };
};

const LEFT_OUT: Readonly<Record<string, string>> = {
  autoApprove: 'what it may do unasked is not taken over: your rules decide',
  alwaysAllow: 'what it may do unasked is not taken over: your rules decide',
  trust: 'what it may do unasked is not taken over: your rules decide',
  envFile: 'its file of variables is not taken over',
};

/** Which of its tools the other program uses: said, because our configuration switches tools by hand. */
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

const timeoutOf = (entry: Entry, { client }: Surroundings): Pick<ServerDefinition, 'timeoutMs'> => {
  const timeout = ownValue(entry, 'timeout');
  const isKnown = client === 'gemini' || client === 'codex';
  const usable = isKnown && Number.isInteger(timeout) && (timeout as number) > 0;
  return usable ? { timeoutMs: timeout as number } : {};
};

/** A name that our configuration allows. */
const ourName = (name: string): string => {
  const usable = name.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^[^A-Za-z0-9]+|-+$/g, '');
  if (usable === '') throw new NotTaken('its name has no letter or digit');
  return usable.slice(0, 64);
};

/** Throws `NotTaken` with a reason that holds no value of the entry. */
export const foreignServer = (
  foreignName: string,
  given: unknown,
  around: Surroundings,
): ForeignServer => {
  const entry = inCommonWords(given, around.client);
  if (!isRecord(entry)) throw new NotTaken('it is no object');
  const name = ourName(foreignName);
  const { definition, notes } = reachOf(entry, name, around);
  const left = Object.entries(LEFT_OUT).filter(([key]) => ownValue(entry, key) !== undefined);
  return {
    name,
    foreignName,
    definition: { ...definition, ...switchOf(entry), ...timeoutOf(entry, around) },
    notes: [
      ...(name === foreignName ? [] : [`is called ${name} here`]),
      ...notes,
      ...new Set(left.map(([, note]) => note)),
      ...toolNotes(entry),
    ],
  };
};
