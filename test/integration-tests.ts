/**
 * Tells the unit tests from the others among the tests that lie beside their files. A unit test starts
 * no program, server or browser, replaces no module and takes seconds at most: `npm run test:unit` runs
 * these alone. One that starts a program or listens fails.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/** What a test that starts programs, servers or browsers imports, itself or by a fixture. */
const OUTSIDE =
  /['"](?:node:(?:child_process|dgram|http2?|https|net|tls|worker_threads)|playwright-core|ws)['"]/;
/** Tests share loaded modules, so one that replaces a module has to run apart. */
const REPLACES_MODULES = /^\s*vi\.mock\(/m;
const FROM_FILES = /^(?:import|export)(?! type)[^;]*?from '(\.[^']+)'/gm;

/** Tests that import none of these, but whose code under test starts programs or listens. */
const BY_NAME: readonly string[] = [
  'src/cli/commands/add/add-grpc-doc.test.ts',
  'src/cli/commands/add/add-mcp.test.ts',
  'src/cli/commands/health/health-commands.test.ts',
  'src/cli/commands/packages/packages-commands.test.ts',
  'src/cli/commands/project/project-tasks.test.ts',
  'src/cli/commands/serve.test.ts',
  'src/cli/commands/servers/server-editor.test.ts',
  'src/cli/commands/servers/servers-offer.test.ts',
  'src/cli/commands/team/team-commands.test.ts',
  'src/cli/commands/tools/tools-custom.test.ts',
  'src/cli/commands/tools/tools-health.test.ts',
  'src/cli/commands/tools/tools-lock.test.ts',
  'src/cli/session/custom-tools.test.ts',
  'src/cli/session/threats-trusted-restrictions.test.ts',
  'src/crib/create-crib.test.ts',
  'src/crib/members/threats-server-reads.test.ts',
  'src/crib/open-project.test.ts',
  'src/crib/packages/threats-installed-packages.test.ts',
  'src/crib/sources/connected-servers.test.ts',
  'src/crib/sources/threats-busy-definitions.test.ts',
  'src/crib/team/key-rotation.test.ts',
  'src/crib/team/threats-enforcement.test.ts',
  'src/crib/team/threats-team-client.test.ts',
  'src/pipeline/approval/threats-exchanged-files.test.ts',
  'src/pipeline/broker/brokered-exec.test.ts',
  'src/pipeline/broker/note-usage.test.ts',
  'src/sandboxes/process/packaged-program.test.ts',
  'src/server/open-server.test.ts',
  'src/server/team-catalog.test.ts',
  'src/server/threats-team-catalog.test.ts',
  'src/sources/custom/create-custom-source.test.ts',
  'src/sources/custom/error-places.test.ts',
  'src/sources/custom/load-tool-files.test.ts',
  'src/sources/custom/map-failure.test.ts',
  'src/sources/custom/platform.test.ts',
  'src/sources/graphql/github-schema.test.ts',
  'src/sources/grpc/grpc-driver.test.ts',
  'src/sources/grpc/grpc-failures.test.ts',
  'src/sources/grpc/threats-grpc-servers.test.ts',
  'src/sources/mcp/call/call-tool.test.ts',
  'src/sources/mcp/create-mcp-servers.test.ts',
  'src/sources/mcp/server-link.test.ts',
  'src/sources/mcp/stdio/stdio-transport.test.ts',
  'src/sources/mcp/stuck-servers.test.ts',
  'src/sources/openapi/operations/operation-names.test.ts',
  'src/sources/openapi/read/read-documents.test.ts',
  'src/sources/openapi/schema/convert-schema.test.ts',
  'src/sources/openapi/schema/odd-schemas.test.ts',
  'src/sources/openapi/schema/threats-schema-work.test.ts',
  'src/sources/openapi/threats-documents.test.ts',
  'src/surfaces/http/draining.test.ts',
  'src/surfaces/mcp/forwarding-changes.test.ts',
  'src/surfaces/mcp/forwarding-content.test.ts',
  'src/surfaces/mcp/forwarding-eras.test.ts',
  'src/surfaces/mcp/forwarding-questions.test.ts',
  'src/surfaces/mcp/forwarding-several.test.ts',
  'src/surfaces/mcp/forwarding.test.ts',
  'src/tools/code-mode/declare-tools.test.ts',
  'src/tools/code-mode/run-code.test.ts',
  'src/tools/code-mode/type-checker.test.ts',
  'src/tools/code/check-in-process.test.ts',
  'src/tools/code/parse-typescript.test.ts',
  'src/tools/code/type-check.test.ts',
  'src/tools/database/query-database.test.ts',
  'src/tools/local/text-transform.test.ts',
  'src/tools/npm-registries.test.ts',
  'src/tools/results/read-result.test.ts',
  'src/tools/threats-busy.test.ts',
  'src/tools/validation/json-parser.test.ts',
  'src/tools/validation/threats-schema.test.ts',
  'src/tools/validation/validate-json.test.ts',
  'src/tools/validation/validate-yaml.test.ts',
];

/** Tests that take long: load, hangs, conformance of what writes to disk, many generated inputs. */
const SLOW: readonly string[] = [
  'src/cli/commands/audit/audit-commands.test.ts',
  'src/flow/declared/large-flows.test.ts',
  'src/flow/flow-hang.test.ts',
  'src/flow/large-runs.test.ts',
  'src/governance/paths/generated-paths.test.ts',
  'src/governance/redaction/long-texts.test.ts',
  'src/pipeline/threats-odd-tools.test.ts',
  'src/queues/memory/create-memory-queue.test.ts',
  'src/queues/sqlite/create-sqlite-queue.test.ts',
  'src/stores/sqlite/create-sqlite-store.test.ts',
];

const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

const reachesOutside = (file: string, seen = new Set<string>()): boolean => {
  if (seen.has(file)) return false;
  seen.add(file);
  const text = textOf(file);
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

const below = (...folders: readonly string[]): readonly string[] =>
  folders.flatMap(testsBelow).sort();

/** Paths of the tests below `src` and `console/src` that are not unit tests, in order. */
export const integrationTests = (): readonly string[] =>
  below('src', 'console/src').filter(
    (file) => BY_NAME.includes(file) || SLOW.includes(file) || reachesOutside(file),
  );

/** Paths of all tests that replace a module, which no other test may see. */
export const replacingTests = (): readonly string[] =>
  below('src', 'console/src', 'test').filter((file) => REPLACES_MODULES.test(textOf(file)));
