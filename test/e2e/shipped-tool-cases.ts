/**
 * What the documented examples of the shipped tools need around them: files, local servers in the
 * place of the vendors, settings and keys. Every registered tool has an entry.
 */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from '@photostructure/sqlite';
import { API_KEY, OPENAI, startModelEndpoint } from '../conformance/model-endpoint.ts';
import { reasonWithout } from '../fixtures/needed-programs.ts';
import { openNpmRegistry } from '../fixtures/npm-registry.ts';
import { openGraphql } from '../fixtures/vendors/graphql-server.ts';
import { openPostgrest, SUPABASE_KEY } from '../fixtures/vendors/postgrest-server.ts';
import { BRAVE_KEY, openBrave } from '../fixtures/vendors/search-server.ts';
import { openSendgrid, SENDGRID_KEY } from '../fixtures/vendors/sendgrid-server.ts';
import { openStripe, STRIPE_KEY } from '../fixtures/vendors/stripe-server.ts';
import { type Answer, openVendor } from '../fixtures/vendors/vendor-site.ts';
import { openVercel, VERCEL_KEY } from '../fixtures/vendors/vercel-server.ts';

type Environment = Readonly<Record<string, string>>;

/** A server on this machine. */
export interface Beside {
  readonly url: string;
  close(): Promise<void>;
}

export interface ToolCase {
  readonly files?: Readonly<Record<string, string>>;
  /** What stands for the service. */
  open?(): Promise<Beside>;
  /** Whatever else the folder needs, by the address of what `open` opened. */
  prepare?(folder: string, url: string): void | Promise<void>;
  /** Settings and keys, by the address of what `open` opened. */
  env?(url: string): Environment;
  /** The address in the examples that stands for the service. */
  readonly from?: string;
  /** An input in the place of an example, for a tool whose input only an earlier call can give. */
  readonly sample?: object;
  /** Why the examples cannot be run on this machine, where they cannot. */
  skip?(): string | undefined;
}

/** A program that is not there, and what is said then. */
export interface MissingProgram {
  readonly tool: string;
  /** `http://site.example` in it stands for what `open` opens. */
  readonly input: object;
  open?(): Promise<Beside>;
  env?(folder: string): Environment;
  readonly suggestion: RegExp;
  /** Why the case cannot be run on this machine, where it cannot. */
  skip?(): string | undefined;
}

const NOTES = { 'notes.txt': 'one\ntwo\nthree\n' };
/** The store would lie in the folder that an example lists. */
const IN_MEMORY = { TOOLCRIB_STORE_DRIVER: 'memory' };
const LOCAL = { TOOLCRIB_EGRESS_ALLOW_PRIVATE: '127.0.0.1' };

export const putFiles = (folder: string, files: ToolCase['files'] = {}): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
};

const makeDatabase = (folder: string): void => {
  const database = new DatabaseSync(join(folder, 'shop.db'));
  database.exec(
    "CREATE TABLE items (name TEXT, price REAL); INSERT INTO items VALUES ('lamp', 9.5)",
  );
  database.close();
};

const makeRepository = (folder: string): void => {
  const env = { PATH: process.env.PATH ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, env });
  writeFileSync(join(folder, 'notes.txt'), 'one\n');
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.org');
  git('add', 'notes.txt');
  git('commit', '-q', '-m', 'First notes');
  writeFileSync(join(folder, 'notes.txt'), 'one\ntwo\n');
};

/** npm asks the user's configuration, which is in the folder around the project. */
const useRegistry = (folder: string, url: string): void =>
  writeFileSync(join(dirname(folder), '.npmrc'), `registry=${url}\n`);

const manifestOf = (dependencies: object): string =>
  JSON.stringify({ name: 'app', version: '1.0.0', dependencies });

const makeOutdated = async (folder: string, url: string): Promise<void> => {
  const manifest = join(folder, 'package.json');
  writeFileSync(manifest, manifestOf({ 'left-pad': '1.1.0' }));
  const env = { PATH: process.env.PATH ?? '', HOME: folder, npm_config_registry: url };
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    env,
  });
  writeFileSync(manifest, manifestOf({ 'left-pad': '^1.1.0', idle: '1.0.0' }));
  putFiles(folder, { 'src/index.ts': "import 'left-pad';\nexport { a } from 'absent/deep';\n" });
  useRegistry(folder, url);
};

const SOCKET = '/var/run/docker.sock';
const noEngine = (): string | undefined =>
  existsSync(SOCKET) ? undefined : 'there is no container engine at /var/run/docker.sock';

/** Tools that run programs do so in the process sandbox. */
const noSandbox = (): string | undefined => reasonWithout('bwrap');

/** Answers anything: fuzzing sends bodies that are no JSON. */
const itemOf = (text: string): object => {
  try {
    return { ...(JSON.parse(text) as object), id: 'i1' };
  } catch {
    return { id: 'i1' };
  }
};

const items = (method: string, limit: string | null, text: string): Answer =>
  method === 'POST'
    ? { status: 201, body: itemOf(text) }
    : { body: { items: [1, 2, 3].slice(0, Number(limit ?? 3)) } };

const openItems = (): Promise<Beside> =>
  openVendor(({ method, query, text }) => items(method, query.get('limit'), text));

const LAMP = '<title>A lamp</title><h1>A lamp</h1><p>It <b>shines</b>.</p>';

const openPages = (): Promise<Beside> =>
  openVendor(({ path }) =>
    path === '/lamp'
      ? { headers: { 'content-type': 'text/html' }, body: LAMP }
      : { status: 404, body: 'none' },
  );

