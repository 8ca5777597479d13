// Runs the official MCP conformance suite against our server, fixtures and all.
//
//   node scripts/run-mcp-conformance.mjs                       what is installed: up to 2025-11-25
//   node scripts/run-mcp-conformance.mjs --suite <index.js> --node <node 22>
//                                                              a newer suite: 2026-07-28 too
//   --dist <folder>                                            another build than `dist`
//   --expected <file>                                          another list of expected failures
//
// Ends with 1 when a scenario fails that is not named as expected, or passes although it is.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
    expected: { type: 'string' },
    node: { type: 'string', default: process.execPath },
  },
});
const installed = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const expected = (name) => join(root, 'test/conformance', name);

/** Each run: what it is called, and the arguments of the suite. */
const RUNS = values.suite
  ? [
      [
        '2025-11-25',
        ['--suite', 'all', '--spec-version', '2025-11-25'],
        expected('mcp-expected-failures.yml'),
      ],
      [
        '2026-07-28',
        ['--requirements', '2026-07-28'],
        expected('mcp-expected-failures-2026-07-28.yml'),
      ],
    ]
  : [
      [
        'up to 2025-11-25',
        ['--suite', 'all'],
        resolve(values.expected ?? expected('mcp-expected-failures.yml')),
      ],
    ];

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

/** Only the summary is worth reading; the rest is shown when something is wrong. */
const runSuite = async ([name, args, failures], { url, cwd }) => {
  const suite = resolve(values.suite ?? installed);
  const all = [suite, 'server', '--url', url, ...args, '--expected-failures', failures];
  const child = spawn(values.node, all, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  const summary = said.slice(Math.max(0, said.indexOf('=== SUMMARY ===')));
  console.log(`\n${name}\n${code === 0 ? summary : said}`);
  return code === 0;
};

const cwd = await mkdtemp(join(tmpdir(), 'toolcrib-conformance-'));
const server = await startServer();
try {
  let ok = true;
  for (const run of RUNS) ok = (await runSuite(run, { url: server.url, cwd })) && ok;
  process.exitCode = ok ? 0 : 1;
} finally {
  server.stop();
  await rm(cwd, { recursive: true, force: true });
}
