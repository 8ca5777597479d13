/**
 * Fifty MCP servers with a thousand tools: how long a start takes when their definitions are known
 * from the last time, and what the list costs a prompt, whole and behind the search. The lock is strict
 * and holds all of the tools.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { loadProduct, productUrl, programPath } from './product.mjs';
import { scratchFolder } from './race.mjs';
import { runIfMain, target } from './report.mjs';
import { summarize } from './statistics.mjs';

export const title = 'mcp-scale: 50 servers, 1,000 tools';

const SERVERS = 50;
const TOOLS = 20;
/** Started at the same time while the definitions are fetched for the first time. */
const AT_ONCE = 5;
const START_MS = 300;

const server = (which) => ({
  command: process.execPath,
  args: [join(import.meta.dirname, 'mcp-many-tools-server.mjs'), `${which}`, `${TOOLS}`],
  tier: 'read_only',
});

const serversFrom = (first, count) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`server-${first + i}`, server(first + i)]),
  );

const configOf = (servers) => ({ mcp: { servers, startTimeoutMs: 120_000 } });

/** Starts every server once, a few at a time, and accepts what they have. */
const warm = async ({ home, cwd }) => {
  const { createCrib } = await loadProduct();
  const open = (servers) =>
    createCrib({ config: configOf(servers), builtins: false, store: 'memory', home, root: cwd });
  for (let first = 0; first < SERVERS; first += AT_ONCE) {
    const crib = await open(serversFrom(first, AT_ONCE));
    const held = crib.tools.lock.states().filter(({ state }) => state === 'new');
    await crib.tools.lock.accept(
      held.map(({ tool }) => tool),
      'bench',
    );
    await crib.close();
  }
  writeFileSync(join(home, 'config.yml'), JSON.stringify(configOf(serversFrom(0, SERVERS))));
};

/** In a process of its own, as a program starts: what is loaded already would not be counted. */
const START = `
const { createCrib } = await import(process.env.PRODUCT);
const config = JSON.parse(process.env.CONFIG);
const begin = performance.now();
const crib = await createCrib({ config, builtins: false, home: process.env.HOME });
const tools = crib.tools.list({ enabled: true }).filter(({ quarantine }) => !quarantine).length;
const ms = performance.now() - begin;
const running = crib.servers.list().filter(({ pid }) => pid !== undefined).length;
console.log(JSON.stringify({ ms, tools, running }));
await crib.close();
`;

const start = ({ home, cwd }) => {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    PRODUCT: productUrl(),
    CONFIG: JSON.stringify(configOf(serversFrom(0, SERVERS))),
  };
  const args = ['--input-type=module', '-e', START];
  const told = JSON.parse(execFileSync(process.execPath, args, { cwd, env, encoding: 'utf8' }));
  if (told.tools !== SERVERS * TOOLS || told.running > 0) {
    throw new Error(`expected ${SERVERS * TOOLS} tools and no server, got ${JSON.stringify(told)}`);
  }
  return told.ms;
};

/** Prompt tokens of what a client is given to hand to its model. */
const tokensOf = async ({ home, cwd }, surface) => {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  const env = { PATH: process.env.PATH, HOME: home, TOOLCRIB_HOME: home };
  const args = [programPath(), 'mcp', '--surface', surface];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }),
  );
  const { tools } = await client.listTools();
  await client.close();
  const shown = tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  return { tools: tools.length, tokens: countTokens(JSON.stringify(shown)) };
};

const startRow = (samples) => {
  const { median: value, best, spread } = summarize(samples);
  const verdict = target(`under ${START_MS} ms`, value < START_MS);
  return { name: 'createCrib and list', value, best, unit: 'ms', spread, target: verdict };
};

const tokenRows = (full, search) => [
  { name: `full surface, ${full.tools} tools`, value: full.tokens, unit: 'tokens' },
  {
    name: `search surface, ${search.tools} tools`,
    value: search.tokens,
    unit: 'tokens',
    ratios: { full: search.tokens / full.tokens },
    target: target(
      'at most 1,000, 95 % below full',
      search.tokens <= 1000 && search.tokens <= full.tokens * 0.05,
    ),
  },
];

export const measure = async ({ quick }) => {
  const folder = await scratchFolder();
  const site = { home: join(folder, 'home'), cwd: join(folder, 'project') };
  for (const path of Object.values(site)) mkdirSync(path);
  try {
    await warm(site);
    const samples = Array.from({ length: quick ? 5 : 15 }, () => start(site));
    const full = await tokensOf(site, 'full');
    return [startRow(samples), ...tokenRows(full, await tokensOf(site, 'search'))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

await runIfMain(import.meta.url, title, measure);
