/** The tokens of the project one stands in, for the time of one command. */
import { randomBytes } from 'node:crypto';
import { ToolFailure } from '../../../contract/errors.ts';
import type { TokenRecord } from '../../../contract/tokens.ts';
import type { TokenService } from '../../../surfaces/http/auth/token-service.ts';
import type { Io } from '../../io.ts';
import { withStore } from '../../session/open-crib.ts';

export const withTokens = <T>(io: Io, work: (tokens: TokenService) => Promise<T>): Promise<T> =>
  withStore(io, async ({ crib }) => {
    const { createTokenService } = await import('../../../surfaces/http/auth/token-service.ts');
    const tokens = async () => (await crib.store()).tokens;
    return work(createTokenService({ runtime: io.runtime, randomBytes, tokens }));
  });

/** Everything but the hash of the secret. */
export const shownToken = ({ hash: _, ...shown }: TokenRecord): Omit<TokenRecord, 'hash'> => shown;

export const tokenState = (
  { revokedAt, expiresAt }: TokenRecord,
  now: number,
): 'good' | 'revoked' | 'expired' => {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'good';
};

const misuse = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, {
    suggestions: ['See which there are: toolcrib tokens'],
  });

/** A token that is good, by its id or its name. */
export const findToken = (
  records: readonly TokenRecord[],
  wanted: string,
  now: number,
): TokenRecord => {
  const good = records.filter((record) => tokenState(record, now) === 'good');
  const found = good.find(({ id }) => id === wanted) ?? good.find(({ name }) => name === wanted);
  if (!found) throw misuse('There is no token of that name or id that is good.');
  return found;
};
