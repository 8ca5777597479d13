/** The code of a flow may change what it was handed; the record of the run stays as it was. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import type { Crib } from '../../contract/crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { FlowContext } from '../../contract/flow.ts';
import { createCribHost } from '../create-crib.ts';

const parts = defineTool({
  name: 'parts',
  description: 'Lists parts.',
  tier: 'read_only',
  input: z.object({}),
  run: () => ({ names: ['bolt', 'nut'] }),
});
const emptying = defineFlow({
  name: 'emptying',
  version: '1.0.0',
  input: z.object({ items: z.array(z.string()) }),
  run: async (flow: FlowContext, input: { items: string[] }) => {
    const { names } = await flow.call(parts, {});
    const taken = [names.pop(), input.items.pop()];
    await flow.waitForEvent('go');
    return [...taken, names.length, input.items.length];
  },
});

let root = '';
const open: Crib[] = [];
const openCrib = async (store: 'memory' | { sqlite: string }): Promise<Crib> => {
  const home = join(root, 'home');
  const crib = await createCribHost({ root, home, store, builtins: false, tools: [parts] });
  open.push(crib);
  crib.flows.register(emptying);
  return crib;
};
const closeAll = async (): Promise<void> => {
  for (const crib of open.splice(0)) await crib.close();
};
const startWaiting = async (crib: Crib): Promise<string> => {
  const { runId } = await crib.flows.start('emptying', { items: ['a', 'b'] });
  await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');
  return runId;
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'toolcrib-changed-'));
});
afterEach(async () => {
  await closeAll();
  rmSync(root, { recursive: true, force: true });
});

it('a run whose code changed its input and a result in place is continued by another process', async () => {
  const store = { sqlite: join(root, 'state.db') };
  const runId = await startWaiting(await openCrib(store));
  await closeAll();
  const crib = await openCrib(store);
  await crib.flows.send(runId, 'go', null);
  const run = await crib.flows.finished(runId);
  expect(run).toMatchObject({ status: 'completed', output: ['nut', 'b', 1, 1] });
  expect(run.input).toEqual({ items: ['a', 'b'] });
});

it('a run in memory replays its results as they were, however often its code changed them', async () => {
  const crib = await openCrib('memory');
  const runId = await startWaiting(crib);
  await crib.flows.send(runId, 'go', null);
  expect(await crib.flows.finished(runId)).toMatchObject({ output: ['nut', 'b', 1, 1] });
  const [call] = await crib.flows.steps(runId);
  expect(call?.value).toEqual({ names: ['bolt', 'nut'] });
});
