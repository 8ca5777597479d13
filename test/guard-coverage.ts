/**
 * Measures the coverage of the guards alone. Vitest asks V8 for every module that a test has loaded
 * and throws away what `coverage.include` does not name only at the end: most of what it stores and
 * merges. Here the rest is left out at once, and tests that no guard depends on are not measured.
 */
import coverage from '@vitest/coverage-v8';
import { warnUnlessJudged } from './guard-thresholds.ts';
import { GUARDS } from './guards.ts';

/** The folder that a pattern begins with. */
const folderOf = (pattern: string): string => `/${pattern.slice(0, pattern.search(/[^/]*[{*]/))}`;

const FOLDERS = [...new Set(GUARDS.map(folderOf))];

const isGuard = ({ url }: { readonly url: string }): boolean =>
  FOLDERS.some((folder) => url.includes(folder)) && !url.endsWith('.test.ts');

/** Set per project in `vitest.config.ts`. */
const isMeasured = (): boolean => process.env.MEASURES_GUARDS === 'yes';

type Module = typeof coverage;
type Taken = Awaited<ReturnType<NonNullable<Module['takeCoverage']>>> & {
  readonly result: readonly { readonly url: string }[];
};

// biome-ignore lint/style/noDefaultExport: it is how vitest finds a provider
export default {
  getProvider: () => {
    warnUnlessJudged();
    return coverage.getProvider();
  },
  startCoverage: (options) => (isMeasured() ? coverage.startCoverage?.(options) : undefined),
  takeCoverage: async (options) => {
    if (!isMeasured()) return undefined;
    const taken = (await coverage.takeCoverage?.(options)) as Taken | undefined;
    return taken && { result: taken.result.filter(isGuard) };
  },
  stopCoverage: (options) => (isMeasured() ? coverage.stopCoverage?.(options) : undefined),
} satisfies Module;
