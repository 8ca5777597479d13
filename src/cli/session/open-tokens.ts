/** Opens the tokens of the current project for one command. */
import { randomBytes } from 'node:crypto';
import type { CribHost } from '../../contract/crib-host.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { TokenRecord } from '../../contract/tokens.ts';
import type { TokenService } from '../../surfaces/http/auth/token-service.ts';
import { byStart } from '../input/by-start.ts';
import type { Io } from '../io.ts';
import { withStore } from './open-crib.ts';

/** Opens the tokens in the store of a crib. */
export const tokensOf = async (io: Io, crib: CribHost): Promise<TokenService> => {
  const { createTokenService } = await import('../../surfaces/http/auth/token-service.ts');
  const tokens = async () => (await crib.store()).tokens;
  return createTokenService({ runtime: io.runtime, randomBytes, tokens });
};

export const withTokens = <T>(io: Io, work: (tokens: TokenService) => Promise<T>): Promise<T> =>
  withStore(io, async ({ crib }) => work(await tokensOf(io, crib)));

/** Leaves out the hash of the secret. */
export const shownToken = ({ hash: _, ...shown }: TokenRecord): Omit<TokenRecord, 'hash'> => shown;

export const tokenState = (
  { revokedAt, expiresAt }: TokenRecord,
  now: number,
): 'good' | 'revoked' | 'expired' => {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'good';
};

/** Finds a valid token by its id, its name or a unique beginning of its id. */
export const findToken = (
  records: readonly TokenRecord[],
  typed: string,
  now: number,
): TokenRecord => {
  const valid = records.filter((record) => tokenState(record, now) === 'good');
  const record =
    valid.find(({ id }) => id === typed) ??
    valid.find(({ name }) => name === typed) ??
    byStart(valid, typed, ({ id }) => id);
  if (record) return record;
  throw new ToolFailure('NOT_FOUND', 'There is no valid token of that name or id.', {
    suggestions: ['See which there are: toolcrib tokens'],
  });
};
