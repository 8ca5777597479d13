/** A tool's own CONFLICT is a failure like any other; only a key that another call holds is waited for. */
import { afterEach, describe, expect, it } from 'vitest';
import { aTool, testCrib } from '../../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import { ToolFailure } from '../../../contract/errors.ts';
import type { FlowContext } from '../../../contract/flow.ts';
import { createMemoryStore } from '../../../stores/memory/create-memory-store.ts';
import { createCribHost } from '../../create-crib.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const conflict = (extras: object): never => {
  throw new ToolFailure('CONFLICT', 'Somebody changed it.', { retryable: true, ...extras });
};

describe('a tool that fails with a CONFLICT that may be tried again', () => {
  it.each([
    ['reads', 'read_only', {}],
    ['changes something', 'write', {}],
    ['changes something and claims that its key is held', 'write', { keyHeld: true }],
  ] as const)('fails its step at once: one that %s', async (_what, tier, extras) => {
    let runs = 0;
    const save = aTool({
      ...{ name: 'save', tier },
      run: () => {
        runs += 1;
        return conflict(extras);
      },
    });
    const crib = await createCribHost({ store: 'memory', builtins: false, tools: [save] });
    open.push(crib);
    const run = (flow: FlowContext) => flow.call('save', {});
    crib.flows.register(defineFlow({ name: 'saving', version: '1.0.0', run }));
    const { finished } = await crib.flows.start('saving', {});
    expect(await finished).toMatchObject({ status: 'failed', error: { code: 'CONFLICT' } });
    expect(runs).toBe(1);
  });

  it('fails the job that calls it', async () => {
    const save = aTool({ name: 'save', run: () => conflict({}) });
    const crib = await createCribHost({ store: 'memory', builtins: false, tools: [save] });
    open.push(crib);
    const jobId = await crib.jobs.enqueue('tool', { tool: 'save' }, { retries: 0 });
    await crib.jobs.work();
    await expect.poll(async () => (await crib.jobs.get(jobId))?.state).toBe('dead');
  });
});

describe('a call whose key another call holds', () => {
  it('is refused with keyHeld, which says that its result comes later', async () => {
    let letGo: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const crib = await testCrib([aTool({ tier: 'write', run: () => gate })]);
    const as = { idempotencyKey: 'k' };
    const first = crib.execute('echo', {}, as);
    const { error } = await crib.execute('echo', {}, as);
    expect(error).toMatchObject({ code: 'CONFLICT', retryable: true, keyHeld: true });
    letGo();
    expect(await first).toMatchObject({ success: true });
  });

  it('is refused with keyHeld also where the key is lost before the intent is on record', async () => {
    const store = createMemoryStore();
    const lost = new Proxy(store, {
      get: (target, name) => {
        if (name !== 'audit') return Reflect.get(target, name);
        return new Proxy(target.audit, {
          get: (audit, method) =>
            method === 'intend' ? async () => conflict({}) : Reflect.get(audit, method),
        });
      },
    });
    const crib = await testCrib([aTool({ tier: 'write' })], { store: lost });
    const { error } = await crib.execute('echo', {}, { idempotencyKey: 'k' });
    expect(error).toMatchObject({ code: 'CONFLICT', keyHeld: true });
  });
});
