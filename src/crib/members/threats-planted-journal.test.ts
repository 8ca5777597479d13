/** Threat: somebody who can write the file of the store plants what the code of a flow is told. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Crib } from '../../contract/crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { FlowContext } from '../../contract/flow.ts';
import { openDatabase } from '../../kit/sqlite/open-database.ts';
import { createCribHost } from '../create-crib.ts';
import { createRuntime } from '../create-runtime.ts';

const price = defineTool({
  name: 'price',
  description: 'Looks up a price.',
  tier: 'read_only',
  input: z.object({ item: z.string() }),
  run: ({ item }) => ({ usd: item.length }),
});
const inner = defineFlow({
  name: 'inner',
  version: '1.0.0',
  run: (flow: FlowContext) => flow.waitForEvent('done'),
});
const order = defineFlow({
  name: 'order',
  version: '1.0.0',
  run: async (flow: FlowContext) => {
    const { usd } = await flow.call(price, { item: 'bolt' });
    const approved = await flow.waitForEvent('approved');
    return { usd, approved };
  },
});
const outer = defineFlow({
  name: 'outer',
  version: '1.0.0',
  run: (flow: FlowContext) => flow.child(inner, {}),
});

let root = '';
const open: Crib[] = [];
const warnings: string[] = [];

const openCrib = async (home = 'home'): Promise<Crib> => {
  const runtime = createRuntime();
  const crib = await createCribHost({
    ...{ root, home: join(root, home), store: { sqlite: join(root, 'state.db') } },
    ...{ builtins: false, tools: [price] },
    runtime: { ...runtime, log: { ...runtime.log, warn: (text) => void warnings.push(text) } },
  });
  open.push(crib);
  return crib;
};
const register = (crib: Crib): void => {
  for (const flow of [order, outer, inner]) crib.flows.register(flow as typeof outer);
};
const closeAll = async (): Promise<void> => {
  for (const crib of open.splice(0)) await crib.close();
};
const edit = async (sql: string): Promise<void> => {
  const database = await openDatabase(join(root, 'state.db'));
  database.exec(sql);
  database.close();
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-planted-'));
  warnings.length = 0;
});
afterEach(async () => {
  await closeAll();
  rmSync(root, { recursive: true, force: true });
});

/** Leaves a run that waits for its event, and no process. */
const leaveWaiting = async (flow: string): Promise<void> => {
  const crib = await openCrib();
  register(crib);
  await crib.flows.start(flow, {}, { runId: 'run' });
  const waiting = flow === 'outer' ? 'run.1' : 'run';
  await expect.poll(async () => (await crib.flows.get(waiting))?.status).toBe('waiting');
  await closeAll();
};

/** Another process goes on with the run. */
const goOn = async (home?: string) => {
  const crib = await openCrib(home);
  register(crib);
  await crib.flows.send('run', 'approved', true);
  return (await crib.flows.start('order', {}, { runId: 'run' })).finished;
};

describe('the journal of a run', () => {
  it('benign: another process of the user continues an unchanged journal', async () => {
    await leaveWaiting('order');
    expect(await goOn()).toMatchObject({ output: { usd: 4, approved: true } });
  });

  it.each([
    [
      'a result that was changed',
      `UPDATE flow_steps SET record = json_set(record, '$.value.usd', 1)`,
    ],
    [
      'a step without a seal',
      `INSERT INTO flow_steps (run_id, key, record) SELECT run_id, '9',
       json_remove(json_set(record, '$.key', '9', '$.position', 9), '$.seal') FROM flow_steps LIMIT 1`,
    ],
    [
      'a step under the key of another',
      `UPDATE flow_steps SET record = (SELECT record FROM flow_steps WHERE key = '1') WHERE key = '2'`,
    ],
  ])('with %s blocks the run, and its code does not run', async (_title, sql) => {
    await leaveWaiting('order');
    await edit(sql);
    expect(await goOn()).toMatchObject({
      ...{ status: 'blocked', waitsFor: ['seal'] },
      error: { code: 'SECURITY_VIOLATION', message: expect.stringMatching(/^Step \d/) },
    });
  });

  it('of another user is not continued', async () => {
    await leaveWaiting('order');
    expect(await goOn('mallory')).toMatchObject({ status: 'blocked', waitsFor: ['seal'] });
    expect(warnings.filter((text) => text.includes('without your seal'))).toHaveLength(1);
  });

  it.each(['input', 'caller'])('of a run whose %s was changed is not continued', async (field) => {
    await leaveWaiting('order');
    await edit(`UPDATE flow_runs SET record = json_set(record, '$.${field}.userId', 'admin')`);
    const crib = await openCrib();
    register(crib);
    await crib.flows.send('run', 'approved', true);
    await expect.poll(async () => (await crib.flows.get('run'))?.waitsFor).toEqual(['seal']);
  });

  it('of a run whose version was changed by hand in the file is not continued', async () => {
    await leaveWaiting('order');
    await edit(`UPDATE flow_runs SET record = json_set(record, '$.version', '0.9.0')`);
    const crib = await openCrib();
    crib.flows.register({ ...order, version: '0.9.0' } as typeof outer);
    await crib.flows.send('run', 'approved', true);
    await expect.poll(async () => (await crib.flows.get('run'))?.waitsFor).toEqual(['seal']);
  });

  it('of a run that its user moved to another version is continued', async () => {
    await leaveWaiting('order');
    const crib = await openCrib();
    crib.flows.register({ ...order, version: '2.0.0' } as typeof outer);
    expect(await crib.flows.resume('run', { version: '2.0.0' })).toBe(true);
    await crib.flows.send('run', 'approved', true);
    await expect.poll(async () => (await crib.flows.get('run'))?.status).toBe('completed');
  });

  it('a planted event does not wake a run that waits for it', async () => {
    await leaveWaiting('order');
    await edit(`INSERT INTO flow_events (run_id, record)
      VALUES ('run', '{"name":"approved","payload":"planted","at":1}')`);
    expect(await goOn()).toMatchObject({ output: { approved: true } });
  });
});

describe('the end of a child', () => {
  it('that was planted in the store blocks the parent', async () => {
    await leaveWaiting('outer');
    await edit(`UPDATE flow_runs SET status = 'completed', wake_at = NULL,
      record = json_set(record, '$.status', 'completed', '$.output', 'planted') WHERE id = 'run.1'`);
    const crib = await openCrib();
    register(crib);
    const { finished } = await crib.flows.start('outer', {}, { runId: 'run' });
    expect(await finished).toMatchObject({ status: 'blocked', waitsFor: ['seal'] });
  });

  it('that its own process wrote reaches the parent', async () => {
    await leaveWaiting('outer');
    const crib = await openCrib();
    register(crib);
    await crib.flows.send('run.1', 'done', 'real');
    const { finished } = await crib.flows.start('outer', {}, { runId: 'run' });
    expect(await finished).toMatchObject({ status: 'completed', output: 'real' });
  });
});
