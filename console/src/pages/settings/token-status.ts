/** Whether a token is still valid, and what limits it. */
import type { Tone } from '../../components/badge.tsx';
import { money } from '../../components/format.ts';
import type { TokenItem } from './setting-records.ts';

export interface TokenStatus {
  readonly word: 'active' | 'expired' | 'revoked';
  readonly tone: Tone;
}

export const tokenStatus = (
  { revokedAt, expiresAt }: Pick<TokenItem, 'revokedAt' | 'expiresAt'>,
  now: number,
): TokenStatus => {
  if (revokedAt !== undefined) return { word: 'revoked', tone: 'neutral' };
  return expiresAt !== undefined && expiresAt <= now
    ? { word: 'expired', tone: 'neutral' }
    : { word: 'active', tone: 'good' };
};

/** Writes the limits of a token: `3 tools, $5.00 a day, strict`; empty when only the role counts. */
export const boundsText = ({ policy = {} }: Pick<TokenItem, 'policy'>): string => {
  const { tools, dailyUsd, isolation } = policy;
  const parts = [
    tools && (tools.length === 1 ? `only ${tools[0]}` : `${tools.length} tools`),
    dailyUsd !== undefined && `${money(dailyUsd)} a day`,
    isolation,
  ];
  return parts.filter(Boolean).join(', ');
};
