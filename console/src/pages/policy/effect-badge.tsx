/** What a rule does, in a word and a colour. */
import { Badge, type Tone } from '../../components/badge.tsx';
import type { RuleEffect } from './policy-records.ts';

const TONES: Readonly<Record<RuleEffect, Tone>> = { allow: 'good', ask: 'warn', deny: 'bad' };

export const EffectBadge = ({ effect }: { readonly effect: RuleEffect }) => (
  <Badge tone={TONES[effect]}>{effect}</Badge>
);

export const ShadowBadge = ({ isShadow }: { readonly isShadow: boolean }) =>
  isShadow ? <Badge tone="accent">shadow</Badge> : null;
