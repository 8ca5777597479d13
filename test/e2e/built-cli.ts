/** The built program: `dist` when it is newer than every source, a build of its own otherwise. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const ENTRY = 'dist/cli/main.js';
const HOUR_MS = 3_600_000;

const sources = (): readonly string[] =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort();

const changed = (path: string): number => statSync(path).mtimeMs;

const digestOf = (files: readonly string[]): string => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}:${changed(join(root, 'src', file))}\n`);
  return hash.digest('hex').slice(0, 16);
};

/** Inside node_modules, so that the libraries are found; renamed at the end, so never half done. */
const build = (target: string, cache: string): void => {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    const old = join(cache, name);
    if (changed(old) < Date.now() - HOUR_MS) rmSync(old, { recursive: true, force: true });
  }
  const scratch = mkdtempSync(join(cache, 'building-'));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const config = join(root, 'tsconfig.build.json');
  // Types are checked elsewhere; here only the program is wanted.
  const options = [
    '-p',
    config,
    '--outDir',
    join(scratch, 'dist'),
    '--noCheck',
    '--declaration',
    'false',
  ];
  execFileSync(process.execPath, [compiler, ...options], { stdio: 'inherit' });
  copyFileSync(join(root, 'package.json'), join(scratch, 'package.json'));
  if (existsSync(target)) rmSync(scratch, { recursive: true, force: true });
  else renameSync(scratch, target);
};

const find = (): string => {
  const files = sources();
  const newest = Math.max(...files.map((file) => changed(join(root, 'src', file))));
  const dist = join(root, ENTRY);
  if (existsSync(dist) && changed(dist) > newest) return dist;
  const cache = join(root, 'node_modules/.cache/toolcrib-cli');
  const target = join(cache, digestOf(files));
  if (!existsSync(target)) build(target, cache);
  return join(target, ENTRY);
};

let found: string | undefined;

/** The path of `main.js`; the same for a whole test file, even when somebody edits meanwhile. */
export const builtCli = (): string => {
  found ??= find();
  return found;
};
