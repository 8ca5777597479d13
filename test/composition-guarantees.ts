/** The promises about composed tools and the values of their steps. */
import type { Guarantee, Proof } from './architecture/check-guarantees.ts';

/** Tests of one file, by their titles. */
const by = (file: string, ...names: readonly string[]): readonly Proof[] =>
  names.map((name) => ({ file, name }));

export const COMPOSITION_GUARANTEES: readonly Guarantee[] = [
  {
    id: 'composed-as-strict-as-parts',
    promise:
      'A composed tool is as strict as its strictest part, and each part is judged by itself.',
    tests: [
      ...by(
        'src/flow/compose/threats-compose.test.ts',
        'a composed tool is as dangerous as its most dangerous part, however deep',
        'a rule that denies the tier denies the whole before the first part runs',
        'a rule against a part holds inside a whole that is allowed',
        'a part of another version than it was composed of is refused',
      ),
      ...by(
        'src/crib/composed-tools.test.ts',
        '%s: it waits for a person again',
        'a file cannot claim a tier, labels or permissions',
      ),
    ],
  },
  {
    id: 'composed-effects-once',
    promise: 'A composed tool holds money once, repeats no effect, and is undone part by part.',
    tests: [
      ...by(
        'src/flow/compose/threats-compose.test.ts',
        'a composed call holds the cost of each part once, and books no more than they cost',
        'a composed tool that the budget does not cover does not start',
        'undoes its parts in reverse, once',
        'undoes what a failed whole has done',
      ),
      ...by(
        'src/flow/compose/compose.test.ts',
        'never repeats a part that had an effect, also for a code that says "not begun"',
      ),
    ],
  },
  {
    id: 'values-bounded',
    promise: 'Paths and expressions of steps reach data alone, within a bounded time.',
    tests: by(
      'src/flow/values/compile-value.test.ts',
      'no path names %s',
      'inherited fields are not there',
      'is told, and the next evaluation starts anew',
    ),
  },
];
