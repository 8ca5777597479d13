/**
 * Tells the unit tests from the others among the tests that lie beside their files. A unit test starts
 * no program, server or browser and replaces no module: `npm run test:unit` runs these alone, and fails
 * one that starts a program or listens.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** What a test that starts programs, servers or browsers imports, itself or by a fixture. */
const OUTSIDE =
  /['"](?:node:(?:child_process|dgram|http2?|https|net|tls|worker_threads)|playwright-core|ws)['"]/;
/** Unit tests share loaded modules, so one that replaces a module cannot be among them. */
const REPLACES_MODULES = /^\s*vi\.mock\(/m;
const FROM_FILES = /^(?:import|export)(?! type)[^;]*?from '(\.[^']+)'/gm;

/** Tests that import none of these, but whose code under test starts programs or listens. */
const BY_NAME: readonly string[] = [
  'src/pipeline/broker/brokered-exec.test.ts',
  'src/server/open-server.test.ts',
  'src/sources/custom/create-custom-source.test.ts',
  'src/sources/mcp/call-tool.test.ts',
  'src/sources/mcp/create-mcp-servers.test.ts',
  'src/tools/code-mode/run-code.test.ts',
  'src/tools/code-mode/type-checker.test.ts',
  'src/tools/code/check-in-process.test.ts',
  'src/tools/code/type-check.test.ts',
  'src/tools/database/query-database.test.ts',
  'src/tools/npm-registries.test.ts',
];

const reachesOutside = (file: string, seen = new Set<string>()): boolean => {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = readFileSync(join(root, file), 'utf8');
  if (OUTSIDE.test(text) || REPLACES_MODULES.test(text)) return true;
  return [...text.matchAll(FROM_FILES)]
    .map(([, path = '']) => relative(root, join(root, dirname(file), path)))
    .filter((path) => path.startsWith('test') && path.endsWith('.ts'))
    .some((path) => reachesOutside(path, seen));
};

const testsBelow = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

/** Paths of the tests below `src` and `console/src` that are not unit tests, in order. */
export const integrationTests = (): readonly string[] =>
  [...testsBelow('src'), ...testsBelow('console/src')]
    .filter((file) => BY_NAME.includes(file) || reachesOutside(file))
    .sort();
