/** A short word in a colour. The word carries the meaning, the colour only helps. */
import type { ReactNode } from 'react';

export type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'info' | 'accent';

export const Badge = (props: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span className={`badge badge-${props.tone ?? 'neutral'}`}>{props.children}</span>
);

const STATUS: ReadonlyMap<string, Tone> = new Map([
  ['success', 'good'],
  ['failure', 'bad'],
  ['timeout', 'bad'],
  ['denied', 'bad'],
  ['unknown', 'warn'],
  ['pending', 'warn'],
  ['waiting', 'warn'],
  ['cancelled', 'neutral'],
  ['undone', 'info'],
  ['started', 'info'],
  ['running', 'info'],
  ['approved', 'good'],
  ['used', 'good'],
  ['completed', 'good'],
  ['done', 'good'],
  ['failed', 'bad'],
  ['blocked', 'bad'],
  ['sleeping', 'info'],
  ['open', 'warn'],
  ['rejected', 'bad'],
  ['published', 'info'],
]);

/** Shows the state of a call or a question. */
export const StatusBadge = ({ status }: { readonly status: string }) => (
  <Badge tone={STATUS.get(status) ?? 'neutral'}>{status}</Badge>
);

const TIER: ReadonlyMap<string, readonly [Tone, string]> = new Map([
  ['read_only', ['neutral', 'read only']],
  ['write', ['info', 'write']],
  ['execute', ['warn', 'execute']],
  ['external_api', ['accent', 'external API']],
]);

/** Shows the risk of a tool or a call. */
export const TierBadge = ({ tier }: { readonly tier: string }) => {
  const [tone, word] = TIER.get(tier) ?? ['neutral' as const, tier];
  return tier === '' ? null : <Badge tone={tone}>{word}</Badge>;
};
