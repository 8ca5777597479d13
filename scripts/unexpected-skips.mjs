/** Knows which tests may be skipped where every program is installed, and why. */

/** `title` is part of the full name of the test. */
const EXPECTED = [
  {
    file: /^src\/sandboxes\/(?:wasm|worker|process)\/create-\w+-sandbox\.test\.ts$/,
    why: 'a case of the common suite that this kind of sandbox has no ability for; the run prints which',
  },
  {
    file: /^src\/(?:sandboxes\/container\/create-container-sandbox|tools\/development\/docker)\.test\.ts$/,
    title: 'on a real Podman',
    why: 'Podman in a container needs rights that CI machines do not give: TOOLCRIB_TEST_PODMAN=1 runs them',
  },
  {
    file: /^test\/e2e\/shipped-tools\.test\.ts$/,
    title: "'docker' does what",
    why: 'a container engine in a container needs rights that CI machines do not give',
  },
  {
    file: /^src\/queues\/memory\/create-memory-queue\.test\.ts$/,
    title: 'queue workers',
    why: 'jobs in memory belong to one process; cases of the common suite with a second one are for the others',
  },
  {
    file: /^src\/queues\/qstash\/qstash-queue\.test\.ts$/,
    why: 'cases of the common suite that the service has no call for; the titles say which and why',
  },
  {
    file: /^test\/guarantees\/f4-storage\.test\.ts$/,
    title: 'disk',
    why: 'a disk of its own needs the right to mount, which containers do not always give',
  },
  {
    file: /^src\/stores\/sqlite\/read-only-medium\.test\.ts$/,
    why: 'a medium that is read-only needs the right to mount, which containers do not always give',
  },
  {
    file: /^src\/crib\/packages\/threats-full-disk\.test\.ts$/,
    why: 'a small disk needs the right to mount, which containers do not always give',
  },
  {
    file: /^test\/e2e\/health\.test\.ts$/,
    title: 'a read-only store',
    why: 'no file is closed to root, so that there is no read-only store for it',
  },
  {
    file: /^src\/governance\/paths\/threats-paths\.test\.ts$/,
    title: 'opens no device',
    why: 'a device file needs the right to make one, which containers do not always give',
  },
  {
    file: /^src\/cli\/commands\/project\/project-tasks\.test\.ts$/,
    why: 'pytest, cargo and go are no part of the machines that test; where one is installed, its test runs',
  },
];

/** What only root can prepare: files and processes of other users. */
const AS_ROOT_ONLY = [
  'src/sandboxes/process/other-parents.test.ts',
  'src/sandboxes/process/threats-process.test.ts',
  'src/sandboxes/sandbox-identity.test.ts',
  'src/sandboxes/container/recorded-engine.test.ts',
  'src/secrets/file/create-file-secrets.test.ts',
  'src/trust/load-config.test.ts',
  'src/governance/paths/find-repository.test.ts',
];

/** What root cannot see: no file is closed to it. */
const NOT_AS_ROOT = ['src/stores/sqlite/open-and-migrate.test.ts'];

const isExpected = ({ file, title }, { isRoot }) =>
  EXPECTED.some((rule) => rule.file.test(file) && title.includes(rule.title ?? '')) ||
  (isRoot ? NOT_AS_ROOT : AS_ROOT_ONLY).includes(file);

/** Absolute paths in the report start with the folder the run was made in. */
const relativeTo = (name) =>
  name.replaceAll('\\', '/').replace(/^.*?\/(?=(?:src|test|console)\/)/, '');

/**
 * @param {{ testResults?: { name: string, assertionResults?: { status: string, fullName: string }[] }[] }} report
 * @param {{ isRoot: boolean }} machine
 */
export const unexpectedSkips = ({ testResults = [] }, machine) =>
  testResults
    .flatMap(({ name, assertionResults = [] }) =>
      assertionResults
        .filter(({ status }) => status !== 'passed' && status !== 'failed')
        .map(({ fullName }) => ({ file: relativeTo(name), title: fullName.trim() })),
    )
    .filter((test) => !isExpected(test, machine));
