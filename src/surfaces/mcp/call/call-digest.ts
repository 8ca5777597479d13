/** One short name for one call, whatever the order of the keys of its input. */
import { shortDigestOf } from '../../../kit/data/canonical-json.ts';
import { lazy } from '../../../kit/data/lazy.ts';

export const digestOf = (...parts: readonly unknown[]): string => shortDigestOf(parts);

/** The same, made when somebody asks: most calls wait for nothing and bring no state. */
export const laterDigest = (...parts: readonly unknown[]): (() => string) =>
  lazy(() => digestOf(...parts));
