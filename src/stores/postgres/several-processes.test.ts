/** Several processes on one server, killed and frozen at any moment, and the server with them. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileProgram } from '../../../test/conformance/compile-program.ts';
import { auditEntry, NOW, times } from '../../../test/conformance/store-samples.ts';
import { isPostgresMissing, usePostgres } from '../../../test/fixtures/postgres-schemas.ts';
import { type StoreProcess, startProcess } from '../../../test/fixtures/store-processes.ts';
import { sized } from '../../../test/guarantees/size.ts';
import type { Store } from '../../contract/store.ts';
import { verifyAudit } from '../../governance/audit/verify-audit.ts';

const rowsOf = async (store: Store): Promise<ReadonlySet<string>> => {
  const rows = new Set<string>();
  for await (const page of store.audit.scan()) {
    for (const { kind, executionId } of page) rows.add(`${kind} ${executionId}`);
  }
  return rows;
};

/** Every row that was acknowledged is there, in a chain that verifies. */
const expectSound = async (store: Store, lines: readonly string[]): Promise<void> => {
  const expected = await store.audit.head();
  expect(await verifyAudit(store.audit.scan(), { expected })).toMatchObject({ ok: true });
  const rows = await rowsOf(store);
  expect(lines.filter((line) => /^(?:intent|outcome) /.test(line) && !rows.has(line))).toEqual([]);
  const outcomes = new Set(lines.filter((line) => line.startsWith('outcome ')));
  const open = await store.intents.open();
  expect(open.filter(({ entry }) => outcomes.has(`outcome ${entry.executionId}`))).toEqual([]);
};

describe.skipIf(isPostgresMissing())('several processes on one PostgreSQL', () => {
  const { server, url, newSchema, open } = usePostgres();
  let compiled: { readonly folder: string; readonly program: string };
  beforeAll(() => {
    const program = join(import.meta.dirname, '../../../test/conformance/postgres-program.ts');
    compiled = compileProgram(program);
  }, 120_000);
  afterAll(() => rmSync(compiled.folder, { recursive: true, force: true }));

  const start = (
    place: { readonly schema: string; readonly task: string; readonly name: string },
    env: Readonly<Record<string, string>> = {},
  ): StoreProcess =>
    startProcess([compiled.program, url(), place.schema, place.task, place.name], env);

  it('ten processes that start at once make the schema once and append to one sound chain', async () => {
    const schema = newSchema();
    const running = times(10, (n) => start({ schema, task: 'append', name: `p${n}` }));
    await Promise.all(running.map(({ ended }) => ended));
    expect(running.map(({ lines }) => lines().at(-1))).toEqual(times(10, () => 'closed'));
    const store = await open({ schema });
    expect(await verifyAudit(store.audit.scan())).toMatchObject({ ok: true, rows: 5000 });
    await store.close();
  }, 120_000);

  it('B1: 1,000 calls of 0.01 USD from 4 processes on 1 USD: exactly 100 admitted', async () => {
    const schema = newSchema();
    const running = times(4, (n) => start({ schema, task: 'spend', name: `p${n}` }));
    await Promise.all(running.map(({ ended }) => ended));
    const admitted = running.map(({ lines }) => Number(/admitted (\d+)/.exec(lines().join())?.[1]));
    expect(admitted.reduce((sum, each) => sum + each)).toBe(100);
    const store = await open({ schema });
    expect(await store.ledger.lines('user:')).toMatchObject([{ heldMicros: 1_000_000 }]);
    expect(await store.ledger.orphans()).toHaveLength(100);
    await store.close();
  }, 120_000);

  it('F3: killed processes and a killed server lose nothing that was acknowledged', async () => {
    const schema = newSchema();
    const said: string[] = [];
    for (const round of times(sized(3, 40), (n) => n)) {
      const running = times(2, (n) => start({ schema, task: 'work', name: `r${round}p${n}` }));
      await Promise.all(running.map(({ child }) => once(child.stdout ?? child, 'data')));
      await pause(50 + Math.random() * 200);
      if (round % 2 === 0) await server().stop('SIGKILL');
      for (const { child } of running) child.kill('SIGKILL');
      await Promise.all(running.map(({ ended }) => ended));
      if (round % 2 === 0) await server().start();
      said.push(...running.flatMap(({ lines }) => lines()));
      const store = await open({ schema });
      // What was only written may be lost with the server; a call that changed something never is.
      const kept = said.filter((line) => !line.endsWith('-read'));
      await expectSound(store, kept);
      await store.close();
    }
    expect(said.length).toBeGreaterThan(0);
  }, 600_000);

  it('F5: one of 4 processes is frozen past its lease and woken: no effect twice', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolcrib-effects-'));
    const file = join(folder, 'effects');
    for (const round of times(sized(1, 20), (n) => n)) {
      const schema = newSchema();
      const env = { EFFECTS: `${file}-${round}`, KEYS: '80', LEASE_MS: '1000' };
      const running = times(4, (n) => start({ schema, task: 'effects', name: `p${n}` }, env));
      await Promise.all(running.map(({ said }) => said('started')));
      const [frozen] = running;
      await pause(Math.random() * 150);
      frozen?.child.kill('SIGSTOP');
      await pause(2500);
      frozen?.child.kill('SIGCONT');
      await Promise.all(running.map(({ ended }) => ended));
      const effects = readFileSync(`${file}-${round}`, 'utf8').trim().split('\n');
      expect(new Set(effects).size).toBe(effects.length);
      expect(effects.length).toBeGreaterThan(0);
      const store = await open({ schema });
      await expectSound(store, []);
      await store.close();
    }
    rmSync(folder, { recursive: true });
  }, 600_000);

  it('F5: a frozen process stops nobody, and loses its claims when its lease is over', async () => {
    const schema = newSchema();
    const busy = start({ schema, task: 'work', name: 'busy' });
    const holder = start({ schema, task: 'claim', name: 'frozen' });
    await holder.said('claimed');
    const store = await open({ schema, lockTimeoutMs: 1000 });
    const isAlive = async () =>
      (await store.intents.open()).find(({ entry }) => entry.executionId === 'frozen')?.ownerAlive;
    expect(await isAlive()).toBe(true);
    expect((await store.intents.open()).every(({ isElsewhere }) => isElsewhere === false)).toBe(
      true,
    );
    await server().sql(`UPDATE ${schema}.intents SET place = 'far' WHERE execution_id = 'frozen'`);
    expect((await store.intents.open()).some(({ isElsewhere }) => isElsewhere)).toBe(true);
    for (const { child } of [busy, holder]) child.kill('SIGSTOP');
    await Promise.all(times(50, async () => store.audit.append(auditEntry())));
    const frozen = { executionId: 'frozen' };
    const holdsOfFrozen = async () =>
      (await store.ledger.orphans()).filter(({ executionId }) => executionId === 'frozen').length;
    // A heartbeat that it sent before it was frozen may arrive late.
    while ((await isAlive()) || (await holdsOfFrozen()) !== 1) await pause(100);
    const request = { key: 'key', digest: 'digest', executionId: 'other', now: NOW };
    expect(await store.replays.claim(request)).toEqual({ state: 'unknown', ...frozen });
    const outcome = auditEntry({ executionId: 'frozen', status: 'unknown' });
    const concluded = await Promise.all(times(3, () => store.intents.conclude(outcome)));
    expect(concluded.filter(Boolean)).toHaveLength(1);
    for (const { child } of [busy, holder]) child.kill('SIGKILL');
    await Promise.all([busy.ended, holder.ended]);
    await expectSound(store, busy.lines());
    await store.close();
  }, 120_000);
});
