/** Calls the fixed sample of operations and prints what went wrong. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runTasks } from './worker-pool.mjs';

const SAMPLE = new URL('../../test/fixtures/openapi/sample.json', import.meta.url);
const WORKER = fileURLToPath(new URL('call-worker.mjs', import.meta.url));

/** The share of the sampled calls that has to succeed. */
const MIN_PERCENT = 99;

const tasksOf = (all, only) => {
  const sample = JSON.parse(readFileSync(SAMPLE, 'utf8'));
  const files = new Map(all.map(({ name, file }) => [name, file]));
  return Object.entries(sample)
    .filter(([name]) => only === undefined || name.includes(only))
    .map(([name, operations]) => ({ name, operations, file: files.get(name) }));
};

/** Returns what misses the target. */
export const callSample = async ({ all, only, dist, workers }) => {
  const results = [];
  const tasks = tasksOf(all, only);
  await runTasks(WORKER, tasks, {
    workers,
    data: { dist },
    taskMs: 120_000,
    onResult: ({ name, operations }, result) => {
      const calls =
        result.results ??
        operations.map((operation) => ({
          operation,
          ok: false,
          step: 'crash',
          fault: result.crashed,
        }));
      results.push(...calls.map((one) => ({ name, ...one })));
    },
  });
  const failed = results.filter(({ ok }) => !ok);
  for (const { name, operation, step, fault } of failed) {
    console.log(`  ${step}: ${name} ${operation}: ${String(fault).slice(0, 300)}`);
  }
  const good = results.length - failed.length;
  console.log(`\nCalls: ${good} of ${results.length} sampled operations answered as they should`);
  const share = results.length === 0 ? 100 : (100 * good) / results.length;
  return share < MIN_PERCENT ? [`only ${share.toFixed(1)} % of the sampled calls succeeded`] : [];
};
