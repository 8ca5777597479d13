/** Records of reading steps are written with the steps of their run, and never lost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CallAs } from '../../contract/call-options.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { FlowContext } from '../../contract/flow.ts';
import { createCribHost } from '../create-crib.ts';
import type { CribOptions } from '../crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const toolOf = (name: string, more: object = {}) =>
  defineTool({
    ...{ name, description: 'Returns its input.', tier: 'read_only' as const },
    input: z.object({}),
    run: () => name,
    ...more,
  });
const look = toolOf('look');
const ask = toolOf('ask', { needs: { hosts: ['example.com'] } });
const change = toolOf('change', { tier: 'write' });
const RULES = [{ name: 'all', effect: 'allow' as const, tools: ['*'] }];

const open = async (config: CribOptions['config'] = {}) => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-records-'));
  const crib = await createCribHost({
    ...{ root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') }, config },
    ...{ builtins: false, tools: [look, ask, change], policy: { version: 1, rules: RULES } },
  });
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  cleanup.push(() => crib.close());
  const outcomes = async (): Promise<readonly string[]> =>
    (await crib.audit.query({ kind: 'outcome' })).map(({ tool }) => tool).reverse();
  /** Runs code in a flow; what it returns is the output. */
  const runFlow = async (run: (flow: FlowContext) => Promise<unknown>) => {
    crib.flows.register(defineFlow({ name: 'sample', version: '1.0.0', run }));
    return (await crib.flows.start('sample', {})).finished;
  };
  return { crib, outcomes, runFlow };
};

describe('the record of a step that only reads', () => {
  it('is there with the end of its run, and the trail verifies', async () => {
    const { crib, outcomes, runFlow } = await open();
    const run = await runFlow(async (flow) => {
      await flow.call('look', {});
      await flow.call('look', {});
      return outcomes();
    });
    expect(run.output).toEqual([]);
    expect(await outcomes()).toEqual(['look', 'look']);
    expect(await crib.audit.verify()).toMatchObject({ ok: true });
  });

  it('is there before a later step changes something', async () => {
    const { outcomes, runFlow } = await open();
    const run = await runFlow(async (flow) => {
      await flow.call('look', {});
      await flow.call('change', {});
      return outcomes();
    });
    expect(run.output).toEqual(['look', 'change']);
  });

  it('is written at once where the tool reaches a host, and where every record is synced', async () => {
    const reaches = await open();
    const reached = await reaches.runFlow(async (flow) => {
      await flow.call('ask', {});
      return reaches.outcomes();
    });
    expect(reached.output).toEqual(['ask']);
    const strict = await open({ audit: { syncEveryRecord: true } });
    const synced = await strict.runFlow(async (flow) => {
      await flow.call('look', {});
      return strict.outcomes();
    });
    expect(synced.output).toEqual(['look']);
  });

  it('is not lost when the run fails, is cancelled, or the crib is closed', async () => {
    const { crib, outcomes, runFlow } = await open();
    await runFlow(async (flow) => {
      await flow.call('look', {});
      throw new Error('stop');
    });
    expect(await outcomes()).toHaveLength(1);
    const waits = async (flow: FlowContext): Promise<unknown> => {
      await flow.call('look', {});
      return flow.value('never', () => new Promise(() => undefined));
    };
    crib.flows.register(defineFlow({ name: 'waits', version: '1.0.0', run: waits }));
    const { runId } = await crib.flows.start('waits', {});
    await crib.flows.cancel(runId);
    await expect.poll(outcomes).toHaveLength(2);
  });

  it('threat: a caller that is no flow cannot hold records back', async () => {
    const { crib, outcomes } = await open();
    const runRecords = { add: () => undefined };
    const as = { runRecords } as CallAs;
    expect((await crib.execute('look', {}, as)).error?.code).toBe('VALIDATION_ERROR');
    expect((await outcomes()).length).toBe(1);
  });
});
