import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import type { Crib } from '../../src/contract/crib.ts';
import { createCrib } from '../../src/crib/create-crib.ts';
import { withMark } from '../fixtures/mcp-servers/processes.ts';
import { ODD_SERVER } from '../fixtures/mcp-servers/some-servers.ts';
import { sized, TIME_LIMIT } from './size.ts';

/**
 * A hundred times in full. A new crib every few times, since a server that keeps failing is left to rest longer
 * and longer.
 */
const CRIBS = sized(1, 34);
/** Twice at least: the second time shows that the server was started again. */
const TIMES_EACH = sized(2, 3);
const LIMIT_MS = 2000;
const home = await mkdtemp(join(tmpdir(), 'toolcrib-f6-'));
/** In the environment of every process that these servers start, and of no other. */
const RUN = randomUUID();
const orphans = (): Promise<readonly number[]> => withMark(`F6_RUN=${RUN}`);

const unhandled: unknown[] = [];
const note = (error: unknown): number => unhandled.push(error);
process.on('unhandledRejection', note);
process.on('uncaughtException', note);

const cribs: Crib[] = [];

afterEach(async () => {
  await Promise.all(cribs.splice(0).map((crib) => crib.close()));
});

afterAll(async () => {
  process.off('unhandledRejection', note);
  process.off('uncaughtException', note);
  await rm(home, { recursive: true, force: true });
});

/** A server that misbehaves when told to, and a good one beside it. */
const openCrib = async (): Promise<Crib> => {
  const server = {
    command: process.execPath,
    args: [ODD_SERVER],
    env: { F6_RUN: RUN },
    tier: 'read_only' as const,
    timeoutMs: LIMIT_MS,
    // Every round starts it anew, which is no reason to give it up here.
    maxRestarts: 1000,
  };
  const crib = await createCrib({
    builtins: false,
    store: 'memory',
    home,
    config: {
      mcp: { startTimeoutMs: 30_000, servers: { bad: server, good: server } },
      execution: { breaker: { enabled: false }, loop: false, retry: { maxRetries: 0 } },
      registry: { lock: 'off' },
    },
  } as Parameters<typeof createCrib>[0]);
  cribs.push(crib);
  return crib;
};

const CODES = {
  die: ['SERVER_ERROR'],
  hang: ['TIMEOUT'],
  garbage: ['SERVER_ERROR', 'TIMEOUT'],
  long_line: ['OUTPUT_TOO_LARGE'],
  endless: ['OUTPUT_TOO_LARGE'],
  flood: ['SERVER_ERROR', 'TIMEOUT'],
} as const;

const failOnce = async (crib: Crib, fault: string, codes: readonly string[]): Promise<void> => {
  const good = crib.tools.list().find(({ renamedFrom }) => renamedFrom === 'echo')?.tool.name;
  expect(good).toBeDefined();
  // Up and answering, so that the clock below measures the fault and no start.
  await vi.waitFor(
    async () => {
      const ready = await crib.execute('echo', { word: 'up' });
      expect(ready.error?.message ?? ready.data).toBe('up');
    },
    { timeout: 60_000, interval: 100 },
  );
  const from = performance.now();
  const [bad, beside] = await Promise.all([
    crib.execute(fault, {}),
    crib.execute(String(good), { word: 'still here' }),
  ]);
  const took = performance.now() - from;
  expect(codes).toContain(bad.error?.code);
  expect(took).toBeLessThan(LIMIT_MS + 10_000);
  expect(beside.error?.message ?? beside.data).toBe('still here');
};

describe('F6: an MCP server that fails', () => {
  it.each(Object.entries(CODES))(
    '%s: the call ends in time with a code, the server works again, nothing is left',
    async (fault, codes) => {
      for (let each = 0; each < CRIBS; each++) {
        const crib = await openCrib();
        for (let time = 0; time < TIMES_EACH; time++) await failOnce(crib, fault, codes);
        await crib.close();
        await vi.waitFor(async () => expect(await orphans()).toEqual([]), { timeout: 20_000 });
      }
      expect(unhandled).toEqual([]);
    },
    TIME_LIMIT,
  );
});
