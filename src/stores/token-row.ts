/** How databases keep a token: the record as it was made, and what happened to it since. */
import type { TokenRecord } from '../contract/tokens.ts';

export interface TokenRow {
  readonly record: string;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
}

export const toTokenRecord = (row: TokenRow): TokenRecord => ({
  ...JSON.parse(row.record),
  ...(row.revoked_at !== null && { revokedAt: row.revoked_at }),
  ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
});
