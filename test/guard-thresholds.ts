/** How much of the guards tests have to walk: every branch, where the programs that this takes are installed. */
import { reasonWithout } from './fixtures/needed-programs.ts';
import { reasonWithoutPostgres } from './fixtures/vendors/postgres-server.ts';

/** Returns the threshold; none, and says why, where tests of guards are skipped for want of a program. */
export const guardThresholds = (): { readonly branches?: 100 } => {
  const reasons = [reasonWithout('bwrap'), reasonWithoutPostgres()].filter(Boolean);
  if (reasons.length === 0) return { branches: 100 };
  if (process.argv.includes('--coverage')) {
    console.warn(`The branches of the guards are counted but not judged: ${reasons.join('; ')}.`);
  }
  return {};
};
