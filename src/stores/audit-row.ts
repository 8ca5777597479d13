/**
 * Makes audit rows as every driver writes them: what is stored of an entry, and the hash that binds a row
 * to the one before it. The format is described in docs/audit-format.md; the verifier does not
 * share this code.
 */
import { hash } from 'node:crypto';
import type { AuditEntry } from '../contract/audit.ts';
import { plainObjects } from '../kit/data/plain-objects.ts';

/** What the first row is bound to. */
export const GENESIS_HASH = '0'.repeat(64);

/** An entry with its detail as the exact text that is hashed and stored. */
export interface StoredEntry extends Omit<AuditEntry, 'detail'> {
  readonly detail: string;
}

/** Larger details are replaced by a note, so that one of them cannot fail its whole transaction. */
const MAX_DETAIL = 16 * 1024 * 1024;

const INDEX_KEY = /"\d+":/;

/**
 * Matches all index keys, and all but the plainest numbers and strings: integers of at most 15 digits, no `\u`
 * or `\/`.
 */
const INDEX_KEY_OR_RAW = /"\d+":|[:,[]-?(?:\d+[.eE]|\d{16})|[:,[]-0|\\[u/]|\p{Surrogate}/u;

/**
 * Tells whether JSON text could change when it is read and written again, which would cost as much for every row
 * as writing it. Never false where it does change.
 */
export const mayChange = (text: string, mayHoldRaw: boolean): boolean =>
  (mayHoldRaw ? INDEX_KEY_OR_RAW : INDEX_KEY).test(text);

const HAS_RAW = 'rawJSON' in JSON;

/**
 * Writes JSON that reads back to itself: `stringify(parse(text)) === text` makes verification exact.
 * `stringify` alone ensures it but for two cases: a proxy can list index keys out of order, and
 * `JSON.rawJSON` of newer engines puts numbers and strings of any form into the text. Returns `undefined`
 * for what is no object. Throws for what JSON cannot hold.
 */
export const stableJson = (value: unknown): string | undefined => {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined || !text.startsWith('{')) return undefined;
  return mayChange(text, HAS_RAW) ? JSON.stringify(JSON.parse(text)) : text;
};

/** Writes the detail as text. Never throws: a row without its detail is worth more than no row. */
const detailText = (detail: unknown): string => {
  try {
    const text = stableJson(detail);
    if (text === undefined) return '{"lost":"The detail was not an object of plain JSON."}';
    return text.length > MAX_DETAIL ? '{"lost":"The detail was too large to keep."}' : text;
  } catch {
    return '{"lost":"The detail was not an object of plain JSON."}';
  }
};

/** Bounds a number to what every database binding returns unchanged. */
const bounded = (value: number): number =>
  Number.isNaN(value)
    ? 0
    : Math.max(-Number.MAX_SAFE_INTEGER, Math.min(value, Number.MAX_SAFE_INTEGER));

/** Rounds to thousandths: further digits would not survive every database binding. */
const milliseconds = (value: number): number =>
  Number.isSafeInteger(value) ? value : Math.round(bounded(value) * 1000) / 1000;

const micros = (value: number): number =>
  Number.isSafeInteger(value) ? value : Math.round(bounded(value));

const Stored = plainObjects<StoredEntry, [AuditEntry]>(function (entry) {
  this.kind = entry.kind;
  this.executionId = entry.executionId;
  this.at = milliseconds(entry.at);
  this.tool = entry.tool;
  this.version = entry.version;
  this.tier = entry.tier;
  this.userId = entry.userId;
  this.agentId = entry.agentId;
  this.sessionId = entry.sessionId;
  this.status = entry.status;
  this.code = entry.code;
  this.durationMs = milliseconds(entry.durationMs);
  this.costMicros = micros(entry.costMicros);
  this.detail = detailText(entry.detail);
});

export const toStoredEntry = (entry: AuditEntry): StoredEntry => new Stored(entry);

/** Lists the fields of a row, but for its hash, in the order in which they are hashed and stored. */
export const rowFields = (seq: number, entry: StoredEntry): readonly (string | number)[] => [
  seq,
  entry.at,
  entry.kind,
  entry.executionId,
  entry.tool,
  entry.version,
  entry.tier,
  entry.userId,
  entry.agentId,
  entry.sessionId,
  entry.status,
  entry.code,
  entry.durationMs,
  entry.costMicros,
  entry.detail,
];

/** Writes the row as the text that is hashed. */
export const canonicalText = (fields: ReturnType<typeof rowFields>): string =>
  JSON.stringify(fields);

export const chainHash = (previous: string, canonical: string): string =>
  hash('sha256', `${previous}\n${canonical}`, 'hex');

/**
 * Reads a detail. Text that does not read back to itself was not written by Toolcrib: it is returned as
 * text, so that verification fails in place of missing an edit that parsing would hide.
 */
export const readDetail = (text: string): Readonly<Record<string, unknown>> => {
  try {
    const detail: unknown = JSON.parse(text);
    if (typeof detail === 'object' && detail !== null && JSON.stringify(detail) === text) {
      return detail as Readonly<Record<string, unknown>>;
    }
  } catch {
    // Falls through to the text itself.
  }
  return { unreadable: text };
};
