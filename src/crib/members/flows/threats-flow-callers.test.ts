/** Threat: a caller reads, continues or ends the runs of another user. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Crib } from '../../../contract/crib.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import type { FlowContext } from '../../../contract/flow.ts';
import { createCribHost } from '../../create-crib.ts';

const inner = defineFlow({
  name: 'inner',
  version: '1.0.0',
  run: (flow: FlowContext) => flow.waitForEvent('go'),
});
const outer = defineFlow({
  name: 'outer',
  version: '1.0.0',
  run: (flow: FlowContext) => flow.child(inner, {}),
});

const alice = { userId: 'alice' };
const mallory = { userId: 'mallory', roles: ['operator'] };
const CHILD = 'run-1.1';

let crib: Crib;
beforeEach(async () => {
  crib = await createCribHost({ store: 'memory', builtins: false });
  crib.flows.register(inner);
  crib.flows.register(outer);
  await crib.flows.start('outer', {}, { ...alice, runId: 'run-1' });
  await expect.poll(async () => (await crib.flows.get(CHILD))?.status).toBe('waiting');
});
afterEach(() => crib.close());

describe('a run, for a caller that did not start it', () => {
  it.each(['run-1', CHILD])('is as good as unknown: %s', async (runId) => {
    expect(await crib.flows.get(runId, mallory)).toBeUndefined();
    expect(await crib.flows.steps(runId, mallory)).toEqual([]);
    expect(await crib.flows.list({}, mallory)).toEqual([]);
    expect(await crib.flows.list({ userId: 'alice' }, mallory)).toEqual([]);
    expect(await crib.flows.send(runId, 'go', 'x', mallory)).toBe(false);
    expect(await crib.flows.resume(runId, {}, mallory)).toBe(false);
    expect(await crib.flows.cancel(runId, mallory)).toBe(false);
    expect(await crib.flows.get(runId)).toMatchObject({ status: 'waiting' });
  });
});

describe('a run, for its own caller, an admin or owner, and the library user', () => {
  it.each<[string, Parameters<Crib['flows']['get']>[1]]>([
    ['its caller', alice],
    ['its caller in another session', { ...alice, sessionId: 'later' }],
    ['an admin', { userId: 'root', roles: ['admin'] }],
    ['the local owner', {}],
    ['the library user', undefined],
  ])('can be read, continued and ended: %s', async (_who, as) => {
    expect(await crib.flows.get('run-1', as)).toMatchObject({ caller: alice });
    expect(await crib.flows.get(CHILD, as)).toMatchObject({ caller: alice });
    expect(await crib.flows.steps('run-1', as)).toHaveLength(1);
    expect(await crib.flows.list({}, as)).toHaveLength(2);
    expect(await crib.flows.resume('run-1', {}, as)).toBe(true);
    expect(await crib.flows.send(CHILD, 'stay', null, as)).toBe(true);
    expect(await crib.flows.cancel('run-1', as)).toBe(true);
    expect(await crib.flows.get(CHILD)).toMatchObject({ status: 'cancelled' });
  });

  it('refuses a caller that is none', async () => {
    const wrong = { userId: 7 } as never;
    await expect(crib.flows.get('run-1', wrong)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });
});
