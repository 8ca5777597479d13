// Runs the guarantee suites, in full unless told otherwise: --size small|full, then ids such as B1 Z2
// or names of suites such as f3-postgres; --title runs only the tests whose titles have that text.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

const folder = new URL('../test/guarantees/', import.meta.url);
const suites = readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
const { values, positionals } = parseArgs({
  options: {
    size: { type: 'string', default: 'full' },
    title: { type: 'string', short: 't' },
    help: { type: 'boolean', short: 'h' },
  },
  allowPositionals: true,
});

if (values.help || !['small', 'full'].includes(values.size)) {
  console.log(
    'Usage: npm run guarantees -- [--size small|full] [--title PostgreSQL] [B1 Z2 f3-postgres ...]',
  );
  console.log(`Suites: ${suites.map((name) => name.replace('.test.ts', '')).join(', ')}`);
  process.exit(values.help ? 0 : 2);
}

const wanted = positionals.map((id) => id.toLowerCase());
const chosen = suites.filter(
  (name) =>
    wanted.length === 0 ||
    wanted.some((id) => name === `${id}.test.ts` || name.split('-').includes(id)),
);
if (chosen.length === 0) {
  console.error(`No suite is called ${positionals.join(', ')}.`);
  process.exit(2);
}
const titled = values.title === undefined ? [] : ['--testNamePattern', values.title];
// One suite at a time: several of them load the machine on purpose.
const vitest = spawnSync(
  'npx',
  [
    'vitest',
    'run',
    '--no-file-parallelism',
    ...titled,
    ...chosen.map((name) => `test/guarantees/${name}`),
  ],
  { stdio: 'inherit', env: { ...process.env, GUARANTEE_SIZE: values.size } },
);
if (vitest.error) console.error(`The suites did not run: ${vitest.error.message}`);
if (vitest.signal) console.error(`The suites were ended by ${vitest.signal}: there is no result.`);
process.exit(vitest.status ?? 1);
