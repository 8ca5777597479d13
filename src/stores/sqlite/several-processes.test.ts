/** Several processes on one file, killed at any moment: nothing acknowledged is lost, nothing is spent twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compileProgram } from '../../../test/conformance/compile-program.ts';
import { auditEntry, times } from '../../../test/conformance/store-samples.ts';
import { sized, TIME_LIMIT } from '../../../test/guarantees/size.ts';
import type { Store } from '../../contract/store.ts';
import { createRuntime } from '../../crib/create-runtime.ts';
import { verifyAudit } from '../../governance/audit/verify-audit.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

interface Running {
  readonly child: ChildProcess;
  /** What it said so far. */
  readonly lines: () => readonly string[];
  readonly ended: Promise<unknown>;
  said(line: string): Promise<void>;
}

let compiled: { readonly folder: string; readonly program: string };
let folder = '';

beforeAll(() => {
  compiled = compileProgram(
    join(import.meta.dirname, '../../../test/conformance/sqlite-program.ts'),
  );
});
afterAll(() => rmSync(compiled.folder, { recursive: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'toolcrib-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (): string => join(folder, 'crib.db');

const open = (): Promise<Store> => createSqliteStore({ path: file(), runtime: createRuntime() });

const start = (task: string, name: string): Running => {
  const child = spawn(process.execPath, [compiled.program, file(), task, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  // A line that the kill cut short was never said.
  const lines = (): readonly string[] => text.split('\n').slice(0, -1);
  const said = async (line: string): Promise<void> => {
    while (!lines().includes(line)) await once(child.stdout, 'data');
  };
  return { child, lines, said, ended: once(child, 'close') };
};

const idsSaid = (lines: readonly string[], what: string): readonly string[] =>
  lines.flatMap((line) => (line.startsWith(`${what} `) ? [line.slice(what.length + 1)] : []));

/** Every row by `kind execution`. */
const rowsOf = async (store: Store): Promise<ReadonlySet<string>> => {
  const rows = new Set<string>();
  for await (const page of store.audit.scan()) {
    for (const { kind, executionId } of page) rows.add(`${kind} ${executionId}`);
  }
  return rows;
};

const expectSound = async (store: Store, lines: readonly string[]): Promise<void> => {
  expect(
    await verifyAudit(store.audit.scan(), { expected: await store.audit.head() }),
  ).toMatchObject({
    ok: true,
  });
  const rows = await rowsOf(store);
  expect(lines.filter((line) => !rows.has(line))).toEqual([]);
  const outcomes = new Set(idsSaid(lines, 'outcome'));
  const intents = await store.intents.open();
  expect(intents.filter(({ ownerAlive }) => ownerAlive)).toEqual([]);
  expect(intents.filter(({ entry }) => outcomes.has(entry.executionId))).toEqual([]);
  const held = (await store.ledger.lines('user:'))[0]?.heldMicros ?? 0;
  const orphans = await store.ledger.orphans();
  expect(orphans.reduce((sum, { amountMicros }) => sum + amountMicros, 0)).toBe(held);
};

const recover = async (store: Store): Promise<void> => {
  const doubts = (await store.intents.open()).map(({ entry }) => entry.executionId);
  const orphans = await store.ledger.orphans();
  await Promise.all([
    ...doubts.map((executionId) =>
      store.audit.append(auditEntry({ executionId, status: 'unknown' })),
    ),
    ...orphans.map(({ executionId }) => store.ledger.release(executionId)),
  ]);
  expect(await store.intents.open()).toEqual([]);
  expect(await store.ledger.lines('user:')).toMatchObject([{ heldMicros: 0 }]);
};

describe('several processes on one file', () => {
  it('append at once to one sound chain, a new file included', async () => {
    const running = times(3, (n) => start('append', `p${n}`));
    await Promise.all(running.map(({ ended }) => ended));
    expect(running.map(({ lines }) => lines().at(-1))).toEqual(['closed', 'closed', 'closed']);
    const store = await open();
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 1500 });
    expect((await rowsOf(store)).size).toBe(1500);
    await store.close();
  });

  it('B1: 1,000 concurrent calls of 0.01 USD from 4 processes on 1 USD: exactly 100 admitted', async () => {
    const running = times(4, (n) => start('spend', `p${n}`));
    await Promise.all(running.map(({ ended }) => ended));
    const admitted = running.flatMap(({ lines }) => idsSaid(lines(), 'admitted')).map(Number);
    expect(admitted).toHaveLength(4);
    expect(admitted.reduce((a, b) => a + b)).toBe(100);
    const store = await open();
    expect(await store.ledger.lines('user:')).toMatchObject([{ heldMicros: 1_000_000 }]);
    expect(await store.ledger.orphans()).toHaveLength(100);
    await store.close();
  });

  it(
    'F3, B2: kills in the middle of writes lose nothing that was acknowledged',
    async () => {
      let doubts = 0;
      for (const round of times(sized(8, 40), (n) => n)) {
        const running = times(2, (n) => start('work', `r${round}p${n}`));
        await Promise.all(running.map(({ child }) => once(child.stdout ?? child, 'data')));
        await pause(Math.random() * 60);
        for (const { child } of running) child.kill('SIGKILL');
        await Promise.all(running.map(({ ended }) => ended));
        const store = await open();
        doubts += (await store.intents.open()).length;
        await expectSound(
          store,
          running.flatMap(({ lines }) => lines()),
        );
        await recover(store);
        await store.close();
      }
      expect(doubts).toBeGreaterThan(0);
    },
    TIME_LIMIT,
  );

  it('F5: a frozen process keeps its claims, a killed one leaves them in doubt', async () => {
    const { child, said, ended } = start('claim', 'frozen');
    await said('claimed');
    const store = await open();
    const request = { key: 'key', digest: 'digest', executionId: 'other', now: Date.now() };
    child.kill('SIGSTOP');
    expect(await store.intents.open()).toMatchObject([{ ownerAlive: true, ownerEnded: false }]);
    expect(await store.ledger.orphans()).toEqual([]);
    expect(await store.replays.claim(request)).toEqual({ state: 'running', executionId: 'frozen' });
    child.kill('SIGKILL');
    await ended;
    expect(await store.intents.open()).toMatchObject([{ ownerAlive: false, ownerEnded: true }]);
    expect(await store.ledger.orphans()).toMatchObject([{ executionId: 'frozen' }]);
    expect(await store.replays.claim(request)).toEqual({ state: 'unknown', executionId: 'frozen' });
    await store.close();
  });
});
