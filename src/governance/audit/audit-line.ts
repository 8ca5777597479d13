/**
 * Writes and reads rows as lines of a JSON Lines file, exactly as they were hashed, so that exports
 * and archives can be verified by themselves. A file of a pruned trail begins with the line of its
 * anchor.
 */
import type { AuditCheckpoint, AuditRow } from '../../contract/audit.ts';
import { parseCheckpoint } from './checkpoint.ts';

const TEXTS = [
  'kind',
  'executionId',
  'tool',
  'version',
  'tier',
  'userId',
  'agentId',
  'sessionId',
  'status',
  'code',
  'hash',
] as const;

const NUMBERS = ['seq', 'at', 'durationMs', 'costMicros'] as const;

/** Writes a row as one line, without its end. */
export const auditLine = (row: AuditRow): string =>
  JSON.stringify({
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    executionId: row.executionId,
    tool: row.tool,
    version: row.version,
    tier: row.tier,
    userId: row.userId,
    agentId: row.agentId,
    sessionId: row.sessionId,
    status: row.status,
    code: row.code,
    durationMs: row.durationMs,
    costMicros: row.costMicros,
    detail: row.detail,
    hash: row.hash,
  } satisfies AuditRow);

export const anchorLine = (anchor: AuditCheckpoint): string => JSON.stringify({ anchor });

const isRow = (value: unknown): value is AuditRow => {
  if (typeof value !== 'object' || value === null) return false;
  const row = value as Readonly<Record<string, unknown>>;
  return (
    TEXTS.every((name) => typeof row[name] === 'string') &&
    NUMBERS.every((name) => typeof row[name] === 'number') &&
    typeof row.detail === 'object'
  );
};

/**
 * Reads a line; `undefined` unless it is exactly as `auditLine` writes it. A duplicate key or
 * another spelling would let two programs read two different rows from one line.
 */
export const parseAuditLine = (line: string): AuditRow | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return isRow(value) && auditLine(value) === line ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Reads the anchor in the first line of a file; `undefined` when that is no anchor. */
export const parseAnchorLine = (line: string): AuditCheckpoint | undefined => {
  if (!line.startsWith('{"anchor":')) return undefined;
  try {
    const anchor = parseCheckpoint(line.slice('{"anchor":'.length, -1));
    return anchorLine(anchor) === line ? anchor : undefined;
  } catch {
    return undefined;
  }
};
