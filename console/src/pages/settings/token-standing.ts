/** Whether a token still opens the door, and what narrows it. */
import type { Tone } from '../../components/badge.tsx';
import { money } from '../../components/format.ts';
import type { TokenItem } from './setting-records.ts';

export interface Standing {
  readonly word: 'active' | 'expired' | 'revoked';
  readonly tone: Tone;
}

export const tokenStanding = (
  { revokedAt, expiresAt }: Pick<TokenItem, 'revokedAt' | 'expiresAt'>,
  now: number,
): Standing => {
  if (revokedAt !== undefined) return { word: 'revoked', tone: 'neutral' };
  return expiresAt !== undefined && expiresAt <= now
    ? { word: 'expired', tone: 'neutral' }
    : { word: 'active', tone: 'good' };
};

/** `3 tools, $5.00 a day, strict`; empty when only the role counts. */
export const boundsText = ({ policy = {} }: Pick<TokenItem, 'policy'>): string => {
  const { tools, dailyUsd, isolation } = policy;
  const parts = [
    tools && (tools.length === 1 ? `only ${tools[0]}` : `${tools.length} tools`),
    dailyUsd !== undefined && `${money(dailyUsd)} a day`,
    isolation,
  ];
  return parts.filter(Boolean).join(', ');
};
