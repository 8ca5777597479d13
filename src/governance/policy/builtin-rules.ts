/**
 * The rules that ship, as data. Tier rules come after the user's: reading is free, writing asks
 * before it destroys, running programs and calling services always ask. Flow rules are guards: no
 * rule that allows can lift them.
 */
import type { Isolation } from '../../contract/caller.ts';
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

/** What to do when untrusted and private data reach a sink. */
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

export interface IsolationLevel {
  readonly rank: number;
  /** True when standing grants do not count. */
  readonly asksEveryTime: boolean;
  readonly rules: readonly BuiltinRule[];
}

const NO_WAY_OUT: BuiltinRule = {
  name: 'isolation-flow',
  effect: 'deny',
  when: 'sink && flow.untrusted && flow.private',
  reason: 'In strict isolation, a session with untrusted and private data reaches nobody outside.',
};

const ONLY_READING: readonly BuiltinRule[] = [
  {
    name: 'isolation-paranoid',
    effect: 'deny',
    tiers: ['execute', 'external_api'],
    reason: 'In paranoid isolation nothing is executed and no service is called.',
  },
  {
    name: 'isolation-paranoid-write',
    effect: 'ask',
    tiers: ['write'],
    everyTime: true,
    reason: 'In paranoid isolation a person agrees to every write.',
  },
];

/**
 * Each level includes the rules of those before it; the strictest of a caller and its roles counts. The
 * sandbox of a level is chosen in `isolation.ts`.
 */
export const ISOLATION_LEVELS: Readonly<Record<Isolation, IsolationLevel>> = {
  none: { rank: 0, asksEveryTime: false, rules: [] },
  basic: { rank: 1, asksEveryTime: false, rules: [] },
  strict: { rank: 2, asksEveryTime: true, rules: [NO_WAY_OUT] },
  paranoid: { rank: 3, asksEveryTime: true, rules: [NO_WAY_OUT, ...ONLY_READING] },
};

/** Treats an unknown level as the strictest. */
export const knownIsolation = (isolation: Isolation): Isolation =>
  Object.hasOwn(ISOLATION_LEVELS, isolation) ? isolation : 'paranoid';

export const stricter = (left: Isolation, right: Isolation): Isolation =>
  ISOLATION_LEVELS[right].rank > ISOLATION_LEVELS[left].rank ? right : left;
