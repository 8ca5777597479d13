/** How much of the guards tests have to walk: every branch, where the programs that this takes are installed. */
import { reasonWithout } from './fixtures/needed-programs.ts';
import { reasonWithoutPostgres } from './fixtures/vendors/postgres-server.ts';

/** Says why some tests of guards are skipped on this machine; empty where all of them run. */
const reasons = (): readonly string[] =>
  [reasonWithout('bwrap'), reasonWithoutPostgres()].filter((reason) => reason !== undefined);

export const guardThresholds = (): { readonly branches?: 100 } =>
  reasons().length === 0 ? { branches: 100 } : {};

/** Prints why the branches are not judged, if they are not. */
export const warnUnlessJudged = (): void => {
  if (reasons().length === 0) return;
  console.warn(`The branches of the guards are counted but not judged: ${reasons().join('; ')}.`);
};
