/** Opens the crib of the current project for one command. */
import type { Approver } from '../../contract/approver.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import type { Logger } from '../../contract/runtime.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import type { RunningTelemetry } from '../../server/start-telemetry.ts';
import { type Io, type OpenCrib, warn } from '../io.ts';
import { whileShown } from '../output/progress-line.ts';
import { programVersion } from '../package-files.ts';
import { openCommandLog } from './command-log.ts';
import { findTool, firstLists } from './find-tool.ts';
import { settleTrust, trustNotes } from './settle-trust.ts';

export type { OpenCrib };

export interface OpenOptions {
  /** Neither asks whether a project is trusted nor warns that it is not. */
  readonly silent?: boolean;
  /** Reloads tools when their source changes; for commands that stay. */
  readonly watch?: boolean;
  /** The name under which a command that serves others writes its log. */
  readonly service?: 'serve' | 'worker' | 'mcp';
  /** False for commands that need no MCP server: none is started, and nothing waits for one. */
  readonly startServers?: boolean;
  /** For commands about one tool: servers are started only when the tool is not known. */
  readonly tool?: string;
  /** False leaves it to the caller to wait for the first lists of servers; for commands that stay. */
  readonly waits?: boolean;
}

/** Chooses how servers start: commands that stay do not wait for slow ones. */
const startOf = ({ startServers = true, tool, watch = false }: OpenOptions) => {
  if (!startServers || tool !== undefined) return false;
  return watch ? 'background' : 'briefly';
};

const awaitServers = async (
  io: Io,
  { crib, loaded }: Pick<OpenCrib, 'crib' | 'loaded'>,
  options: OpenOptions,
): Promise<void> => {
  const { startServers = true, tool, watch = false, waits = true } = options;
  if (!startServers) return;
  if (tool !== undefined) await findTool(io, { crib, lock: loaded.config.registry.lock }, tool);
  else if (watch && waits) await firstLists(io, crib);
};

/** Schedules the check for newer packages in commands that stay, when the user wants it. */
const checkUpdates = async (io: Io, open: OpenCrib): Promise<void> => {
  if (!open.loaded.config.registry.updateChecks) return;
  const { checkPackagesSoon } = await import('./check-packages.ts');
  checkPackagesSoon(io, open);
};

const nothing = (): void => undefined;

/** Starts once what sends spans, metrics and logs to a collector, when the environment asks for it. */
const telemetryOf = async (io: Io): Promise<RunningTelemetry | undefined> => {
  if (!Object.keys(io.env).some((name) => name.startsWith('OTEL_'))) return undefined;
  const { startTelemetry } = await import('../../server/start-telemetry.ts');
  // Used before there is a log, because the log itself may be exported.
  const say = (message: string): void => warn(io, message);
  const log: Logger = { debug: nothing, info: nothing, warn: say, error: say };
  const runtime = { now: io.runtime.now, log };
  io.telemetry ??= await startTelemetry({ env: io.env, version: programVersion(), runtime });
  return io.telemetry;
};

/** Opens the crib. Throws on bad configuration. */
export const openCrib = async (
  io: Io,
  approver?: Approver,
  options: OpenOptions = {},
): Promise<OpenCrib> => {
  const { silent = false, watch = false, service } = options;
  if (!silent) await settleTrust(io);
  const [{ loadConfig }, { createCribHost }, { projectOptions }] = await Promise.all([
    import('../../trust/load-config.ts'),
    import('../../crib/create-crib.ts'),
    import('../../crib/project/project-options.ts'),
  ]);
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  const notes = silent ? [] : trustNotes(loaded);
  warn(io, ...notes);
  // The log redacts the secrets that the crib has read.
  const redactor = lazyAsync(async () => {
    const { openRedactor } = await import('../../crib/lazy-drivers.ts');
    return openRedactor(loaded.config);
  });
  const traced = await telemetryOf(io);
  const logging = await openCommandLog(io, { loaded, redactor, service, stays: watch });
  const project = projectOptions(loaded, io);
  const crib = await whileShown(io, 'Loading tools', () =>
    createCribHost(
      {
        ...project,
        watch,
        startServers: startOf(options),
        runtime: { log: logging.log, telemetry: traced?.telemetry },
        ...(approver && { approver }),
      },
      // Runs of others are for processes that stay: one that ends soon would cut their calls off.
      { redactor, onlyAwaitedRuns: service === undefined },
    ),
  );
  traced?.watch(crib, logging.log);
  logging.service?.watch(crib.events);
  await awaitServers(io, { crib, loaded }, options);
  const open = { crib, loaded, root: project.root, logging };
  if (watch) await checkUpdates(io, open);
  return open;
};

const INSTALLATION = 'Waiting for an MCP server to finish its installation';

/** Closes the crib. A running installation of a server may take a while to finish. */
export const closeCrib = (io: Io, crib: CribHost, what = INSTALLATION): Promise<void> =>
  whileShown(io, what, () => crib.close());

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

/** Runs work with an open crib, as `withCrib` does, but starts no server: for commands that need only the store. */
export const withStore = <T>(
  io: Io,
  work: (open: OpenCrib) => Promise<T>,
  options?: OpenOptions,
): Promise<T> => withCrib(io, work, { ...options, startServers: false });
