/**
 * Finds the running `toolcrib serve` of this user. Each one writes a file into the user's own folder, so
 * that other commands do not talk to something else on its port.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { isText } from '../../kit/data/is-text.ts';
import { putFile } from '../../kit/file/replace-file.ts';
import { isProcessAlive, pidScope } from '../../kit/sqlite/process-identity.ts';
import { identifyStart } from './process-start.ts';

interface RunningServe {
  readonly pid: number;
  readonly url: string;
  /** The folder whose tools it serves. */
  readonly root: string;
}

/**
 * What the file holds. Commands send tokens to the address, so a process id alone is not enough: the system
 * gives it to another process later.
 */
interface ServeFile extends RunningServe {
  readonly place: string;
  readonly started: string;
}

/** Returns the address of the server of this configuration. */
export const serverUrl = ({
  server: { publicUrl, host, port },
}: Pick<Config, 'server'>): string => {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

const folderOf = (userDir: string): string => join(userDir, 'run');

/** Containers may share the folder, and even a host name: a process id counts in its own namespace. */
const ownPrefix = (): string =>
  `serve-${createHash('sha256').update(pidScope()).digest('hex').slice(0, 16)}-`;

export const serveFileName = (pid: number): string => `${ownPrefix()}${pid}.json`;

/** Makes a server known to other commands of this user; returns how to undo that. Never rejects. */
export const announceServe = async (
  userDir: string,
  running: RunningServe,
): Promise<() => Promise<void>> => {
  const folder = folderOf(userDir);
  const file = join(folder, serveFileName(running.pid));
  await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(async () =>
      putFile(file, JSON.stringify({ ...(await identifyStart(running.pid)), ...running })),
    )
    .catch(() => undefined);
  return () => rm(file, { force: true }).catch(() => undefined);
};

/** Reads a file; one without the start of its process, or of another shape, is none. */
const parse = (text: string): ServeFile | undefined => {
  const { pid, url, root, place, started } = JSON.parse(text) as Partial<Record<string, unknown>>;
  if (!Number.isSafeInteger(pid) || !isText(url) || !isText(root)) return undefined;
  if (!isText(place) || !isText(started)) return undefined;
  return { pid: Number(pid), url, root, place, started };
};

/** Tells whether the very process that wrote the file is alive, and no later one with its id. */
const isStillRunning = async (file: ServeFile): Promise<boolean> => {
  const { place, started, pid } = await identifyStart(file.pid);
  const isSame = place === file.place && started === file.started;
  return isSame && isProcessAlive({ place, pid, started: '' });
};

/** Finds the server that runs for this folder. */
export const findServe = async (
  userDir: string,
  root: string,
): Promise<RunningServe | undefined> => {
  const folder = folderOf(userDir);
  const names = await readdir(folder).catch(() => []);
  const servers = await Promise.all(
    names
      .filter((name) => name.startsWith(ownPrefix()))
      .map((name) =>
        readFile(join(folder, name), 'utf8')
          .then(parse)
          .catch(() => undefined),
      ),
  );
  for (const one of servers) {
    if (one?.root === root && (await isStillRunning(one))) return one;
  }
  return undefined;
};

/** Lists the files of servers on this host that have ended. Ignores other files of the folder. */
export const staleServeFiles = async (userDir: string): Promise<readonly string[]> => {
  const folder = folderOf(userDir);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => {
      const pid = name.startsWith(ownPrefix())
        ? /^(\d+)\.json$/.exec(name.slice(ownPrefix().length))?.[1]
        : undefined;
      return pid !== undefined && !isProcessAlive({ place: '', pid: Number(pid), started: '' });
    })
    .map((name) => join(folder, name));
};
