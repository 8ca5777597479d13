// Fails a CI run in which a test was skipped that should have run: <report.json> of vitest, <user id>.
// CI installs every program that tests need, so a skip there means that something was not tried.
import { readFileSync } from 'node:fs';
import { unexpectedSkips } from './unexpected-skips.mjs';

const [path, userId] = process.argv.slice(2);
const skipped = unexpectedSkips(JSON.parse(readFileSync(path, 'utf8')), {
  isRoot: userId === '0',
});
if (skipped.length > 0) {
  console.error(`Skipped, and not expected to be (scripts/unexpected-skips.mjs has the list):`);
  for (const { file, title } of skipped) console.error(`  ${file}: ${title}`);
  process.exitCode = 1;
}
