import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { integrationTests } from './test/integration-tests.ts';

/** What says no. Every branch of it is walked by a test; `npm test` fails when one is not. */
const GUARDS = [
  'src/governance/{policy,approvals,ledger,labels,audit,signing,paths,commands,egress}/**/*.ts',
  'src/pipeline/approval/{approval-service,earlier-approvals,approval-links,approval-record,call-bindings,permission-service}.ts',
  'src/pipeline/budget/{budgeting,call-scopes,holds}.ts',
  'src/pipeline/stages/{authorize,approve,reserve-budget}.ts',
  'src/stores/budget-amounts.ts',
  'src/stores/*/*-{ledger,approvals,grants,audit}.ts',
];

const isQuickLoop = process.env.npm_lifecycle_event === 'test:unit';

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src/**/*.test.ts', 'console/src/**/*.test.{ts,tsx}'],
          exclude: [...integrationTests()],
          // Not with all tests: a file that belongs on the list of the others does no harm there.
          setupFiles: isQuickLoop ? ['test/fixtures/refuse-processes.ts'] : [],
          // Modules of ours hold no state, so they are loaded once and not once a file: half the time.
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'integration', include: ['test/**/*.test.ts', ...integrationTests()] },
      },
    ],
    testTimeout: 30_000,
    pool: 'threads',
    maxWorkers: '100%',
    // Keys are made here, and not where the user of this machine keeps theirs.
    env: { TOOLCRIB_HOME: join(tmpdir(), `toolcrib-test-home-${process.pid}`) },
    coverage: {
      provider: 'v8',
      include: GUARDS,
      exclude: ['**/*.test.ts'],
      reporter: ['text-summary', ['text', { skipFull: true }]],
      reportOnFailure: true,
      thresholds: { branches: 100 },
    },
  },
});
