/** What the drivers with a database share of writing audit rows. */
import { ToolFailure } from '../contract/errors.ts';
import { toSqlText } from '../kit/text/sql-text.ts';
import type { StoredEntry } from './audit-row.ts';

/** Tells whether a text has a character that JSON escapes or that a text column cannot hold as it is. */
export const isUnusual = (canonical: string): boolean =>
  canonical.includes('\\u') || canonical.includes('\uffff');

export const escapedEntry = (entry: StoredEntry): StoredEntry => ({
  ...entry,
  executionId: toSqlText(entry.executionId),
  tool: toSqlText(entry.tool),
  version: toSqlText(entry.version),
  userId: toSqlText(entry.userId),
  agentId: toSqlText(entry.agentId),
  sessionId: toSqlText(entry.sessionId),
});

export const lostClaim = (): ToolFailure =>
  new ToolFailure('CONFLICT', 'Another call took over this idempotency key meanwhile.', {
    suggestions: ['Send the same call again to get the result of the other one.'],
    retryable: true,
  });

/** Why an anchor is refused, and what to do. */
export const ANCHOR_CONFLICTS = {
  row: [
    'The trail has no such row, or another one in its place.',
    'Verify the trail, then prune again with a new anchor.',
  ],
  open: ['A call among the rows is still open.', 'Wait until it is over, or prune less.'],
} as const;
