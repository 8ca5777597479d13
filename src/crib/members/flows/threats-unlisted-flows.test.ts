/** Threat: a caller with a list of tools uses flows that it does not name, and no record tells of it. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../../../test/fixtures/test-crib.ts';

const limited = { userId: 'ada', agentId: 'bot', roles: ['agent'], tools: ['echo'] };
const named = { ...limited, tools: ['flow_hello', 'deploy'] };
const flow = {
  name: 'hello',
  version: '1.0.0',
  steps: [{ id: 'say', call: 'deploy', input: { to: 'here' } }],
};
const denied = { code: 'PERMISSION_DENIED', message: expect.stringContaining('flow_hello') };

let crib: TestCrib;
beforeEach(async () => {
  crib = await testCrib([aTool({ name: 'echo' }), aTool({ name: 'deploy', tier: 'execute' })]);
  await crib.flows.registerData(flow);
});
afterEach(() => crib.close());

const refusals = async () => {
  const rows = await crib.audit.query({ userId: 'ada', tool: 'toolcrib:flow', kind: 'outcome' });
  return rows.map(({ code, status, detail }) => [code, status, JSON.stringify(detail)]);
};

describe('threat: a flow that is not on the list of its caller', () => {
  it.each([
    ['starts', 'start', () => crib.flows.start('hello', {}, limited)],
    ['plans', 'plan', () => crib.flows.plan('hello', {}, limited)],
    ['plans a version of', 'plan', () => crib.flows.plan('hello@1.0.0', {}, limited)],
    ['asks about', 'request_approval', () => crib.flows.requestApproval('hello', {}, limited)],
  ] as const)('hostile: nobody %s it, and the attempt is on record', async (_, action, use) => {
    await expect(use()).rejects.toMatchObject(denied);
    expect(await refusals()).toEqual([
      ['PERMISSION_DENIED', 'denied', expect.stringContaining(action)],
    ]);
    expect(await crib.flows.list()).toEqual([]);
    expect(await crib.approvals.list()).toEqual([]);
  });

  it('benign: a caller whose list names it plans it, asks about it and starts it', async () => {
    expect((await crib.flows.plan('hello', {}, named)).levels).toHaveLength(1);
    expect((await crib.flows.requestApproval('hello', {}, named)).calls).toBe(1);
    expect(await crib.flows.start('hello', {}, named)).toHaveProperty('runId');
    expect(await refusals()).toEqual([]);
  });

  it('benign: a caller with a list plans a flow that it brings itself', async () => {
    expect((await crib.flows.plan(flow, {}, limited)).denied).toHaveLength(1);
  });
});
