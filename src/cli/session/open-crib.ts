/** Opens the crib of the project one stands in, for the time of one command. */

import type { Approver } from '../../contract/approver.ts';
import type { Logger, Timer } from '../../contract/runtime.ts';
import { visibleText } from '../../kit/text/visible-text.ts';
import { type Io, note } from '../io.ts';
import type { OpenCrib } from './opened-crib.ts';
import { settleTrust, trustNotes } from './settle-trust.ts';

/** Says on a terminal what is waited for, once that takes longer than a moment. */
const SHOWN_EVERY_MS = 1000;
const CLEAR_LINE = '\r\u001B[2K';

/** Runs the work. After a second a line of stderr tells what it is and how long it has taken. */
const whileShown = async <T>(io: Io, what: string, work: () => Promise<T>): Promise<T> => {
  if (io.stderr.isTTY !== true) return work();
  const { runtime } = io;
  const from = runtime.elapsed();
  let isShown = false;
  let timer: Timer;
  const wait = (): void => {
    timer = runtime.after(SHOWN_EVERY_MS, () => {
      isShown = true;
      const seconds = Math.round((runtime.elapsed() - from) / 1000);
      io.stderr.write(`${CLEAR_LINE}${io.noteInk.dim(`${what}: ${seconds} s`)}`);
      wait();
    });
    timer.keepAlive(false);
  };
  wait();
  const stop = (): void => {
    timer.cancel();
    if (isShown) io.stderr.write(CLEAR_LINE);
  };
  try {
    return await work();
  } finally {
    stop();
  }
};

export type { OpenCrib };

const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'];

/** Log lines go to stderr, from the configured level on. */
const stderrLog = (io: Io, least: string): Logger => {
  const from = LEVELS.indexOf(least);
  const write = (level: string) => (message: string, fields?: object) => {
    if (from < 0 || LEVELS.indexOf(level) < from) return;
    const rest = fields === undefined ? '' : ` ${JSON.stringify(fields)}`;
    note(io, io.noteInk.dim(visibleText(`${level}: ${message}${rest}`)));
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
};

export interface OpenOptions {
  /** Neither asks whether a project is trusted nor says that it is not. */
  readonly silent?: boolean;
  /** Loads tools again when their source changes; for commands that stay. */
  readonly watch?: boolean;
  /** False for commands that need no MCP server: none is started, and nothing waits for one. */
  readonly startServers?: boolean;
}

/** Throws on bad configuration. */
export const openCrib = async (
  io: Io,
  approver?: Approver,
  { silent = false, watch = false, startServers = true }: OpenOptions = {},
): Promise<OpenCrib> => {
  if (!silent) await settleTrust(io);
  const [{ loadConfig }, { createCribHost }, { projectOptions }] = await Promise.all([
    import('../../trust/load-config.ts'),
    import('../../crib/create-crib.ts'),
    import('../../crib/project/project-options.ts'),
  ]);
  const loaded = await loadConfig({ cwd: io.cwd, env: io.env });
  const notes = silent ? [] : trustNotes(loaded);
  note(io, ...notes.map((line) => `${io.noteInk.yellow('!')} ${line}`));
  const log = stderrLog(io, loaded.config.observation.logLevel);
  const project = projectOptions(loaded, io);
  const crib = await whileShown(io, 'Loading tools', () =>
    createCribHost({
      ...project,
      watch,
      startServers,
      runtime: { log },
      ...(approver && { approver }),
    }),
  );
  return { crib, loaded, root: project.root };
};

/** Runs a piece of work with an open crib and closes it whatever happens; one that is held stays open. */
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
    await open.crib.close();
  }
};

/** Like `withCrib`, for commands that only read or change what is in the store: they start no server. */
export const withStore = <T>(
  io: Io,
  work: (open: OpenCrib) => Promise<T>,
  options?: OpenOptions,
): Promise<T> => withCrib(io, work, { ...options, startServers: false });
