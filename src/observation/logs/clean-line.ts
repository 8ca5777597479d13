/** Makes a line of the log safe to write: bounded, redacted, and without fields that imitate its own. */
import { redactedCaller } from '../redacted-caller.ts';
import { boundedCopy, boundedText } from './bounded-copy.ts';

/** The redactor of the crib. */
export interface LogRedactor {
  text(value: string): string;
  record(value: unknown): unknown;
}

const MAX_TEXT = 2_000;
const MAX_KEY = 100;
/** The limit for all texts of a line together. */
const MAX_LINE = 16_000;

/** Names that the sinks write themselves: a second field of that name could be taken for theirs. */
const OWN_NAMES: ReadonlySet<string> = new Set(['time', 'level', 'msg', 'pid', 'process']);

/** Fields that name a caller. */
const CALLER_NAMES = ['callerId', 'subject'] as const;

interface Room {
  left: number;
}

const cutText = (text: string, room: Room): string => {
  const length = Math.max(0, Math.min(text.length, MAX_TEXT, room.left));
  room.left -= length;
  if (length === text.length) return text;
  return `${text.slice(0, length)}… (${text.length - length} more characters)`;
};

/** Cuts long texts in plain data without cycles. */
const cut = (value: unknown, room: Room): unknown => {
  if (typeof value === 'string') return cutText(value, room);
  if (Array.isArray(value)) return value.map((item) => cut(item, room));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      room.left -= Math.min(key.length, MAX_KEY);
      return [key.slice(0, MAX_KEY), cut(item, room)];
    }),
  );
};

const renamed = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [OWN_NAMES.has(key) ? `${key}_` : key, value]),
  );

/** Redacts the fields of a line, but keeps names of callers recognizable. */
const redacted = (fields: Record<string, unknown>, redactor: LogRedactor) => {
  const clean = redactor.record(fields) as Record<string, unknown>;
  for (const name of CALLER_NAMES) {
    const caller = fields[name];
    if (typeof caller === 'string') clean[name] = redactedCaller(caller, redactor);
  }
  return clean;
};

/** Cleans a line. Redacts before it cuts, because half a secret would not be recognized. */
export const cleanLine = (
  message: unknown,
  fields: object | undefined,
  redactor: LogRedactor,
): { readonly message: string; readonly fields: Readonly<Record<string, unknown>> } => {
  const room = { left: MAX_LINE };
  const text = cutText(redactor.text(boundedText(message)), room);
  if (fields === undefined) return { message: text, fields: {} };
  const clean = redacted(boundedCopy(fields), redactor);
  return { message: text, fields: renamed(cut(clean, room) as Record<string, unknown>) };
};