const openModel = async (): Promise<Beside> => {
  const endpoint = await startModelEndpoint(OPENAI);
  endpoint.say({ text: JSON.stringify({ steps: ['2a + 1 + 2b + 1'], answer: 'Yes.' }) });
  return endpoint;
};

const ADVISORY = {
  id: 1,
  url: 'https://example.org/advisories/1',
  title: 'Pads with anything',
  severity: 'high',
  vulnerable_versions: '<1.3.0',
};

const openPackages = (): Promise<Beside> =>
  openNpmRegistry(
    ['1.1.0', '1.3.0'].map((version) => ({ name: 'left-pad', version })),
    { 'left-pad': [ADVISORY] },
  );

const service = (name: string, key: string, secret: string) => (url: string) => ({
  ...LOCAL,
  [`TOOLCRIB_SERVICES_${name}_BASE_URL`]: url,
  [key]: secret,
});

const TSCONFIG = JSON.stringify({
  compilerOptions: { strict: true, module: 'nodenext', lib: ['es2022'], types: [] },
  include: ['src'],
});

export const CASES: Readonly<Record<string, ToolCase>> = {
  calculator: {},
  datetime: {},
  json_parser: {},
  text_transform: {},
  validate_json: {},
  validate_yaml: {},
  parse_typescript: {},
  deep_reasoning: {
    open: openModel,
    env: (url) => ({
      ...LOCAL,
      TOOLCRIB_MODEL_PROVIDER: 'openai-compatible',
      TOOLCRIB_MODEL_BASE_URL: url,
      TOOLCRIB_MODEL_MODEL: 'any',
      TOOLCRIB_MODEL_API_KEY_REF: 'MODEL_KEY',
      MODEL_KEY: API_KEY,
    }),
  },
  read_file: { files: NOTES },
  write_file: {},
  edit_files: { files: NOTES },
  file_operations: { files: NOTES, env: () => IN_MEMORY },
  file_search: { files: NOTES },
  type_check: {
    files: { 'tsconfig.json': TSCONFIG, 'src/index.ts': 'export const n: number = "text";\n' },
  },
  bash_execution: {
    files: NOTES,
    env: () => ({ TOOLCRIB_COMMANDS_ALLOW: 'cat **,wc **,head **' }),
    skip: noSandbox,
  },
  docker: { files: { Dockerfile: 'FROM node:22-slim\n' }, skip: noEngine },
  read_result: { sample: { handle: 'none' } },
  search_api: {},
  run_code: {},
  git: { prepare: makeRepository, env: () => IN_MEMORY, skip: noSandbox },
  git_commit: { prepare: makeRepository, skip: noSandbox },
  git_remote: { prepare: makeRepository, skip: noSandbox },
  npm_install: {
    files: { 'package.json': '{"name":"app","version":"1.0.0"}' },
    open: openPackages,
    prepare: useRegistry,
    env: () => LOCAL,
    skip: noSandbox,
  },
  analyze_dependencies: {
    open: openPackages,
    prepare: makeOutdated,
    env: () => LOCAL,
    skip: noSandbox,
  },
  analyze_code: {
    files: {
      'src/messy.ts':
        'export const messy = (a: number) => {\n  debugger;\n  if (a > 1 && a < 5) return a;\n  return a ? 1 : 2;\n};\n',
    },
    skip: noSandbox,
  },
  rest_api_call: { open: openItems, env: () => LOCAL, from: 'https://api.example.com' },
  graphql_query: { open: openGraphql, env: () => LOCAL, from: 'https://api.example.com/graphql' },
  web_scrape: { open: openPages, env: () => LOCAL, from: 'https://example.com' },
  web_search: { open: openBrave, env: service('SEARCH', 'BRAVE_API_KEY', BRAVE_KEY) },
  query_database: { prepare: makeDatabase },
  supabase_query: { open: openPostgrest, env: service('SUPABASE', 'SUPABASE_KEY', SUPABASE_KEY) },
  stripe_create_payment: {
    open: openStripe,
    env: service('STRIPE', 'STRIPE_SECRET_KEY', STRIPE_KEY),
  },
  sendgrid_send_email: {
    open: openSendgrid,
    env: service('SENDGRID', 'SENDGRID_API_KEY', SENDGRID_KEY),
  },
  vercel_deploy: {
    files: { 'site/index.html': '<h1>Lamps</h1>', 'site/api/hello.js': 'export default 1' },
    open: openVercel,
    env: service('VERCEL', 'VERCEL_TOKEN', VERCEL_KEY),
  },
};

/** Nothing is found in an empty folder. */
const noPrograms = (folder: string): Environment => ({ PATH: join(folder, 'empty') });

export const MISSING: readonly MissingProgram[] = [
  {
    tool: 'bash_execution',
    input: { command: 'frobnicate', args: ['now'] },
    env: () => ({ TOOLCRIB_COMMANDS_ALLOW: 'frobnicate **' }),
    suggestion: /Install/,
    skip: noSandbox,
  },
  {
    tool: 'web_scrape',
    input: { url: 'http://site.example/lamp', render: true },
    open: openPages,
    env: (folder) => ({ ...LOCAL, ...noPrograms(folder) }),
    suggestion: /Install it: .+/,
  },
  {
    tool: 'docker',
    input: { action: 'ps' },
    env: (folder) => ({ DOCKER_HOST: `unix://${join(folder, 'none.sock')}` }),
    suggestion: /Install|Start/,
  },
];
