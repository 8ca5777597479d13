/** All servers in the text of another program's file, and where in the text their lists are. Pure. */
import type { ClientName } from './client-files.ts';
import {
  type ForeignServer,
  foreignServer,
  NotTaken,
  type Surroundings,
} from './foreign-server.ts';
import { dataOf, type JsoncNode, memberOf, parseJsonc } from './parse-jsonc.ts';

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
  const words = [command, ...(Array.isArray(args) ? args : [])].filter(
    (word) => typeof word === 'string',
  );
  const at = words.findIndex((word) => /(?:^|[\\/])toolcrib(?:\.cmd|[\\/].*)?$/.test(word));
  return at !== -1 && words[at + 1] === 'mcp';
};

const OURS = 'toolcrib';

/** Throws `JsoncFault` for a text that is not JSON with comments. */
export const readClientText = (text: string, around: Surroundings): ClientReading => {
  const root = parseJsonc(text);
  const lists = listsOf(around)
    .map((path) => path.reduce<JsoncNode | undefined>(memberOf, root))
    .filter((node): node is JsoncNode => node?.members !== undefined);
  const servers: ForeignServer[] = [];
  const refused: RefusedServer[] = [];
  let isOurs = false;
  for (const { key, value } of lists.flatMap(({ members = [] }) => members)) {
    const entry = dataOf(value);
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
  return { servers, refused, lists, isOurs };
};
