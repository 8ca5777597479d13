/** Prints `N passed, N failed[, N skipped]` for a vitest JSON report: <report.json> <exit code>. */
import { readFileSync } from 'node:fs';
import { countTests } from './count-tests.mjs';

const [path, exitCode] = process.argv.slice(2);

/** A run that died leaves no report, or half of one. */
const readReport = () => {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    console.error(`The test run left no report that can be read: ${error.message}`);
    return undefined;
  }
};

const { passed, failed, skipped } = countTests(readReport(), Number(exitCode));
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
