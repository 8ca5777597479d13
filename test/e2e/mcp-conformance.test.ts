/** The official conformance suite against the built server, and that it can tell a bad one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { builtCli } from './built-cli.ts';

const LONG = { timeout: 600_000 };
const ROOT = join(import.meta.dirname, '../..');
const FAILURES = join(ROOT, 'test/conformance/mcp-expected-failures.yml');

const runSuite = async (...args: readonly string[]) => {
  const dist = dirname(dirname(builtCli()));
  const script = join(ROOT, 'scripts/run-mcp-conformance.mjs');
  const child = spawn(process.execPath, [script, '--dist', dist, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      said += String(chunk);
    });
  }
  const [code] = await once(child, 'close');
  return { code, said };
};

it('the MCP server passes every scenario except those named with a reason', LONG, async () => {
  const { code, said } = await runSuite();
  expect(said).toMatch(/Total: \d+ passed, 0 failed/);
  const scenarios = said.match(/^✓ /gm) ?? [];
  expect(scenarios.length).toBeGreaterThanOrEqual(32);
  expect(code, said).toBe(0);
});

it.each([
  ['is listed as failing but passes', 'ping', 'Stale baseline entries'],
  ['fails but is not listed', 'server-sse-polling', 'Unexpected failures'],
])('a scenario that %s is reported', LONG, async (_, scenario, found) => {
  const { code, said } = await runSuite(
    // The list of expected failures is that of the installed suite; the newer one is not needed.
    ...['--installed', '--scenario', scenario],
    ...['--expected', join(ROOT, 'test/fixtures/mcp-conformance-wrong-baseline.yml')],
  );
  expect(said).toContain(found);
  expect(code, said).toBe(1);
});

it('every expected failure has its reason above it', () => {
  const text = readFileSync(FAILURES, 'utf8');
  const { server } = parse(text) as { server: readonly string[] };
  expect(server).toEqual(['server-sse-polling']);
  for (const name of server) expect(text).toMatch(new RegExp(`#.+\\n\\s*- ${name}`));
});
