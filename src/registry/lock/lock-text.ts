/**
 * The text of `tools.lock`. It has one layout, and a file that is laid out otherwise is refused: what
 * a reviewer reads in it is then what is obeyed, without double keys or invisible characters.
 */
import type { LockEntry } from '../../contract/lock.ts';
import { SOURCES } from '../../contract/tool.ts';
import { canonicalData } from './canonical-data.ts';
import { fingerprintOfDefinition } from './pin-definition.ts';
import type { Visible } from './visible.ts';

export interface LockFault {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

export type LockReading =
  | { readonly entries: readonly LockEntry[] }
  | { readonly fault: LockFault };

const VERSION = 1;
const KEYS = [
  ...['tool', 'origin', 'source', 'version', 'fingerprint'],
  ...['acceptedAt', 'acceptedBy', 'definition'],
] as const;
const FIRST_ENTRY_LINE = 4;
const RESTORE = 'take the file from version control, or remove it and accept the tools again';

const orderOf = ({ tool, origin, fingerprint }: LockEntry): string =>
  `${tool}\0${origin}\0${fingerprint}`;

const pretty = (tools: readonly unknown[], { json }: Pick<Visible, 'json'>): string =>
  `${json(JSON.stringify({ version: VERSION, tools }, null, 2))}\n`;

const inKeyOrder = (entry: LockEntry): unknown =>
  Object.fromEntries(KEYS.map((key) => [key, entry[key]]));

/** Sorted, one line a value, every hidden character escaped. */
export const formatLock = (
  entries: readonly LockEntry[],
  visible: Pick<Visible, 'json'>,
): string => {
  const sorted = entries.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return pretty(sorted.map(inKeyOrder), visible);
};

const LINE =
  /^ *(?:"(?:[^"\\]|\\.)*": ?)?(?:[[{]|[\]}]|\[\]|\{\}|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null),?$/;

/** The parser names a position for some mistakes; others show in a line that none of ours looks like. */
const brokenLine = (text: string, error: unknown): number => {
  const position = /at position (\d+)/.exec(String(error))?.[1];
  if (position !== undefined) return text.slice(0, Number(position)).split('\n').length;
  const at = text.split('\n').findIndex((line) => line !== '' && !LINE.test(line));
  return Math.max(at, 0) + 1;
};

const entryFault = (entry: unknown): string | undefined => {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return 'is no entry';
  const fields = entry as Record<string, unknown>;
  if (Object.keys(fields).join() !== KEYS.join()) return `an entry holds ${KEYS.join(', ')}`;
  const texts = KEYS.filter((key) => key !== 'definition');
  const wrong = texts.find((key) => typeof fields[key] !== 'string');
  if (wrong !== undefined) return `${wrong} is not a text`;
  if (!SOURCES.includes(fields.source as LockEntry['source'])) return 'source is not a source';
  return fingerprintOfDefinition(canonicalData(fields.definition)) === fields.fingerprint
    ? undefined
    : 'the fingerprint is not that of the definition below it';
};

const lineOfEntry = (tools: readonly unknown[], at: number, visible: Visible): number =>
  at === 0 ? FIRST_ENTRY_LINE : pretty(tools.slice(0, at), visible).split('\n').length - 2;

const firstDifference = (text: string, wanted: string): number => {
  const lines = wanted.split('\n');
  const at = text.split('\n').findIndex((line, index) => line !== lines[index]);
  return at < 0 ? lines.length : at + 1;
};

const readEntries = (text: string, visible: Visible): LockReading => {
  const parsed: unknown = JSON.parse(text);
  const { version, tools } = (parsed ?? {}) as { version?: unknown; tools?: unknown };
  if (version !== VERSION || !Array.isArray(tools)) {
    return { fault: { line: 1, message: `is not a lock of version ${VERSION}` } };
  }
  const wanted = pretty(tools, visible);
  if (text !== wanted) {
    const message = `something other than Toolcrib wrote here; ${RESTORE}`;
    return { fault: { line: firstDifference(text, wanted), message } };
  }
  for (const [at, entry] of tools.entries()) {
    const message = entryFault(entry);
    if (message !== undefined) return { fault: { line: lineOfEntry(tools, at, visible), message } };
  }
  return { entries: tools as readonly LockEntry[] };
};

/** Never throws. Line ends of Windows count as plain ones, for version control may make them. */
export const parseLock = (given: string, visible: Visible): LockReading => {
  const text = given.replaceAll('\r\n', '\n');
  try {
    return readEntries(text, visible);
  } catch (error) {
    return { fault: { line: brokenLine(text, error), message: `is not JSON; ${RESTORE}` } };
  }
};
