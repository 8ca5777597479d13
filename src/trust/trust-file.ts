/**
 * The user's `trust.json`: which projects were trusted or refused, and with which content. A file
 * that others could have written says nothing.
 */
import type { Stats } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.ts';
import { readConfigText } from '../config/load/read-config-file.ts';
import { isRecord } from '../kit/data/is-record.ts';
import { isText } from '../kit/data/is-text.ts';
import { ownValue } from '../kit/data/own-value.ts';
import { errorCodeOf } from '../kit/data/reason-of.ts';
import { othersReach, UNWRITABLE_BY_OTHERS } from '../kit/file/private-file.ts';
import { putFile } from '../kit/file/replace-file.ts';

const MAX_BYTES = 16 * 1024 * 1024;
const MAX_TRIES = 5;

export interface TrustedContent {
  readonly hash: string;
  /** When, in ISO 8601. */
  readonly at: string;
  /** The SHA-256 of every file, so that a later change can be named. */
  readonly files: Readonly<Record<string, string>>;
}

export interface TrustEntry {
  readonly trusted?: TrustedContent;
  /** The content that the user said no to. */
  readonly refused?: { readonly hash: string; readonly at: string };
}

export type TrustEntries = ReadonlyMap<string, TrustEntry>;

export interface TrustReading {
  readonly file: string;
  readonly entries: TrustEntries;
  /** Why the file cannot be believed; then there are no entries. */
  readonly fault: string | undefined;
}

export const trustFileIn = (userDir: string): string => join(userDir, 'trust.json');

const MALFORMED = 'is not a list of trusted projects; remove it, and trust them again';

/** Says why a file cannot be believed. Exported for its test, which cannot change owners. */
export const trustFileFault = (
  stats: Pick<Stats, 'uid' | 'mode'>,
  self: number | undefined,
): string | undefined => {
  const reach = othersReach(stats, { forbidden: UNWRITABLE_BY_OTHERS, orRoot: true }, self);
  if (reach === 'owner') return 'belongs to another user; remove it';
  return reach && 'can be written by others; look through it, then: chmod 600';
};

const contentOf = (value: unknown): TrustedContent | undefined => {
  if (!isRecord(value)) return undefined;
  const [hash, at, files] = ['hash', 'at', 'files'].map((key) => ownValue(value, key));
  if (!isText(hash) || !isText(at) || !isRecord(files)) return undefined;
  const pairs = Object.entries(files).filter((pair): pair is [string, string] => isText(pair[1]));
  return { hash, at, files: Object.fromEntries(pairs) };
};

const refusalOf = (value: unknown): TrustEntry['refused'] => {
  if (!isRecord(value)) return undefined;
  const [hash, at] = ['hash', 'at'].map((key) => ownValue(value, key));
  return isText(hash) && isText(at) ? { hash, at } : undefined;
};

const entryOf = (value: unknown): TrustEntry => {
  const tree = isRecord(value) ? value : {};
  const trusted = contentOf(ownValue(tree, 'trusted'));
  const refused = refusalOf(ownValue(tree, 'refused'));
  return { ...(trusted && { trusted }), ...(refused && { refused }) };
};

const parseEntries = (text: string): TrustEntries | undefined => {
  try {
    const root: unknown = JSON.parse(text);
    const projects = isRecord(root) ? ownValue(root, 'projects') : undefined;
    return isRecord(projects)
      ? new Map(Object.entries(projects).map(([path, value]) => [path, entryOf(value)]))
      : undefined;
  } catch {
    return undefined;
  }
};

interface RawReading extends TrustReading {
  readonly text: string | undefined;
}

const readRaw = async (userDir: string): Promise<RawReading> => {
  const file = trustFileIn(userDir);
  const none = { file, entries: new Map<string, TrustEntry>() };
  const self = process.getuid?.();
  const { text, fault } = await readConfigText(file, {
    check: (stats) => trustFileFault(stats, self),
    maxBytes: MAX_BYTES,
    noLink: true,
  });
  if (text === undefined) return { ...none, text, fault };
  const entries = parseEntries(text);
  return entries ? { file, entries, text, fault: undefined } : { ...none, text, fault: MALFORMED };
};

/** Reads the file. Never throws: what is wrong comes back as `fault`. No file means no entries. */
export const readTrustFile = async (userDir: string): Promise<TrustReading> => readRaw(userDir);

const written = (entries: TrustEntries): string =>
  `${JSON.stringify({ version: 1, projects: Object.fromEntries(entries) }, null, 2)}\n`;

type ChangeTrust = (
  userDir: string,
  project: string,
  change: (entry: TrustEntry) => TrustEntry | undefined,
) => Promise<void>;

const unwritable = (userDir: string, message: string): ConfigError =>
  new ConfigError([{ file: trustFileIn(userDir), path: '', message }]);

const changeEntry: ChangeTrust = async (userDir, project, change) => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { entries, text, fault } = await readRaw(userDir);
    if (fault !== undefined) throw unwritable(userDir, fault);
    const next = new Map(entries);
    const entry = change(entries.get(project) ?? {});
    if (entry) next.set(project, entry);
    else next.delete(project);
    const confirm = async () => (await readRaw(userDir)).text === text;
    if (await putFile(trustFileIn(userDir), written(next), { confirm })) return;
  }
  throw unwritable(userDir, 'is being written by others all the time; try again');
};

/**
 * Changes the entry of one project; `undefined` removes it. Throws `ConfigError` when the file there cannot be
 * believed. Another process that wrote meanwhile is noticed, and its entries are kept.
 */
export const changeTrust: ChangeTrust = async (userDir, project, change) => {
  try {
    await mkdir(userDir, { recursive: true, mode: 0o700 });
    await changeEntry(userDir, project, change);
  } catch (error) {
    const code = errorCodeOf(error);
    throw error instanceof ConfigError ? error : unwritable(userDir, `cannot be written (${code})`);
  }
};
