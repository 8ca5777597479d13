/** `toolcrib servers list`: the configured MCP servers and their state. */
import type { Command } from 'commander';
import type { Config } from '../../../config/schema.ts';
import type { ServerState, ServerStatus } from '../../../contract/servers.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { advise, hint, type Io, print, printJson } from '../../io.ts';
import { type Cell, printTable } from '../../output/table.ts';
import { withCrib } from '../../session/open-crib.ts';

const stateCell = (io: Io, state: ServerState): Cell => {
  const paints: Readonly<Record<ServerState, Cell['paint']>> = {
    ready: io.ink.green,
    idle: io.ink.dim,
    starting: io.ink.cyan,
    restarting: io.ink.yellow,
    open: io.ink.red,
    disabled: io.ink.dim,
    needs_login: io.ink.yellow,
  };
  const paint = paints[state];
  return { text: state, ...(paint && { paint }) };
};

const rowOf = (io: Io, server: ServerStatus): readonly (string | Cell)[] => [
  { text: server.name, paint: io.ink.bold },
  stateCell(io, server.state),
  server.transport,
  { text: String(server.tools), align: 'right' },
  { text: String(server.restarts), align: 'right' },
  { text: server.lastError ?? '', paint: io.ink.dim },
];

const COMMANDS: Readonly<Partial<Record<ServerState, string>>> = {
  needs_login: 'toolcrib servers login',
  open: 'toolcrib servers test',
};

/** Explains why no server is started although some are configured. */
const reasonFor = ({ mcp, enforcement }: Config): string | undefined => {
  if (!mcp.enabled) return 'MCP is switched off (mcp.enabled: false)';
  if (!enforcement.disableLocalTools) return undefined;
  return 'MCP servers of this machine are not allowed (enforcement.disableLocalTools: true)';
};

const showOff = (io: Io, reason: string, names: readonly string[]): void => {
  const what = names.length === 0 ? 'none is configured' : `configured: ${names.join(', ')}`;
  print(io, `No MCP server is started: ${reason}; ${visibleText(what)}.`);
};

const show = (io: Io, servers: readonly ServerStatus[]): void => {
  if (servers.length === 0) {
    print(io, 'No MCP server is configured yet.');
    hint(
      io,
      'Add one:              toolcrib servers add <name> -- <command>',
      'Import others:        toolcrib servers import --dry-run',
    );
    return;
  }
  printTable(
    io,
    ['name', 'state', 'transport', 'tools', 'restarts', 'last error'],
    servers.map((server) => rowOf(io, server)),
  );
  for (const { name, state } of servers) {
    const command = COMMANDS[state];
    if (command !== undefined) advise(io, `${command} ${name}`);
  }
};

export const serversListCommand = (servers: Command, io: Io): Command =>
  withExamples(
    withJson(servers.command('list', { isDefault: true })).action(
      leaving(io, () =>
        withCrib(io, async ({ crib, loaded: { config } }) => {
          const list = crib.servers.list();
          const reason = reasonFor(config);
          const names = Object.keys(config.mcp.servers);
          const reasonFields = reason !== undefined && { off: reason, configured: names };
          if (io.json) printJson(io, { servers: list, ...reasonFields });
          else if (reason !== undefined) showOff(io, reason, names);
          else show(io, list);
          return 0;
        }),
      ),
    ),
    'toolcrib servers',
    'toolcrib servers list --json',
  );
