/**
 * Says whether the caller of a run or a job may still call. Rules, grants and limits are judged by the pipeline at
 * each step; that a token was revoked, or has expired, only its record tells.
 */
import type { Caller } from '../../contract/caller.ts';
import { type ToolError, toolError } from '../../contract/errors.ts';
import type { Tokens } from '../../contract/tokens.ts';

/** What the HTTP surface puts before the id of a token to name the session of its caller. */
const SESSION_PREFIX = 'token:';

/** Gives the id of the token that proved the caller; `undefined` for a caller without a token. */
export const tokenOf = ({ authenticated }: Caller): string | undefined =>
  authenticated?.sessionId.startsWith(SESSION_PREFIX)
    ? authenticated.sessionId.slice(SESSION_PREFIX.length)
    : undefined;

export interface CallerRefusalDeps {
  readonly tokens: Pick<Tokens, 'get'>;
  readonly now: number;
}

/** Returns why a token may call no more; one that is not found may not, either. */
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
