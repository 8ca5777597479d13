/** Opens the crib of the current project for one command. */
import type { Approver } from '../../contract/approver.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import type { Logger } from '../../contract/runtime.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { type Io, note, type OpenCrib, warn } from '../io.ts';
import { whileShown } from '../output/progress-line.ts';
import { findTool, firstLists } from './find-tool.ts';
import { settleTrust, trustNotes } from './settle-trust.ts';

export type { OpenCrib };

const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'];

/** Logs to stderr, from the configured level on. A command that soon ends says each line once. */
export const stderrLog = (io: Io, minLevel: string, isStaying: boolean): Logger => {
  const from = LEVELS.indexOf(minLevel);
  const said = new Set<string>();
  const write = (level: string) => (message: string, fields?: object) => {
    if (from < 0 || LEVELS.indexOf(level) < from) return;
    const rest = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
    const line = visibleText(`${level}: ${message}${rest}`);
    if (said.has(line)) return;
    if (!isStaying) said.add(line);
    note(io, io.noteInk.dim(line));
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
};

export interface OpenOptions {
  /** Neither asks whether a project is trusted nor says that it is not. */
  readonly silent?: boolean;
  /** Reloads tools when their source changes; for commands that stay. */
  readonly watch?: boolean;
  /** False for commands that need no MCP server: none is started, and nothing waits for one. */
  readonly startServers?: boolean;
  /** For commands about one tool: servers are started only when the tool is not known. */
  readonly tool?: string;
  /** False leaves it to the caller to wait for the first lists of servers; for commands that stay. */
  readonly waits?: boolean;
}

/** Chooses how servers start: commands that stay do not wait for late ones. */
const startOf = ({ startServers = true, tool, watch = false }: OpenOptions) => {
  if (!startServers || tool !== undefined) return false;
  return watch ? 'background' : 'briefly';
};

const awaitServers = async (
  io: Io,
  { crib, loaded }: Omit<OpenCrib, 'root'>,
  options: OpenOptions,
): Promise<void> => {
  const { startServers = true, tool, watch = false, waits = true } = options;
  if (!startServers) return;
  if (tool !== undefined) await findTool(io, { crib, lock: loaded.config.registry.lock }, tool);
  else if (watch && waits) await firstLists(io, crib);
};

/** For commands that stay: asks for newer versions of packages later, where the user wants that. */
const checkUpdates = async (io: Io, open: OpenCrib): Promise<void> => {
  if (!open.loaded.config.registry.updateChecks) return;
  const { checkPackagesSoon } = await import('./check-packages.ts');
  checkPackagesSoon(io, open);
};

/** Opens the crib. Throws on bad configuration. */
export const openCrib = async (
  io: Io,
  approver?: Approver,
  options: OpenOptions = {},
): Promise<OpenCrib> => {
  const { silent = false, watch = false } = options;
  if (!silent) await settleTrust(io);
  const [{ loadConfig }, { createCribHost }, { projectOptions }] = await Promise.all([
    import('../../trust/load-config.ts'),
    import('../../crib/create-crib.ts'),
    import('../../crib/project/project-options.ts'),
  ]);
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  const notes = silent ? [] : trustNotes(loaded);
  warn(io, ...notes);
  const log = stderrLog(io, loaded.config.observation.logLevel, options.watch === true);
  const project = projectOptions(loaded, io);
  const crib = await whileShown(io, 'Loading tools', () =>
    createCribHost({
      ...project,
      watch,
      startServers: startOf(options),
      runtime: { log },
      ...(approver && { approver }),
    }),
  );
  await awaitServers(io, { crib, loaded }, options);
  const open = { crib, loaded, root: project.root };
  if (watch) await checkUpdates(io, open);
  return open;
};

/** Closes the crib. A running installation of a server may take a while to finish. */
export const closeCrib = (io: Io, crib: CribHost): Promise<void> =>
  whileShown(io, 'Waiting for an MCP server to finish its installation', () => crib.close());

/** Runs work with an open crib and closes it; the crib of a shell stays open. */
export const withCrib = async <T>(
  io: Io,
  work: (open: OpenCrib) => Promise<T>,
  options?: OpenOptions,
): Promise<T> => {
  if (io.held) return work(io.held);
  const open = await openCrib(io, undefined, options);
  try {
    return await work(open);
  } finally {
    await closeCrib(io, open.crib);
  }
};

/** Like `withCrib`, for commands that only need the store: no server is started. */
export const withStore = <T>(
  io: Io,
  work: (open: OpenCrib) => Promise<T>,
  options?: OpenOptions,
): Promise<T> => withCrib(io, work, { ...options, startServers: false });
