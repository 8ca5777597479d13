/** The program as `npm run build` left it: `npm test` builds before it tests. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lazy } from '../../src/kit/data/lazy.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const entry = join(root, 'dist/cli/main.js');

/** Reads the times of all sources, once per test file: there are some two thousand. */
const newestSource = lazy((): number =>
  Math.max(
    ...readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => statSync(join(root, 'src', name)).mtimeMs),
  ),
);

/** The path of `main.js`. Throws when it is missing or older than the source. */
export const builtCli = (): string => {
  if (!existsSync(entry) || statSync(entry).mtimeMs < newestSource()) {
    throw new Error('The program is not built, or older than its source. Run: npm run build');
  }
  return entry;
};
