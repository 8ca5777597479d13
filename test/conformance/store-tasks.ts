/**
 * What a process does with a store until its work is done or it is killed. It says on standard output
 * what it was told is durable, one line each, so that a test can hold the store to it.
 */
import { appendFileSync, writeSync } from 'node:fs';
import type { Store } from '../../src/contract/store.ts';
import { auditEntry, intentEntry, times, toolResult } from './store-samples.ts';

const CENT = 10_000;
const DOLLAR = 1_000_000;

/** Synchronous, so that nothing said is lost when the process is killed. */
export const say = (line: string): void => {
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
      times(25, async (n) =>
        store.audit.append(auditEntry({ executionId: `${name}-${round}-${n}` })),
      ),
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

/** Makes one effect under a key, as the pipeline does: claim, intent, effect, outcome, result. */
const effectOnce = async (store: Store, name: string, n: number): Promise<boolean> => {
  const key = `key-${n}`;
  const executionId = `${name}-${n}-${Math.random()}`;
  const request = { key, digest: 'd', executionId, now: Date.now() };
  let claim = await store.replays.claim(request);
  if (claim.state === 'unknown') {
    await store.replays.abandonDead(key, claim.executionId);
    claim = await store.replays.claim(request);
  }
  if (claim.state === 'running') return false;
  if (claim.state !== 'new') return true;
  try {
    await store.audit.intend([intentEntry(executionId)], [{ key, executionId }]);
  } catch {
    return true;
  }
  appendFileSync(process.env.EFFECTS ?? '/dev/null', `${key}\n`);
  await store.audit.append(auditEntry({ executionId }));
  await store.replays.finish({ key, executionId }, toolResult(n), Date.now() + 3_600_000);
  return true;
};

/** Works through the same keys as the other processes, until each has its result or is in doubt. */
const effects = async (store: Store, name: string): Promise<void> => {
  say('started');
  let open = times(Number(process.env.KEYS ?? 60), (n) => n);
  while (open.length > 0) {
    const left: number[] = [];
    for (const n of open) {
      const isOver = await effectOnce(store, name, n).catch(() => false);
      if (!isOver) left.push(n);
    }
    open = left;
    if (open.length > 0) await new Promise((done) => setTimeout(done, 50));
  }
};

export const TASKS: Readonly<Record<string, (store: Store, name: string) => Promise<void>>> = {
  work,
  append,
  spend,
  claim,
  effects,
};
