/** Finds the tool that a command names, and waits for MCP servers that have not listed their tools yet. */
import type { Config } from '../../config/schema.ts';
import type { CatalogEntry } from '../../contract/catalog.ts';
import type { Crib } from '../../contract/crib.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import type { Io } from '../io.ts';
import { whileShown } from '../output/progress-line.ts';

/** Looks a tool up. Fails with TOOL_NOT_FOUND and suggests close names. */
export const toolOf = (crib: Pick<Crib, 'tools' | 'servers'>, name: string): CatalogEntry => {
  const { tools } = crib;
  const entry = tools.get(name);
  if (entry) return entry;
  const close = tools.suggest(name);
  throw new ToolFailure('TOOL_NOT_FOUND', 'There is no tool of that name.', {
    suggestions: [
      ...(close.length > 0 ? [`Did you mean ${close.join(', ')}?`] : []),
      ...unansweredHint(crib),
      'See them all: toolcrib tools',
    ],
  });
};

/** Tells whether a server that is not running may still bring tools. */
export const mayBringTools = ({
  servers,
}: {
  readonly servers: Pick<Crib['servers'], 'list'>;
}): boolean => servers.list().some(({ state }) => state !== 'ready' && state !== 'disabled');

/** How long commands that stay wait until their servers have listed their tools for the first time. */
const MAX_FIRST_LIST_MS = 2000;

/** Lists the names of servers that have not answered, for the progress line. */
export const pendingServers = ({ servers }: CribHost): string => {
  const names = servers.list().filter(({ state }) => state === 'starting');
  return `Starting ${visibleText(names.map(({ name }) => name).join(', ') || 'servers')}`;
};

/** Resolves when every server has listed its tools or failed, and after two seconds in any case. */
export const firstLists = async (
  { runtime }: Pick<Io, 'runtime'>,
  crib: CribHost,
): Promise<void> => {
  const timeout = new AbortController();
  const timer = runtime.after(MAX_FIRST_LIST_MS, () => timeout.abort());
  await crib.discoverTools(timeout.signal);
  timer.cancel();
};

interface FindToolDeps {
  readonly crib: CribHost;
  readonly lock: Config['registry']['lock'];
}

/** Lists the servers that have listed no tools so far, without those that are switched off. */
const unanswered = ({ servers }: Pick<Crib, 'servers'>): readonly string[] =>
  servers
    .list()
    .filter(({ state, tools }) => tools === 0 && state !== 'ready' && state !== 'disabled')
    .map(({ name }) => name);

/**
 * Lists the servers that a call of this name has to wait for. A strict lock refuses tools that nobody
 * accepted, so only servers count whose name the tool's begins with, or that the lock names for it.
 */
const possibleServers = ({ crib, lock }: FindToolDeps, tool: string): readonly string[] => {
  const names = unanswered(crib);
  if (lock !== 'strict') return names;
  const lockedFor = new Set(
    crib.tools.lock.states().flatMap(({ tool: name, origin }) => (name === tool ? [origin] : [])),
  );
  const startsWith = (server: string): boolean =>
    tool.startsWith(server) && /^[._:-]/.test(tool.slice(server.length));
  return names.filter((name) => startsWith(name) || lockedFor.has(`mcp:${name}`));
};

/** Starts the unlisted servers that may have the tool, until one of them brings it. */
export const findTool = async (io: Io, deps: FindToolDeps, name: string): Promise<void> => {
  const { crib } = deps;
  if (crib.tools.get(name)) return;
  const servers = possibleServers(deps, name);
  if (servers.length === 0) return;
  const registered = new AbortController();
  const stop = crib.events.on('tool.registered', () => {
    if (crib.tools.get(name)) registered.abort();
  });
  await whileShown(
    io,
    () => pendingServers(crib),
    () => crib.discoverTools(registered.signal, servers),
  );
  stop();
};

/** Picks the server that most likely answers: one that did not answer before may fail again. */
const likeliest = ({ servers }: Pick<Crib, 'servers'>, names: readonly string[]): string => {
  const failed = new Set(
    servers.list().flatMap(({ name, lastError }) => (lastError === undefined ? [] : [name])),
  );
  return names.find((name) => !failed.has(name)) ?? names[0] ?? '';
};

/** Explains that a missing tool may belong to a server that has not answered. */
export const unansweredHint = (crib: Pick<Crib, 'servers'>): readonly string[] => {
  const names = unanswered(crib);
  if (names.length === 0) return [];
  const listed = visibleText(names.join(', '));
  if (names.length === 1) {
    return [
      `MCP server has not answered yet: ${listed}. If the tool is its own: toolcrib servers test ${listed}`,
    ];
  }
  const example = visibleText(likeliest(crib, names));
  return [
    `MCP servers have not answered yet: ${listed}. If the tool is one of theirs, look at them all and accept their tools: toolcrib tools lock --accept-all`,
    `Or at one of them: toolcrib servers test ${example}`,
  ];
};
