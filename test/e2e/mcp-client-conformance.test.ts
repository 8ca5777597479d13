/** The official MCP conformance suite against our client, as it is built. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { builtCli } from './built-cli.ts';

const LONG = 300_000;
const CONFORMANCE = join(import.meta.dirname, '../conformance');
const SUITE = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
);
const cwd = mkdtempSync(join(tmpdir(), 'toolcrib-client-conformance-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

interface Said {
  readonly code: number;
  readonly text: string;
}

const run = (...args: readonly string[]): Promise<Said> => {
  const dist = dirname(dirname(builtCli()));
  const program = join(CONFORMANCE, 'mcp-client-program.mjs');
  const command = `${process.execPath} ${program} ${dist}`;
  const all = [SUITE, 'client', '--command', command, '--timeout', '120000', ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, all, { cwd, maxBuffer: 64e6 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, text: `${stdout}${stderr}` });
    });
  });
};

it.each(['initialize', 'tools_call', 'elicitation-sep1034-client-defaults'])(
  'the MCP client passes %s',
  { timeout: LONG },
  async (scenario) => {
    const { code, text } = await run('--scenario', scenario);
    expect(text).toMatch(/Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/);
    expect(code).toBe(0);
  },
);

// Warns when the pause is a little longer than was asked for, as it is on a machine that is busy.
it('the MCP client passes sse-retry', { timeout: LONG }, async () => {
  const { text } = await run('--scenario', 'sse-retry');
  expect(text).toMatch(/\[client-sse-graceful-reconnect\s*\] \S*SUCCESS/);
  expect(text).toMatch(/Passed: \d+\/\d+, 0 failed/);
});

it.each([
  { suite: 'auth', least: 11 },
  { suite: 'backcompat', least: 1 },
  { suite: 'extensions', least: 0 },
])(
  'the MCP client passes the logins of $suite, except those named with a reason',
  {
    timeout: LONG,
  },
  async ({ suite, least }) => {
    const expected = join(CONFORMANCE, 'mcp-client-expected-failures.yml');
    const { code, text } = await run('--suite', suite, '--expected-failures', expected);
    expect(text.match(/^✓ auth\//gm)?.length ?? 0, text).toBeGreaterThanOrEqual(least);
    expect(text).toContain('Baseline check passed');
    expect(code).toBe(0);
  },
);
