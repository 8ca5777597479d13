/** Threat: somebody who can write the file of the store has a run take an event that was sent once again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import type { FlowContext } from '../../contract/flow.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createCrib } from '../create-crib.ts';

const shop = defineFlow({
  name: 'shop',
  version: '1.0.0',
  run: async (flow: FlowContext) => [
    await flow.waitForEvent('paid'),
    await flow.waitForEvent('paid'),
    await flow.waitForEvent('closed'),
  ],
});

let root = '';
let crib: Crib | undefined;

const reopen = async (): Promise<Crib> => {
  await crib?.close();
  const store = { sqlite: join(root, 'state.db') };
  crib = await createCrib({ root, home: join(root, 'home'), store, builtins: false });
  return crib;
};
const working = async (): Promise<Crib> => {
  const opened = await reopen();
  opened.flows.register(shop);
  return opened;
};
const edit = async (sql: string): Promise<void> => {
  await crib?.close();
  const database = await openDatabase(join(root, 'state.db'));
  database.exec(sql);
  database.close();
};

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-copied-'));
  const { flows } = await working();
  await flows.start('shop', {}, { runId: 'run' });
  await expect.poll(async () => (await flows.get('run'))?.status).toBe('waiting');
});
afterEach(async () => {
  await crib?.close();
  rmSync(root, { recursive: true, force: true });
});

/** A process that does not know the flow sends the event: it stays in the store. */
const pay = async (): Promise<void> => {
  await (await reopen()).flows.send('run', 'paid', 100);
};

const SAVE = 'CREATE TABLE saved AS SELECT run_id, record FROM flow_events';
const COPY = 'INSERT INTO flow_events (run_id, record) SELECT run_id, record FROM saved';

/** Sends a second payment after all else, and returns what the run has taken by its end. */
const takenBy = async ({ flows }: Crib): Promise<unknown> => {
  await flows.send('run', 'paid', 'second');
  await flows.send('run', 'closed', 'end');
  return (await flows.finished('run')).output;
};

describe('threat: a copy of an event in the store', () => {
  it('hostile: one that was made before the event was taken is not taken', async () => {
    await pay();
    await edit(`${SAVE}; ${COPY}; ${COPY}`);
    expect(await takenBy(await working())).toEqual([100, 'second', 'end']);
  });

  it('hostile: one that was made when the event had been taken is not taken by another process', async () => {
    await pay();
    await edit(SAVE);
    const { flows } = await working();
    await expect.poll(async () => (await flows.steps('run')).length).toBeGreaterThan(1);
    await edit(`${COPY}; UPDATE flow_runs SET wake_at = 1`);
    expect(await takenBy(await working())).toEqual([100, 'second', 'end']);
  });

  it('benign: two equal events that were sent are both taken', async () => {
    await pay();
    await pay();
    expect(await takenBy(await working())).toEqual([100, 100, 'end']);
  });
});
