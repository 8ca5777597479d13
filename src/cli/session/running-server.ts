/**
 * Finds the running `toolcrib serve` of this user. Each one writes a file into the user's own folder, so
 * that other commands do not talk to something else on its port.
 */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { errorCodeOf } from '../../kit/data/reason-of.ts';
import { putFile } from '../../kit/file/replace-file.ts';

interface RunningServe {
  readonly pid: number;
  readonly url: string;
  /** The folder whose tools it serves. */
  readonly root: string;
}

/** Gives the address of the server of this configuration. */
export const serverUrl = ({
  server: { publicUrl, host, port },
}: Pick<Config, 'server'>): string => {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

const folderOf = (userDir: string): string => join(userDir, 'run');

/** Containers may share the folder: a process id counts on its own host. */
const ownPrefix = (): string => `serve-${hostname()}-`;

/** Makes a server known to other commands of this user; returns how to undo that. Never rejects. */
export const announceServe = async (
  userDir: string,
  running: RunningServe,
): Promise<() => Promise<void>> => {
  const folder = folderOf(userDir);
  const file = join(folder, `${ownPrefix()}${running.pid}.json`);
  await mkdir(folder, { recursive: true, mode: 0o700 })
    .then(() => putFile(file, JSON.stringify(running)))
    .catch(() => undefined);
  return () => rm(file, { force: true }).catch(() => undefined);
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to another user.
    return errorCodeOf(error) === 'EPERM';
  }
};

const parse = (text: string): RunningServe | undefined => {
  const { pid, url, root } = JSON.parse(text) as Partial<Record<string, unknown>>;
  if (!Number.isSafeInteger(pid) || typeof url !== 'string' || typeof root !== 'string') {
    return undefined;
  }
  return { pid: Number(pid), url, root };
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
  return servers.find((one) => one !== undefined && one.root === root && isAlive(one.pid));
};

/** Lists the files of servers on this host that have ended. Other files of the folder are left alone. */
export const staleServeFiles = async (userDir: string): Promise<readonly string[]> => {
  const folder = folderOf(userDir);
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => {
      const pid = name.startsWith(ownPrefix())
        ? /^(\d+)\.json$/.exec(name.slice(ownPrefix().length))?.[1]
        : undefined;
      return pid !== undefined && !isAlive(Number(pid));
    })
    .map((name) => join(folder, name));
};
