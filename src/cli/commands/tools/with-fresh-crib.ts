/**
 * Opens a crib with the current tools of its servers. Cached definitions are enough for a list, but not
 * for accepting or verifying tools.
 */
import type { CribHost } from '../../../contract/crib-host.ts';
import type { Timer } from '../../../contract/runtime.ts';
import type { ServerStatus } from '../../../contract/servers.ts';
import { reasonOf } from '../../../kit/data/reason-of.ts';
import { visibleText } from '../../../kit/text/visible-text.ts';
import { type Io, warn } from '../../io.ts';
import { whileShown } from '../../output/progress-line.ts';
import { pendingServers } from '../../session/find-tool.ts';
import { type OpenCrib, type OpenOptions, withCrib } from '../../session/open-crib.ts';

export interface FreshCrib extends OpenCrib {
  /** Servers that did not answer; their tools come from the cache. */
  readonly unreachable: readonly string[];
}

interface FreshOptions extends OpenOptions {
  /** Asks only these servers; when absent, all that are switched on. */
  readonly servers?: readonly string[];
}

/** A server that answered before has at least this long to answer again. */
const MIN_ANSWER_MS = 30_000;

/** Asks one server for its tools. Returns the reason when that failed. */
const askOne = async (
  { servers }: CribHost,
  { name, state, lastError }: ServerStatus,
  limit: Promise<never>,
): Promise<string | undefined> => {
  // It has just listed its tools.
  if (state === 'ready') return undefined;
  if (lastError !== undefined) return lastError;
  try {
    await Promise.race([servers.test(name), limit]);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
};

const askAll = async (
  io: Io,
  { crib, loaded }: OpenCrib,
  names: readonly string[] | undefined,
): Promise<readonly string[]> => {
  const isChosen = ({ name, state }: ServerStatus): boolean =>
    state !== 'disabled' && (names?.includes(name) ?? true);
  await crib.discoverTools(new AbortController().signal, names);
  const limit = failAfter(io, Math.max(loaded.config.mcp.startTimeoutMs, MIN_ANSWER_MS));
  const unreachable = await Promise.all(
    crib.servers
      .list()
      .filter(isChosen)
      .map(async (status) => {
        const reason = await askOne(crib, status, limit.failed);
        if (reason === undefined) return [];
        warn(io, visibleText(`${status.name}: ${reason}`));
        return [status.name];
      }),
  );
  limit.cancel();
  return unreachable.flat();
};

const failAfter = ({ runtime }: Io, ms: number) => {
  let timer: Timer | undefined;
  const failed = new Promise<never>((_, reject) => {
    const seconds = Math.round(ms / 1000);
    timer = runtime.after(ms, () => reject(new Error(`no answer in ${seconds} s`)));
  });
  failed.catch(() => undefined);
  return { failed, cancel: () => timer?.cancel() };
};

/** Asks the servers for their tools, then opens a second crib with the answers. */
export const withFreshCrib = async <T>(
  io: Io,
  work: (open: FreshCrib) => Promise<T>,
  { servers, ...options }: FreshOptions = {},
): Promise<T> => {
  const first = await withCrib(
    io,
    async (open) => {
      if (open.crib.servers.list().length > 0)
        return {
          unreachable: await whileShown(
            io,
            () => pendingServers(open.crib),
            () => askAll(io, open, servers),
          ),
        };
      return { done: await work({ ...open, unreachable: [] }) };
    },
    { ...options, startServers: false },
  );
  if ('done' in first) return first.done;
  const { unreachable } = first;
  return withCrib(io, (open) => work({ ...open, unreachable }), {
    ...options,
    silent: true,
    startServers: false,
  });
};
