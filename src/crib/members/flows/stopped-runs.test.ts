/** What becomes of the calls of a run when its process leaves politely: Ctrl-C, SIGTERM, `crib.close`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { CribHost } from '../../../contract/crib-host.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowContext } from '../../../contract/flow.ts';
import type { Runtime } from '../../../contract/runtime.ts';
import type { Tool } from '../../../contract/tool.ts';
import { createCribHost } from '../../create-crib.ts';
import { createRuntime } from '../../create-runtime.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const POLICY = {
  version: 1 as const,
  rules: [{ name: 'all', effect: 'allow' as const, tools: ['*'] }],
};

/** Opens cribs one after the other on one store, as processes that follow each other would. */
const openStore = () => {
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-stop-'));
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  return async (tool: Tool, runtime: Runtime = createRuntime()): Promise<CribHost> => {
    const crib = await createCribHost({
      ...{ root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } },
      ...{ builtins: false, tools: [tool], policy: POLICY, runtime },
    });
    cleanup.push(() => crib.close());
    const run = (flow: FlowContext) => flow.call('send', {});
    crib.flows.register(defineFlow({ name: 'mailing', version: '1.0.0', run }));
    return crib;
  };
};

/** A tool that waits until it is let go, or for ever, and notes each time that it is run. */
const sending = (definition: Partial<Tool> = {}) => {
  const sent: string[] = [];
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const tool = defineTool({
    ...{ name: 'send', description: 'Sends.', tier: 'external_api' },
    input: z.object({}),
    run: async () => {
      sent.push('mail');
      if (sent.length === 1) await gate;
      return 'sent';
    },
    ...(definition as object),
  });
  return { tool, sent, letGo };
};

/** The system clock on which a wait of more than a second is over at once. */
const impatient = (): Runtime => {
  const runtime = createRuntime();
  return { ...runtime, after: (ms, end) => runtime.after(ms > 9_000 ? 5 : ms, end) };
};

/** Starts a run, and waits until it is in its call. What is returned resolves when the crib leaves the run. */
const startIn = async (crib: CribHost, sent: readonly string[]) => {
  const { finished } = await crib.flows.start('mailing', {}, { runId: 'run' });
  const left = finished.then(
    () => 'finished',
    () => 'left',
  );
  await expect.poll(() => sent).toHaveLength(1);
  return { left };
};

describe('a process that leaves while a run makes a call that changes something', () => {
  it('lets the call end, and the next process goes on after it', async () => {
    const open = openStore();
    const { tool, sent, letGo } = sending();
    const first = await open(tool);
    const { left } = await startIn(first, sent);
    const closed = first.close();
    expect(await left).toBe('left');
    letGo();
    await closed;
    const next = await open(tool);
    expect(await next.flows.finished('run')).toMatchObject({ status: 'completed', output: 'sent' });
    expect(sent).toHaveLength(1);
  });

  it('cuts a call off that does not end, and its run is blocked instead of failed', async () => {
    const open = openStore();
    const { tool, sent } = sending();
    const first = await open(tool, impatient());
    await startIn(first, sent);
    await first.close();
    const next = await open(tool);
    const run = await next.flows.get('run');
    expect(run).toMatchObject({ status: 'blocked', error: { code: 'CANCELLED' } });
    expect(run?.waitsFor).toEqual([`call:${run?.error?.inDoubt}`]);
    await next.flows.resume('run');
    expect(await next.flows.finished('run')).toMatchObject({ status: 'blocked' });
    expect(sent).toHaveLength(1);
  });

  it('makes the call again in the next process where its tool is idempotent', async () => {
    const open = openStore();
    const { tool, sent } = sending({ idempotent: true });
    const first = await open(tool, impatient());
    await startIn(first, sent);
    await first.close();
    const next = await open(tool);
    expect(await next.flows.finished('run')).toMatchObject({ status: 'completed', output: 'sent' });
    expect(sent).toHaveLength(2);
  });
});

