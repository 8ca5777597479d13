// The client that the official MCP conformance suite tries: our own, over HTTP, logged in where the
// server wants that. Arguments: the folder of the build, then the address, which the suite adds.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { takeTurn } from './take-turn.mjs';

const [dist = 'dist', url = ''] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(resolve(dist, path)).href);
await takeTurn();
const [{ createMcpServers }, { createServerAuth }, { createRuntime }, { secretNames }] =
  await Promise.all([
    load('sources/mcp/create-mcp-servers.js'),
    load('sources/mcp/oauth/create-server-auth.js'),
    load('crib/create-runtime.js'),
    load('governance/redaction/secret-names.js'),
  ]);

const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
const runtime = createRuntime();
const kept = new Map();
const secrets = {
  get: async (key) => kept.get(key),
  set: async (key, value) => void kept.set(key, value),
  remove: async (key) => kept.delete(key),
};

/** A client id that is the address of a document, as `--client-id` takes it. */
const CLIENT_IDS = { 'auth/basic-cimd': 'https://conformance-test.local/client-metadata.json' };
const clientId = context.client_id ?? CLIENT_IDS[process.env.MCP_CONFORMANCE_SCENARIO];

/** The page sends everybody on, as one does who has agreed before. */
const authWith = (scope) =>
  createServerAuth({
    server: {
      name: 'suite',
      url,
      ...(scope && { scope }),
      ...(clientId && { clientId }),
      ...(context.client_secret && { clientSecret: context.client_secret }),
    },
    secrets,
    runtime,
    fetch,
    openBrowser: async (page) => void (await fetch(page)),
  });
let auth = authWith();

const settings = {
  name: 'suite',
  transport: 'http',
  isTransportChosen: true,
  enabled: true,
  url,
  command: '',
  args: [],
  env: {},
  cwd: tmpdir(),
  headers: {},
  tier: 'external_api',
  toolTiers: {},
  roots: false,
  timeoutMs: 60_000,
  maxCallMs: 60_000,
  startTimeoutMs: 100_000,
  maxRestarts: 1,
  healthCheckIntervalMs: 60_000,
  idleMs: 60_000,
  maxMessageBytes: 4_000_000,
  maxOutputBytes: 1_000_000,
};

/** What each tool of the suite is called with. */
const INPUTS = {
  add_numbers: { a: 5, b: 3 },
  ...Object.fromEntries((context.toolCalls ?? []).map((each) => [each.name, each.arguments])),
};

/** A person who agrees to everything as it was proposed. */
const elicit = async ({ schema }) => {
  const proposed = Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    field.default === undefined ? [] : [[name, field.default]],
  );
  return { action: 'accept', content: Object.fromEntries(proposed) };
};

const cacheDir = await mkdtemp(join(tmpdir(), 'toolcrib-conformance-'));
const { sources, close } = createMcpServers([settings], {
  runtime,
  platform: process.platform,
  environment: {},
  root: tmpdir(),
  cacheDir,
  clientVersion: '0.0.0',
  secret: async () => undefined,
  redact: (text) => text,
  nameKind: secretNames(),
  fetchFor: () => fetch,
  webSocketFor: () => Promise.reject(new Error('There is no WebSocket here.')),
  authFor: () => ({
    token: () => auth.provider.token(),
    onUnauthorized: (...about) => auth.provider.onUnauthorized(...about),
  }),
  elicit,
});

/** How often a person would log in again before giving up. */
const MAX_LOGINS = 2;
let logins = 0;

/** The scopes that a refusal says are missing. */
const scopeAskedBy = ({ extras }) =>
  /--scope '([^']+)'/.exec(String(extras?.suggestions?.[0] ?? ''))?.[1];

/** Does what the refusal says: logs in, for more scopes where it names some, and tries again. */
const loggedIn = async (work) => {
  try {
    return await work();
  } catch (error) {
    if (error.code !== 'AUTH_MISSING' || logins === MAX_LOGINS) throw error;
    logins += 1;
    const scope = scopeAskedBy(error);
    if (scope) {
      const { scope: granted = '' } = await auth.state();
      auth = authWith([...new Set(`${granted} ${scope}`.trim().split(' '))].join(' '));
    }
    await auth.login({ waitMs: 10_000 });
    return loggedIn(work);
  }
};

try {
  const [source] = sources;
  const { signal } = new AbortController();
  for (const tool of await loggedIn(() => source.load())) {
    const call = () => tool.run(INPUTS[tool.name] ?? {}, { signal, progress: () => undefined });
    console.log(`${tool.name}:`, JSON.stringify(await loggedIn(call)));
  }
} finally {
  await close();
  await rm(cacheDir, { recursive: true, force: true });
}
