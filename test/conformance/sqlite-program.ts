/**
 * A process that uses a SQLite store until its work is done or it is killed. Says on standard
 * output what it was told is durable, one line each, so that a test can hold the store to it.
 */
import { writeSync } from 'node:fs';
import type { Store } from '../../src/contract/store.ts';
import { createRuntime } from '../../src/crib/create-runtime.ts';
import { createSqliteStore } from '../../src/stores/sqlite/create-sqlite-store.ts';
import { auditEntry, intentEntry, times } from './store-samples.ts';

const CENT = 10_000;
const DOLLAR = 1_000_000;

/** Synchronous, so that nothing said is lost when the process is killed. */
const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const holdFor = (executionId: string, limitMicros: number) => ({
  executionId,
  scopes: [{ key: 'user:alice', limitMicros }],
  amountMicros: CENT,
});

/** Calls without end: intent and hold first, then outcome and settlement; then one that changes nothing. */
const work = async (store: Store, name: string): Promise<void> => {
  let next = 0;
  const one = async (): Promise<void> => {
    for (;;) {
      const id = `${name}-${next++}`;
      await Promise.all([
        store.audit.append(intentEntry(id)),
        store.ledger.reserve(holdFor(id, Number.POSITIVE_INFINITY)),
      ]);
      say(`intent ${id}`);
      await Promise.all([
        store.audit.append(auditEntry({ executionId: id })),
        store.ledger.settle(id, { micros: CENT, tokens: 0 }),
      ]);
      say(`outcome ${id}`);
      await store.audit.append(auditEntry({ executionId: `${id}-read` }), 'written');
      say(`outcome ${id}-read`);
    }
  };
  await Promise.all(times(8, one));
};

const append = async (store: Store, name: string): Promise<void> => {
  for (const round of times(20, (n) => n)) {
    await Promise.all(
      times(25, (n) => store.audit.append(auditEntry({ executionId: `${name}-${round}-${n}` }))),
    );
  }
};

const spend = async (store: Store, name: string): Promise<void> => {
  const outcomes = await Promise.all(
    times(250, (n) => store.ledger.reserve(holdFor(`${name}-${n}`, DOLLAR))),
  );
  say(`admitted ${outcomes.filter(({ ok }) => ok).length}`);
};

/** Claims one thing of each kind and lives on. */
const claim = async (store: Store, name: string): Promise<void> => {
  await store.audit.append(intentEntry(name));
  await store.ledger.reserve(holdFor(name, DOLLAR));
  await store.replays.claim({ key: 'key', digest: 'digest', executionId: name, now: Date.now() });
  say('claimed');
  await new Promise((done) => setTimeout(done, 60_000));
};

const TASKS: Readonly<Record<string, (store: Store, name: string) => Promise<void>>> = {
  work,
  append,
  spend,
  claim,
};

const [path = '', task = '', name = ''] = process.argv.slice(2);
const store = await createSqliteStore({ path, runtime: createRuntime(), lockTimeoutMs: 20_000 });
await TASKS[task]?.(store, name);
await store.close();
say('closed');
