// Knows whether `dist` is what a build of the present sources would leave. The installation builds, and
// so does the command that tests: without this, CI builds the same files twice.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Not in `dist`, all of which is published. */
const STAMP = 'node_modules/.cache/toolcrib/build.json';
/** The last file that each half of a build writes. */
const LAST_BUILT = ['dist/cli/main.js', 'dist/console/index.html'];
const INPUTS = [
  ...['src', 'scripts', 'console/src', 'console/public', 'console/index.html'],
  ...['console/package.json', 'console/vite.config.ts', 'console/tsconfig.json'],
  ...['tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'],
];

const isTest = (path) => /\.test\.tsx?$/.test(path);

/** Relative paths of a file, or of all files below a folder, in order; none when it is not there. */
const filesAt = (root, path) => {
  const status = statSync(join(root, path), { throwIfNoEntry: false });
  if (!status) return [];
  if (!status.isDirectory()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((file) => !isTest(file))
    .sort();
};

/** Digests names and contents of everything that a build reads. */
const digestInputs = (root) => {
  const hash = createHash('sha256').update(process.version);
  for (const file of INPUTS.flatMap((path) => filesAt(root, path))) {
    const content = readFileSync(join(root, file));
    hash.update(`\n${file}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex');
};

/** Times of the files that a build writes last; undefined when one is missing. */
const timesBuilt = (root) => {
  const times = LAST_BUILT.map(
    (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs,
  );
  return times.includes(undefined) ? undefined : times;
};

/** To be called at the end of a build. */
export const rememberBuild = (root = ROOT) => {
  const stamp = join(root, STAMP);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, JSON.stringify({ inputs: digestInputs(root), built: timesBuilt(root) }));
};

/** Tells whether the last build that ended was one of the present sources, and is still there. */
export const isBuilt = (root = ROOT) => {
  let stamp;
  try {
    stamp = JSON.parse(readFileSync(join(root, STAMP), 'utf8'));
  } catch {
    return false;
  }
  const built = timesBuilt(root);
  return (
    built !== undefined &&
    JSON.stringify(built) === JSON.stringify(stamp.built) &&
    digestInputs(root) === stamp.inputs
  );
};
