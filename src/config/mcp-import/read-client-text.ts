/** All servers in the text of another program's file, and where in the text their lists are. Pure. */
import { parse, TomlError } from 'smol-toml';
import type { ClientName } from './client-files.ts';
import {
  type ForeignServer,
  foreignServer,
  NotTaken,
  type Surroundings,
} from './foreign-server.ts';
import { dataOf, JsoncFault, type JsoncNode, memberOf, parseJsonc } from './parse-jsonc.ts';

type ListPath = readonly string[];

const MCP_SERVERS: ListPath = ['mcpServers'];

const LISTS: Readonly<Record<ClientName, readonly ListPath[]>> = {
  claude: [MCP_SERVERS],
  'claude-code': [MCP_SERVERS],
  cursor: [MCP_SERVERS],
  vscode: [['servers'], ['mcp', 'servers']],
  windsurf: [MCP_SERVERS],
  gemini: [MCP_SERVERS],
  zed: [['context_servers']],
  codex: [['mcp_servers']],
  opencode: [['mcp']],
};

const ANYWHERE: readonly ListPath[] = [
  MCP_SERVERS,
  ['servers'],
  ['mcp', 'servers'],
  ['context_servers'],
];

/** Claude Code keeps what was added for one folder in the user's file, below that folder. */
const listsOf = ({ client, folder }: Surroundings): readonly ListPath[] => {
  if (client === undefined) return ANYWHERE;
  const lists = LISTS[client];
  return client === 'claude-code' ? [...lists, ['projects', folder, 'mcpServers']] : lists;
};

export interface RefusedServer {
  readonly foreignName: string;
  readonly reason: string;
}

export interface ClientReading {
  readonly servers: readonly ForeignServer[];
  readonly refused: readonly RefusedServer[];
  /** The lists that are there, first the one that `--rewrite` puts its entry into. */
  readonly lists: readonly JsoncNode[];
  /** It holds the entry that `--rewrite` writes, so there is nothing to take. */
  readonly isOurs: boolean;
}

/** Whether an entry starts this very program as an MCP server. */
const startsUs = (entry: unknown): boolean => {
  const { command, args } = (entry ?? {}) as { command?: unknown; args?: unknown };
  const words = [command, args].flat().filter((word): word is string => typeof word === 'string');
  const at = words.findIndex((word) => /(?:^|[\\/])toolcrib(?:\.cmd|[\\/].*)?$/.test(word));
  return at !== -1 && words[at + 1] === 'mcp';
};

const OURS = 'toolcrib';

/** Codex writes TOML, which has no places of values: such a file is read and not rewritten. */
const readToml = (text: string): readonly (readonly [string, unknown])[] => {
  try {
    const { mcp_servers: list } = parse(text);
    return typeof list === 'object' && !Array.isArray(list) ? Object.entries(list) : [];
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new JsoncFault('is not TOML', error.line);
  }
};

/** Throws `JsoncFault` for a text that is not JSON with comments, or TOML for Codex. */
export const readClientText = (text: string, around: Surroundings): ClientReading => {
  if (around.client === 'codex') return { ...readEntries(readToml(text), around), lists: [] };
  const root = parseJsonc(text);
  const lists = listsOf(around)
    .map((path) => path.reduce<JsoncNode | undefined>(memberOf, root))
    .filter((node): node is JsoncNode => node?.members !== undefined);
  const entries = lists.flatMap(({ members = [] }) =>
    members.map(({ key, value }) => [key, dataOf(value)] as const),
  );
  return { ...readEntries(entries, around), lists };
};

const readEntries = (
  entries: readonly (readonly [string, unknown])[],
  around: Surroundings,
): Omit<ClientReading, 'lists'> => {
  const servers: ForeignServer[] = [];
  const refused: RefusedServer[] = [];
  let isOurs = false;
  for (const [key, entry] of entries) {
    if (key === OURS || startsUs(entry)) {
      isOurs = true;
      continue;
    }
    try {
      servers.push(foreignServer(key, entry, around));
    } catch (error) {
      if (!(error instanceof NotTaken)) throw error;
      refused.push({ foreignName: key, reason: error.message });
    }
  }
  return { servers, refused, isOurs };
};
