/**
 * The rules that each isolation level adds. Each level includes the ones before it, and the
 * strictest of a caller and its roles counts. The sandbox of a level is chosen in `isolation.ts`.
 */
import type { Isolation } from '../../contract/caller.ts';
import type { BuiltinRule } from './builtin-rules.ts';

export interface IsolationLevel {
  readonly rank: number;
  /** Standing grants do not count. */
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