describe('a process that leaves while a run makes a call that only reads', () => {
  it('does not wait for it, and the next process makes it again', async () => {
    const open = openStore();
    const { tool, sent } = sending({ tier: 'read_only' });
    const first = await open(tool);
    await startIn(first, sent);
    await first.close();
    const next = await open(tool);
    expect(await next.flows.finished('run')).toMatchObject({ status: 'completed', output: 'sent' });
    expect(sent).toHaveLength(2);
  });
});

describe('a run that is cancelled while it makes a call that changes something', () => {
  it('is cancelled, and its call is not in doubt', async () => {
    const open = openStore();
    const { tool, sent } = sending();
    const crib = await open(tool);
    await startIn(crib, sent);
    await crib.flows.cancel('run');
    expect(await crib.flows.get('run')).toMatchObject({ status: 'cancelled' });
    const outcomes = () => crib.audit.query({ tool: 'send', kind: 'outcome' });
    await expect.poll(outcomes).toMatchObject([{ code: 'CANCELLED' }]);
    expect((await crib.flows.get('run'))?.error?.inDoubt).toBeUndefined();
  });
});

describe('a run that is blocked by a call in doubt', () => {
  const blocked = async () => {
    const open = openStore();
    const { tool, sent } = sending();
    const first = await open(tool, impatient());
    await startIn(first, sent);
    await first.close();
    return { crib: await open(tool), sent };
  };

  it('goes on after the call when a person says that it is done, and the trail says who did', async () => {
    const { crib, sent } = await blocked();
    expect(await crib.flows.steps('run')).toMatchObject([{ key: '1', state: 'open' }]);
    const settle = { step: '1', as: 'done', data: { id: 7 } } as const;
    expect(await crib.flows.resume('run', { settle }, { userId: 'ada', roles: ['admin'] })).toBe(
      true,
    );
    const end = await crib.flows.finished('run');
    expect(end).toMatchObject({ status: 'completed', output: { id: 7 } });
    expect(sent).toHaveLength(1);
    const [row] = await crib.audit.query({ userId: 'ada', kind: 'event' });
    expect(row?.detail).toMatchObject({
      event: 'step.settled',
      runId: 'run',
      step: '1',
      as: 'done',
    });
  });

  it('makes the call again when a person says that it is not done', async () => {
    const { crib, sent } = await blocked();
    await crib.flows.resume('run', { settle: { step: '1', as: 'not_done' } });
    const end = await crib.flows.finished('run');
    expect(end).toMatchObject({ status: 'completed', output: 'sent' });
    expect(sent).toHaveLength(2);
  });

  it('is not settled by another user, nor by a step that is not in doubt, nor twice', async () => {
    const { crib, sent } = await blocked();
    const settle = { step: '1', as: 'not_done' } as const;
    expect(await crib.flows.resume('run', { settle }, { userId: 'mallory' })).toBe(false);
    const other = crib.flows.resume('run', { settle: { ...settle, step: '2' } });
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await crib.flows.get('run')).toMatchObject({ status: 'blocked' });
    expect(sent).toHaveLength(1);
    await crib.flows.resume('run', { settle });
    await crib.flows.finished('run');
    const again = crib.flows.resume('run', { settle });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it.each([
    ['that no flow can have', 'next', 'VALIDATION_ERROR'],
    ['that is not registered', '9.9.9', 'NOT_FOUND'],
  ])('stays in doubt when it is settled and moved to a version %s', async (_, version, code) => {
    const { crib, sent } = await blocked();
    const settle = { step: '1', as: 'not_done' } as const;
    await expect(crib.flows.resume('run', { settle, version })).rejects.toMatchObject({ code });
    expect(await crib.audit.query({ kind: 'event' })).toEqual([]);
    await crib.flows.resume('run');
    expect(await crib.flows.finished('run')).toMatchObject({ status: 'blocked' });
    expect(sent).toHaveLength(1);
    await crib.flows.resume('run', { settle: { ...settle, as: 'done' } });
    expect(await crib.flows.finished('run')).toMatchObject({ status: 'completed' });
    expect(sent).toHaveLength(1);
  });
});
