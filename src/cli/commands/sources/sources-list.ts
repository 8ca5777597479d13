/** `toolcrib sources list`: all sources of tools in one table, MCP servers among them. */
import type { Command } from 'commander';
import type { ServerStatus } from '../../../contract/servers.ts';
import type { SourceStatus } from '../../../contract/sources.ts';
import { leaving, withExamples, withJson } from '../../command-actions.ts';
import { advise, hint, type Io, print, printJson } from '../../io.ts';
import { formatTime } from '../../output/format-units.ts';
import { type Cell, printTable } from '../../output/table.ts';
import { withStore } from '../../session/open-crib.ts';

const stateCell = (io: Io, state: string): Cell => {
  const paints: Readonly<Record<string, Cell['paint']>> = {
    ready: io.ink.green,
    failed: io.ink.red,
    open: io.ink.red,
    restarting: io.ink.yellow,
    needs_login: io.ink.yellow,
  };
  const paint = Object.hasOwn(paints, state) ? paints[state] : io.ink.dim;
  return { text: state, ...(paint && { paint }) };
};

const sourceRow = (io: Io, source: SourceStatus): readonly (string | Cell)[] => [
  { text: source.name, paint: io.ink.bold },
  source.kind,
  stateCell(io, source.state),
  { text: String(source.tools), align: 'right' },
  { text: source.refused.length === 0 ? '' : String(source.refused.length), align: 'right' },
  source.readAt === undefined ? '' : formatTime(source.readAt),
  { text: source.lastError ?? source.location, paint: io.ink.dim },
];

const serverRow = (io: Io, server: ServerStatus): readonly (string | Cell)[] => [
  { text: server.name, paint: io.ink.bold },
  'mcp',
  stateCell(io, server.state),
  { text: String(server.tools), align: 'right' },
  '',
  '',
  { text: server.lastError ?? server.transport, paint: io.ink.dim },
];

const commandFor = (
  { name, state }: Pick<SourceStatus, 'name'> & { readonly state: string },
  group: string,
): string | undefined => {
  if (state === 'needs_login') return `toolcrib ${group} login ${name}`;
  return state === 'failed' || state === 'open' ? `toolcrib ${group} test ${name}` : undefined;
};

const show = (io: Io, sources: readonly SourceStatus[], servers: readonly ServerStatus[]): void => {
  if (sources.length + servers.length === 0) {
    print(io, 'No source of tools is configured yet.');
    hint(io, 'Add one: toolcrib add <address>');
    return;
  }
  const rows = [
    ...sources.map((source) => sourceRow(io, source)),
    ...servers.map((server) => serverRow(io, server)),
  ];
  printTable(io, ['name', 'kind', 'state', 'tools', 'refused', 'last read', ''], rows);
  const commands = [
    ...sources.map((source) => commandFor(source, 'sources')),
    ...servers.map((server) => commandFor(server, 'servers')),
  ];
  for (const command of commands) if (command !== undefined) advise(io, command);
};

export const sourcesListCommand = (sources: Command, io: Io): Command =>
  withExamples(
    withJson(sources.command('list', { isDefault: true })).action(
      leaving(io, () =>
        withStore(io, async ({ crib }) => {
          const [list, servers] = [crib.sources.list(), crib.servers.list()];
          if (io.json) printJson(io, { sources: list, servers });
          else show(io, list, servers);
          return 0;
        }),
      ),
    ),
    'toolcrib sources',
    'toolcrib sources list --json',
  );
