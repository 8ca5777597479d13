import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { runFolder } from './test/fixtures/run-folder.ts';
import { guardThresholds } from './test/guard-thresholds.ts';
import { GUARDS } from './test/guards.ts';
import { integrationTests, replacingTests } from './test/integration-tests.ts';
import { ProjectOrder } from './test/project-order.ts';

/** For the projects whose tests walk the branches of the guards; the others run faster without. */
const MEASURED = { MEASURES_GUARDS: 'yes' };

/**
 * Modules of ours hold no state, so they are loaded once a worker and not once a file: half the time of
 * the unit tests, and seconds for each file that opens a whole crib.
 */
const SHARED_MODULES = { isolate: false };

/**
 * For the projects that start programs: a process of its own for each worker, not a thread. Starting a
 * program copies the page tables of the process that does so, which takes 25 ms for each GB that it holds.
 * Threads hold the memory of all workers together, and wait for one another while that goes on.
 */
const STARTS_PROGRAMS = { pool: 'forks' } as const;

/** They drive a real browser. */
const CONSOLE_TESTS = 'test/e2e/console*.test.ts';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'console/src/**/*.test.{ts,tsx}'],
          exclude: [...integrationTests()],
          setupFiles: ['test/fixtures/refuse-processes.ts'],
          ...SHARED_MODULES,
          env: { ...MEASURED },
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: [...integrationTests()],
          exclude: [...replacingTests()],
          ...SHARED_MODULES,
          ...STARTS_PROGRAMS,
          env: { ...MEASURED },
        },
      },
      {
        extends: true,
        test: { name: 'replacing', include: [...replacingTests()], env: { ...MEASURED } },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/**/*.test.ts'],
          exclude: [...replacingTests(), CONSOLE_TESTS],
          setupFiles: ['test/e2e/remove-projects.ts'],
          ...SHARED_MODULES,
          ...STARTS_PROGRAMS,
        },
      },
      {
        extends: true,
        test: {
          name: 'console',
          include: [CONSOLE_TESTS],
          // One Chromium for all of them.
          globalSetup: ['test/fixtures/share-browser.ts'],
          ...SHARED_MODULES,
          ...STARTS_PROGRAMS,
        },
      },
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // By itself it gives up after a second, which a busy machine takes for a first import alone.
    expect: { poll: { timeout: 20_000, interval: 10 } },
    sequence: { sequencer: ProjectOrder },
    pool: 'threads',
    // More than there are cores: tests wait for children, disks and locks.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    globalSetup: ['test/fixtures/run-folder.ts'],
    env: {
      TMPDIR: runFolder(),
      // Keys are made here, and not where the user of this machine keeps theirs.
      TOOLCRIB_HOME: join(runFolder(), 'home'),
    },
    coverage: {
      provider: 'custom',
      customProviderModule: 'test/guard-coverage.ts',
      include: [...GUARDS],
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', ['text', { skipFull: true }]],
      reportOnFailure: true,
      thresholds: guardThresholds(),
    },
  },
});
