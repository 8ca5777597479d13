/**
 * Tells whether the caller of a run or a job may still call. The pipeline judges rules, grants and limits
 * at each step, but only the record of a token tells that it was revoked or has expired.
 */
import type { Caller } from '../../contract/caller.ts';
import { type ToolError, toolError } from '../../contract/errors.ts';
import type { Tokens } from '../../contract/tokens.ts';

/** The prefix with which the HTTP surface names the session of a token. */
const SESSION_PREFIX = 'token:';

/** Returns the id of the token that proved the caller; `undefined` for a caller without a token. */
export const tokenOf = ({ authenticated }: Caller): string | undefined =>
  authenticated?.sessionId.startsWith(SESSION_PREFIX)
    ? authenticated.sessionId.slice(SESSION_PREFIX.length)
    : undefined;

export interface CallerRefusalDeps {
  readonly tokens: Pick<Tokens, 'get'>;
  readonly now: number;
}

/** Returns why a token may not call any more, a missing one included; `undefined` when it may. */
export const tokenRefusal = async (
  tokenId: string,
  { tokens, now }: CallerRefusalDeps,
): Promise<ToolError | undefined> => {
  const record = await tokens.get(tokenId);
  const isOver = record?.expiresAt !== undefined && record.expiresAt <= now;
  if (record && record.revokedAt === undefined && !isOver) return undefined;
  const why = isOver ? 'has expired' : 'is revoked';
  return toolError('PERMISSION_DENIED', `The token that started it ${why}.`, {
    suggestions: ['Cancel it, and start it again as somebody who may.'],
  });
};
