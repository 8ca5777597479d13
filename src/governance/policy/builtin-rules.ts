/**
 * The rules that ship, as data. Tier rules come after the user's: reading is free, writing asks
 * before it destroys, running programs and calling services always ask. Flow rules are guards: no
 * rule that allows can lift them.
 */
import type { RuleEffect } from '../../contract/policy.ts';
import type { Tier } from '../../contract/tool.ts';
import type { NativeText } from './condition/native-conditions.ts';

export interface BuiltinRule {
  readonly name: string;
  readonly effect: RuleEffect;
  readonly tiers?: readonly Tier[];
  readonly when?: NativeText;
  readonly everyTime?: boolean;
  readonly reason: string;
}

export const TIER_RULES: readonly BuiltinRule[] = [
  {
    name: 'confirm-delicate',
    effect: 'ask',
    tiers: ['read_only', 'write'],
    when: 'destructive',
    reason: 'The tool declares this action destructive or in need of confirmation.',
  },
  {
    name: 'tier-1-read',
    effect: 'allow',
    tiers: ['read_only'],
    reason: 'Read-only tools are on by default.',
  },
  {
    name: 'tier-2-write',
    effect: 'allow',
    tiers: ['write'],
    reason: 'Writes that destroy nothing are on by default; a snapshot is kept for undo.',
  },
  {
    name: 'tier-3-execute',
    effect: 'ask',
    tiers: ['execute'],
    reason: 'Every execution of a program or of code needs approval.',
  },
  {
    name: 'tier-4-external',
    effect: 'ask',
    tiers: ['external_api'],
    reason: 'Every call of an external service needs approval.',
  },
];

/** What to do when untrusted and private data meet a way out. */
export type FlowMode = 'ask' | 'deny' | 'off';

export const flowRules = (mode: FlowMode): readonly BuiltinRule[] =>
  mode === 'off'
    ? []
    : [
        {
          name: 'flow-trifecta',
          effect: mode,
          when: 'sink && flow.untrusted && flow.private',
          ...(mode === 'ask' && { everyTime: true }),
          reason:
            'The session has seen untrusted and private data, and this call can carry it out.',
        },
        {
          name: 'flow-secret',
          effect: 'deny',
          when: 'sink && flow.secret',
          reason: 'The session has seen secret data, and this call can carry it out.',
        },
      ];
