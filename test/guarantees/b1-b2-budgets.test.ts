import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CribHost } from '../../src/contract/crib-host.ts';
import type { BudgetLine } from '../../src/contract/store.ts';
import { createCribHost } from '../../src/crib/create-crib.ts';
import { isEngineMissing, startEngine } from '../fixtures/engines.ts';
import { type Program, startProgram } from './programs/start-program.ts';
import { sized, TIME_LIMIT } from './size.ts';

const CALLS = 1000;
const DOLLAR = 1_000_000;

const inFolder = async (work: (root: string) => Promise<void>): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), 'toolcrib-budget-'));
  try {
    await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

interface Load {
  readonly trouble?: string;
  /** How the tool tells its price: see spender.mjs. */
  readonly kind?: string;
  readonly calls?: number;
  /** Names the engine; SQLite when absent. */
  readonly env?: Readonly<Record<string, string>>;
}

const start = (root: string, processes: number, load: Load = {}): readonly Program[] => {
  const { trouble = '', kind = 'fixed', calls = CALLS, env = {} } = load;
  return Array.from({ length: processes }, () =>
    startProgram('spender.mjs', [root, `${calls / processes}`, trouble, kind], env),
  );
};

/** All begin at the same moment. */
const release = async (programs: readonly Program[]): Promise<void> => {
  await Promise.all(programs.map(({ said }) => said('ready')));
  for (const { say } of programs) say('go');
};

const countsOf = async (programs: readonly Program[]): Promise<Record<string, number>> => {
  const sums: Record<string, number> = {};
  for (const { said } of programs) {
    const line = await said('codes ');
    const codes: Record<string, number> = JSON.parse(line.slice('codes '.length));
    for (const [code, count] of Object.entries(codes)) sums[code] = (sums[code] ?? 0) + count;
  }
  return sums;
};

const openCrib = (root: string): Promise<CribHost> => createCribHost({ root, builtins: false });

const userLine = async (crib: CribHost): Promise<BudgetLine> => {
  const [line] = await (await crib.store()).ledger.lines('user:');
  return line as BudgetLine;
};

describe('B1: 1,000 calls of 0.01 USD at once on 1 USD', () => {
  it.each([1, 4])(
    'from %d processes: exactly 100 are admitted, nothing is overspent',
    async (processes) => {
      for (let round = 0; round < sized(1, 10); round++) {
        await inFolder(async (root) => {
          const programs = start(root, processes);
          await release(programs);
          expect(await countsOf(programs)).toEqual({ success: 100, BUDGET_EXCEEDED: 900 });
          await Promise.all(programs.map(({ ended }) => ended));
          const crib = await openCrib(root);
          expect(await userLine(crib)).toMatchObject({
            spentMicros: DOLLAR,
            heldMicros: 0,
            calls: 100,
            heldCalls: 0,
          });
          await crib.close();
        });
      }
    },
    TIME_LIMIT,
  );
});

const SERVERS = 'PostgreSQL and Redis';

describe('B1: 1,000 calls of 0.01 USD at once on 1 USD in PostgreSQL', () => {
  it.skipIf(isEngineMissing(SERVERS))(
    'from 4 processes: exactly 100 are admitted, nothing is overspent',
    async () => {
      for (let round = 0; round < sized(1, 10); round++) {
        const engine = await startEngine(SERVERS);
        try {
          const programs = start(engine.root, 4, { env: engine.env });
          await release(programs);
          expect(await countsOf(programs)).toEqual({ success: 100, BUDGET_EXCEEDED: 900 });
          await Promise.all(programs.map(({ ended }) => ended));
          const crib = await engine.open();
          expect(await userLine(crib)).toMatchObject({
            spentMicros: DOLLAR,
            heldMicros: 0,
            calls: 100,
            heldCalls: 0,
          });
          await crib.close();
        } finally {
          await engine.close();
        }
      }
    },
    TIME_LIMIT,
  );
});

describe('B1, B2: prices that are known only afterwards', () => {
  it.each([
    ['a tool that tells the most it can cost', 'afterwards', 100],
    ['a tool that uses tokens', 'tokens', 100],
    ['a tool that charges without a price', 'unpriced', 100],
  ])(
    '%s, from 4 processes at once: nothing is overspent, nothing is held at the end',
    async (_name, kind, most) => {
      await inFolder(async (root) => {
        const watcher = await openCrib(root);
        await watcher.store();
        const programs = start(root, 4, { kind, calls: 400 });
        const ended = Promise.all(programs.map(({ ended: end }) => end));
        const watched = watchLimit(watcher, ended);
        await release(programs);
        const [counts] = await Promise.all([countsOf(programs), watched]);
        await watcher.close();
        const { success = 0, ...others } = counts;
        expect(Object.keys(others)).toEqual(['BUDGET_EXCEEDED']);
        expect(success).toBeGreaterThan(0);
        expect(success).toBeLessThanOrEqual(most);
        const crib = await openCrib(root);
        const line = await userLine(crib);
        expect(line).toMatchObject({ heldMicros: 0, heldTokens: 0, heldCalls: 0 });
        expect(line.spentMicros).toBeLessThanOrEqual(DOLLAR);
        expect(line.tokens).toBeLessThanOrEqual(1000);
        if (kind !== 'unpriced') expect(success).toBe(most);
        if (kind === 'tokens') expect(line.tokens).toBe(1000);
        else expect(line.spentMicros).toBe(success * 10_000);
        await crib.close();
      });
    },
    TIME_LIMIT,
  );
});

describe('B2: the same with failures, time-outs and kills', () => {
  it(
    'settled and held are never above the limit, and nothing is held at the end',
    async () => {
      for (let round = 0; round < sized(1, 10); round++) {
        await inFolder(async (root) => {
          const watcher = await openCrib(root);
          await watcher.store();
          const programs = start(root, 4, { trouble: 'trouble' });
          const watched = watchLimit(watcher, Promise.all(programs.map(({ ended }) => ended)));
          await release(programs);
          await Promise.all([killSome(programs, round), watched]);
          await watcher.close();
          // Whoever opens the store next sets right what the killed ones left behind.
          const crib = await openCrib(root);
          const line = await userLine(crib);
          expect(line).toMatchObject({ heldMicros: 0, heldCalls: 0 });
          expect(line.spentMicros).toBeLessThanOrEqual(DOLLAR);
          expect(line.spentMicros % 10_000).toBe(0);
          await crib.close();
        });
      }
    },
    TIME_LIMIT,
  );
});

const killSome = async (programs: readonly Program[], round: number): Promise<void> => {
  await wait(20 + ((round * 37) % 150));
  programs[0]?.child.kill('SIGKILL');
  await wait(15);
  programs[1]?.child.kill('SIGKILL');
};

/** Looks from before the calls begin until they are over, and once more then. */
const watchLimit = async (crib: CribHost, over: Promise<unknown>): Promise<void> => {
  let isOver = false;
  const end = over.finally(() => {
    isOver = true;
  });
  const look = async (): Promise<void> => {
    const line = await userLine(crib);
    if (line) expect(line.spentMicros + line.heldMicros).toBeLessThanOrEqual(DOLLAR);
  };
  // How often that is depends on how busy the machine is.
  for (; !isOver; await wait(5)) await look();
  await end;
  await look();
};
