/**
 * Caches the definitions of servers in the user's folder, so that a start needs no server. A file in any
 * other format counts as absent.
 */
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '../../../kit/data/canonical-json.ts';
import { putFile } from '../../../kit/file/replace-file.ts';
import type { ServerSettings } from '../server-settings.ts';
import { readToolListing, type ServerListing } from './list-server.ts';

const FORMAT = 2;
const MAX_BYTES = 20_000_000;
/** After this time a late server is tried again. */
const MAX_LATENESS_AGE_MS = 600_000;

export interface DefinitionCache {
  /** Returns `undefined` when there is none that can be read. */
  read(settings: ServerSettings): Promise<ServerListing | undefined>;
  /** Writes an entry. Never rejects: without a cache the next start is only slower. */
  write(settings: ServerSettings, listing: ServerListing): Promise<void>;
  /** Gives the milliseconds that a recent wait for it lasted in vain; 0 when there was none. */
  readLateness(settings: ServerSettings, now: number): Promise<number>;
  /** Records that it did not answer in so many milliseconds. Never rejects. */
  writeLateness(settings: ServerSettings, late: Lateness): Promise<void>;
}

export interface Lateness {
  readonly waitedMs: number;
  readonly at: number;
}

/** Identifies a server: another command, address or environment is another server. */
const digestOf = (settings: ServerSettings): string => {
  const { command, args, env, cwd, url, headers, transport } = settings;
  const identity = [
    transport,
    command,
    args,
    Object.entries(env),
    cwd,
    url,
    Object.entries(headers),
  ];
  return sha256Hex(JSON.stringify(identity)).slice(0, 16);
};

const count = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;

const parse = (text: string): ServerListing | undefined => {
  const value = JSON.parse(text) as Record<string, unknown> | null;
  if (value?.format !== FORMAT || !Array.isArray(value.tools)) return undefined;
  const tools = value.tools.map(readToolListing);
  const resources = count(value.resources);
  const prompts = count(value.prompts);
  if (resources === undefined || prompts === undefined) return undefined;
  return tools.every((tool) => tool !== undefined) ? { tools, resources, prompts } : undefined;
};

const NO_CACHE: DefinitionCache = {
  read: async () => undefined,
  write: async () => undefined,
  readLateness: async () => 0,
  writeLateness: async () => undefined,
};

const parseLateness = (text: string, now: number): number => {
  const value = JSON.parse(text) as Record<string, unknown> | null;
  const waitedMs = count(value?.waitedMs) ?? 0;
  const age = now - (count(value?.at) ?? 0);
  return age >= 0 && age < MAX_LATENESS_AGE_MS ? waitedMs : 0;
};

export const createDefinitionCache = (folder: string | undefined): DefinitionCache => {
  if (folder === undefined) return NO_CACHE;
  const pathOf = (settings: ServerSettings, ending = 'json'): string =>
    join(folder, `${settings.name}-${digestOf(settings)}.${ending}`);
  const put = (path: string, value: object): Promise<void> =>
    mkdir(folder, { recursive: true, mode: 0o700 })
      .then(() => putFile(path, JSON.stringify(value)))
      .then(
        () => undefined,
        () => undefined,
      );
  return {
    async read(settings) {
      try {
        const path = pathOf(settings);
        const { size } = await stat(path);
        return size > MAX_BYTES ? undefined : parse(await readFile(path, 'utf8'));
      } catch {
        return undefined;
      }
    },
    async write(settings, listing) {
      await put(pathOf(settings), { format: FORMAT, ...listing });
      await rm(pathOf(settings, 'late'), { force: true }).catch(() => undefined);
    },
    readLateness: (settings, now) =>
      readFile(pathOf(settings, 'late'), 'utf8')
        .then(
          (text) => parseLateness(text, now),
          () => 0,
        )
        .catch(() => 0),
    writeLateness: (settings, late) => put(pathOf(settings, 'late'), late),
  };
};
