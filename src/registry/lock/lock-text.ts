/**
 * Reads and writes the text of `tools.lock`. It has one layout, and any other layout is refused, so that
 * a reviewer reads exactly what takes effect, without duplicate keys or invisible characters.
 */
import type { LockEntry } from '../../contract/lock.ts';
import { SOURCES } from '../../contract/tool.ts';
import { lineKey } from './lock-lines.ts';
import { canonicalData, fingerprintOfDefinition } from './pin-definition.ts';
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

const pretty = (tools: readonly unknown[], { json }: Pick<Visible, 'json'>): string =>
  `${json(JSON.stringify({ version: VERSION, tools }, null, 2))}\n`;

const inKeyOrder = (entry: LockEntry): unknown =>
  Object.fromEntries(KEYS.map((key) => [key, entry[key]]));

/** Writes the entries sorted, one value a line, every hidden character escaped. */
export const formatLock = (
  entries: readonly LockEntry[],
  visible: Pick<Visible, 'json'>,
): string => {
  const sorted = entries.toSorted((a, b) => (lineKey(a) < lineKey(b) ? -1 : 1));
  return pretty(sorted.map(inKeyOrder), visible);
};

const LINE =
  /^ *(?:"(?:[^"\\]|\\.)*": ?)?(?:[[{]|[\]}]|\[\]|\{\}|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null),?$/;

/** Finds the line of a syntax error: by the position in the message, else the first line of another layout. */
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
  const nonText = texts.find((key) => typeof fields[key] !== 'string');
  if (nonText !== undefined) return `${nonText} is not a text`;
  if (!SOURCES.includes(fields.source as LockEntry['source'])) return 'source is not a source';
  return fingerprintOfDefinition(canonicalData(fields.definition)) === fields.fingerprint
    ? undefined
    : 'the fingerprint is not that of the definition below it';
};

const lineOfEntry = (tools: readonly unknown[], at: number, visible: Visible): number =>
  at === 0 ? FIRST_ENTRY_LINE : pretty(tools.slice(0, at), visible).split('\n').length - 2;

const firstDifference = (text: string, expected: string): number => {
  const lines = expected.split('\n');
  const at = text.split('\n').findIndex((line, index) => line !== lines[index]);
  return at < 0 ? lines.length : at + 1;
};

const readEntries = (text: string, visible: Visible): LockReading => {
  const parsed: unknown = JSON.parse(text);
  const { version, tools } = (parsed ?? {}) as { version?: unknown; tools?: unknown };
  if (version !== VERSION || !Array.isArray(tools)) {
    return { fault: { line: 1, message: `is not a lock of version ${VERSION}` } };
  }
  const expected = pretty(tools, visible);
  if (text !== expected) {
    const message = `something other than Toolcrib wrote here; ${RESTORE}`;
    return { fault: { line: firstDifference(text, expected), message } };
  }
  for (const [at, entry] of tools.entries()) {
    const message = entryFault(entry);
    if (message !== undefined) return { fault: { line: lineOfEntry(tools, at, visible), message } };
  }
  return { entries: tools as readonly LockEntry[] };
};

/**
 * Parses a lock file; never throws. Accepts line ends of Windows, because version control may write
 * them.
 */
export const parseLock = (fileText: string, visible: Visible): LockReading => {
  const text = fileText.replaceAll('\r\n', '\n');
  try {
    return readEntries(text, visible);
  } catch (error) {
    return { fault: { line: brokenLine(text, error), message: `is not JSON; ${RESTORE}` } };
  }
};
