/** One short name for one call, whatever the order of the keys of its input. */
import { shortDigestOf } from '../../../kit/data/canonical-json.ts';

export const digestOf = (...parts: readonly unknown[]): string => shortDigestOf(parts);
