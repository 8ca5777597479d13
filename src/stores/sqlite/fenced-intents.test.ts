/** The threat: a process that froze, was thought to be gone, and wakes up with a claim it lost. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fakeRuntime } from '../../../test/fixtures/fake-runtime.ts';
import type { AuditEntry } from '../../contract/audit.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createSqliteStore } from './create-sqlite-store.ts';

const entry = (executionId: string, kind: AuditEntry['kind'] = 'intent'): AuditEntry => ({
  kind,
  executionId,
  at: 1,
  tool: 't',
  version: '1.0.0',
  tier: 'write',
  userId: 'u',
  agentId: 'a',
  sessionId: 's',
  status: kind === 'intent' ? 'started' : 'unknown',
  code: '',
  durationMs: 0,
  costMicros: 0,
  detail: {},
});

const open = () => {
  const path = join(mkdtempSync(join(tmpdir(), 'toolcrib-fence-')), 's.db');
  return createSqliteStore({ path, runtime: fakeRuntime() });
};

const claim = (executionId: string) => ({ key: 'k', digest: 'd', executionId, now: 1 });

it('hostile: an intent under a key that another execution took over is refused', async () => {
  const store = await open();
  await store.replays.claim(claim('frozen'));
  await store.replays.abandon('k', 'frozen');
  await store.replays.claim(claim('other'));
  const late = store.audit.intend([entry('frozen')], [{ key: 'k', executionId: 'frozen' }]);
  await expect(late).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(await store.audit.query()).toEqual([]);
  // What the frozen one still writes does not touch the claim of the other.
  await store.replays.abandon('k', 'frozen');
  await store.replays.finish({ key: 'k', executionId: 'frozen' }, {} as never, 1000);
  expect((await store.replays.claim(claim('third'))).state).toBe('running');
  await store.close();
});

it('benign: an intent under its own key, and one without a key, are recorded', async () => {
  const store = await open();
  await store.replays.claim(claim('mine'));
  await store.audit.intend([entry('outer'), entry('mine')], [{ key: 'k', executionId: 'mine' }]);
  await store.audit.intend([entry('free')], []);
  const opened = await store.intents.open();
  expect(opened.map(({ entry: { executionId } }) => executionId)).toEqual([
    'outer',
    'mine',
    'free',
  ]);
  await store.close();
});

it('an intent of a living process is not concluded by recovery', async () => {
  const store = await open();
  await store.audit.intend([entry('mine')], []);
  expect(await store.intents.conclude(entry('mine', 'outcome'))).toBe(false);
  expect(await store.intents.conclude(entry('never', 'outcome'))).toBe(false);
  expect(await store.audit.query({ kind: 'outcome' })).toEqual([]);
  await store.close();
});

it('recovery concludes an intent once, when the process that claimed it is gone', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'toolcrib-fence-')), 's.db');
  const gone = await createSqliteStore({ path, runtime: fakeRuntime() });
  await gone.audit.intend([entry('left')], []);
  await gone.close();
  const store = await createSqliteStore({ path, runtime: fakeRuntime() });
  expect(await store.intents.conclude(entry('left', 'outcome'))).toBe(true);
  expect(await store.intents.conclude(entry('left', 'outcome'))).toBe(false);
  expect(await store.audit.query({ kind: 'outcome' })).toHaveLength(1);
  await store.close();
});

it.each([
  ['hostile: one that began its call meanwhile keeps it', true],
  ['benign: one that did nothing loses it', false],
])('of the key of a process that is thought to be gone, %s', async (_title, hasBegun) => {
  const path = join(mkdtempSync(join(tmpdir(), 'toolcrib-fence-')), 's.db');
  const frozen = await createSqliteStore({ path, runtime: fakeRuntime() });
  await frozen.replays.claim(claim('frozen'));
  const database = await openDatabase(path);
  database.exec("UPDATE owners SET place = 'far', heartbeat_at = -1e9");
  const store = await createSqliteStore({ path, runtime: fakeRuntime() });
  expect((await store.replays.claim(claim('other'))).state).toBe('unknown');
  if (hasBegun) {
    await frozen.audit.intend([entry('frozen')], [{ key: 'k', executionId: 'frozen' }]);
  }
  expect(await store.replays.abandonDead('k', 'frozen')).toBe(!hasBegun);
  const { state } = await store.replays.claim(claim('other'));
  expect(state).toBe(hasBegun ? 'running' : 'new');
  database.close();
  await store.close();
  await frozen.close();
});
