/** One approval for a whole run: what it covers, and what it does not. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import type { CallAs } from '../../../contract/call-options.ts';
import type { ToolContext } from '../../../contract/context.ts';
import type { Crib } from '../../../contract/crib.ts';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowData } from '../../../contract/flow-data.ts';
import { createCribHost } from '../../../crib/create-crib.ts';
import type { CribOptions } from '../../../crib/crib-options.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

const sent: string[] = [];
const send = (description = 'Sends a text.') =>
  defineTool({
    name: 'send',
    description,
    tier: 'external_api',
    input: z.object({ text: z.string(), to: z.string().default('all') }),
    run: ({ text }) => {
      sent.push(text);
      return { sent: text };
    },
  });
const read = defineTool({
  name: 'read',
  description: 'Reads.',
  tier: 'read_only',
  input: z.looseObject({}),
  run: (input) => ({ text: 'read', ...input }),
});
const store = defineTool({
  name: 'store',
  description: 'Stores.',
  tier: 'write',
  input: z.object({ text: z.string() }),
  run: ({ text }) => ({ stored: text }),
});
const wipe = defineTool({
  name: 'wipe',
  description: 'Wipes.',
  tier: 'write',
  capabilities: [{ action: 'wipe', description: 'Wipes.', destructive: true }],
  input: z.object({ text: z.string() }),
  run: ({ text }) => ({ wiped: text }),
});

const open = async (options: CribOptions = {}) => {
  sent.length = 0;
  const root = mkdtempSync(join(tmpdir(), 'toolcrib-plan-'));
  const crib = await createCribHost({
    root,
    home: join(root, 'home'),
    store: 'memory',
    builtins: false,
    tools: [send(), read, store, wipe],
    ...options,
  });
  cleanup.push(() => rmSync(root, { recursive: true, force: true }));
  cleanup.push(() => crib.close());
  return Object.assign(crib, { root });
};

const flowOf = (steps: FlowData['steps'], part: Partial<FlowData> = {}): FlowData => ({
  name: 'sample',
  version: '1.0.0',
  steps,
  ...part,
});

const mailing = flowOf([
  {
    id: 'mail',
    call: 'send',
    input: { text: { from: 'item' } },
    forEach: { items: { from: 'input.texts' } },
  },
  { id: 'last', call: 'send', input: { text: 'over' } },
]);
const texts = { texts: ['one', 'two'] };

/** Asks for the approval of a plan, and gives it. */
const approved = async (crib: Crib, input: unknown, as: CallAs = {}): Promise<string> => {
  const { approvalId } = await crib.flows.requestApproval('sample', input, as);
  expect(await crib.approvals.decide(approvalId, { approve: true, by: 'ada' })).toBe(true);
  return approvalId;
};

const waitsForPerson = (crib: Crib, runId: string) =>
  expect.poll(async () => (await crib.flows.get(runId))?.status).toBe('waiting');

describe('an approved plan', () => {
  it('runs its calls without asking again, and each of them names the approval', async () => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const planApproval = await approved(crib, texts);
    const { finished, runId } = await crib.flows.start('sample', texts, { planApproval });
    expect(await finished).toMatchObject({
      status: 'completed',
      plan: { approvalId: planApproval },
    });
    expect(sent.toSorted()).toEqual(['one', 'over', 'two']);
    const rows = await crib.audit.query({ kind: 'outcome', tool: 'send' });
    expect(rows.map(({ detail }) => [detail.approvedBy, detail.planApprovalId])).toEqual(
      Array.from({ length: 3 }, () => ['ada', planApproval]),
    );
    const [decision] = await crib.audit.query({ kind: 'event', tool: 'toolcrib:plan' });
    expect(decision).toMatchObject({ userId: 'ada', detail: { approved: true } });
    expect((await crib.flows.get(runId))?.plan?.digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('shows the person every call with its exact input, and what asks all the same', async () => {
    const crib = await open();
    const steps = [
      { id: 'a', call: 'read' },
      { id: 'b', call: 'send', input: { text: { from: 'input.text' } } },
      { id: 'c', call: 'send', input: { text: { from: 'steps.a.data.text' } } },
      { id: 'd', call: 'store', input: { text: { from: 'steps.a.data.text' } } },
      { id: 'e', approve: 'Go on?' },
    ];
    await crib.flows.registerData(flowOf(steps));
    const approval = await crib.flows.requestApproval('sample', { text: 'hi' });
    expect(approval).toMatchObject({ flow: 'sample', calls: 2 });
    expect(approval.asks.map(({ step }) => step)).toEqual(['c', 'e']);
    const question = await crib.approvals.get(approval.approvalId);
    expect(question?.request.input).toMatchObject({
      flow: 'sample',
      version: '1.0.0',
      digest: approval.digest,
      input: { text: 'hi' },
      calls: [
        { place: 'b', tool: 'send', input: { text: 'hi', to: 'all' }, targets: [] },
        { place: 'd', tool: 'store' },
      ],
    });
  });

  it('asks about a call whose input came from an earlier result, if it reaches the outside', async () => {
    const crib = await open();
    const steps = [
      { id: 'a', call: 'send', input: { text: 'known' } },
      { id: 'b', call: 'send', input: { text: { from: 'steps.a.data.sent' } } },
    ];
    await crib.flows.registerData(flowOf(steps));
    const planApproval = await approved(crib, {});
    const { runId } = await crib.flows.start('sample', {}, { planApproval });
    await waitsForPerson(crib, runId);
    expect(sent).toEqual(['known']);
    expect(await crib.approvals.list()).toMatchObject([{ tool: 'send' }]);
  });

  it.each([
    ['store', 'completed'],
    ['wipe', 'waiting'],
  ])('with an input of an earlier result, %s is %s', async (tool, status) => {
    const rules = [{ name: 'ask', effect: 'ask' as const, tools: ['store', 'wipe'] }];
    const crib = await open({ policy: { version: 1, rules } });
    const steps = [
      { id: 'a', call: 'read' },
      { id: 'b', call: tool, input: { text: { from: 'steps.a.data.text' } } },
    ];
    await crib.flows.registerData(flowOf(steps));
    const planApproval = await approved(crib, {});
    const { runId } = await crib.flows.start('sample', {}, { planApproval });
    await expect.poll(async () => (await crib.flows.get(runId))?.status).toBe(status);
  });

  it('says that a person is asked when the fallback fails, too', async () => {
    const crib = await open();
    const fallback = { call: 'read' };
    const step = { id: 'a', call: 'send', input: { text: 'hi' } };
    await crib.flows.registerData(
      flowOf([{ ...step, onError: { fallback, otherwise: 'manual' } }]),
    );
    const { asks } = await crib.flows.requestApproval('sample', {});
    expect(asks).toContainEqual({ step: 'a', reason: 'a person decides when it has failed' });
  });

  it('survives the end of the process, with its seal', async () => {
    const root = mkdtempSync(join(tmpdir(), 'toolcrib-plan-'));
    cleanup.push(() => rmSync(root, { recursive: true, force: true }));
    const options = { root, home: join(root, 'home'), store: { sqlite: join(root, 'state.db') } };
    const data = flowOf([
      { id: 'wait', waitFor: 'go' },
      { id: 'mail', call: 'send', input: { text: 'late' } },
    ]);
    const first = await open(options);
    await first.flows.registerData(data);
    const planApproval = await approved(first, {});
    const { runId } = await first.flows.start('sample', {}, { planApproval });
    await waitsForPerson(first, runId);
    await first.close();
    const second = await open(options);
    await second.flows.registerData(data);
    await second.flows.send(runId, 'go');
    expect(await second.flows.finished(runId)).toMatchObject({ status: 'completed' });
    expect(sent).toEqual(['late']);
  });

  it('covers the alternative and the fallback that the flow declares', async () => {
    const broken = aTool({
      name: 'broken',
      tier: 'read_only',
      run: () => {
        throw new Error('broken');
      },
    });
    const crib = await open({ tools: [send(), read, broken] });
    const steps = [
      {
        id: 'a',
        call: 'read',
        when: 'false',
        else: { call: 'send', input: { text: 'else' } },
      },
      {
        id: 'b',
        call: 'broken',
        onError: { fallback: { call: 'send', input: { text: 'fallback' } } },
      },
    ];
    await crib.flows.registerData(flowOf(steps));
    const planApproval = await approved(crib, {});
    const { finished } = await crib.flows.start('sample', {}, { planApproval });
    expect(await finished).toMatchObject({ status: 'completed' });
    expect(sent).toEqual(['else', 'fallback']);
  });

  it.each([
    ['of items that are known', { from: 'input.texts' }],
    ['of no items', []],
    ['of items of an earlier step', { from: 'steps.read.data.texts' }],
  ])('covers the alternative of a list %s once, instead of the whole list', async (_of, items) => {
    const crib = await open();
    const list = {
      id: 'a',
      call: 'send',
      input: { text: { from: 'item' } },
      forEach: { items },
      when: 'input.go',
      else: { call: 'send', input: { text: 'none' } },
    };
    await crib.flows.registerData(flowOf([{ id: 'read', call: 'read' }, list]));
    const input = { ...texts, go: false };
    const { approvalId } = await crib.flows.requestApproval('sample', input);
    const question = await crib.approvals.get(approvalId);
    const { calls } = Object(question?.request.input) as { calls: { place: string }[] };
    expect(calls.map(({ place }) => place).filter((place) => place.includes('else'))).toEqual([
      'a.else',
    ]);
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
    const { finished } = await crib.flows.start('sample', input, { planApproval: approvalId });
    expect(await finished).toMatchObject({ status: 'completed' });
    expect(sent).toEqual(['none']);
  });

  it('gives the run that is there when it is started again under the same id', async () => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const planApproval = await approved(crib, texts);
    const as = { planApproval, runId: 'run-1' };
    await (await crib.flows.start('sample', texts, as)).finished;
    const again = await crib.flows.start('sample', texts, as);
    expect(await again.finished).toMatchObject({ status: 'completed' });
    expect(sent).toHaveLength(3);
  });

  it('is refused where nothing in it can be approved before', async () => {
    const crib = await open();
    await crib.flows.registerData(flowOf([{ id: 'a', call: 'read' }]));
    await expect(crib.flows.requestApproval('sample', {})).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    const many = flowOf(mailing.steps, { name: 'many' });
    await crib.flows.registerData(many);
    const input = { texts: Array.from({ length: 501 }, (_, at) => String(at)) };
    await expect(crib.flows.requestApproval('many', input)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('more than 500'),
    });
  });
});

describe('threat: the approval of a plan', () => {
  const refusal = async (crib: Crib, input: unknown, as: CallAs & { planApproval: string }) => {
    const error = await crib.flows.start('sample', input, as).then(
      () => undefined,
      (thrown: { code: string }) => thrown.code,
    );
    expect(sent).toEqual([]);
    return error;
  };

  it('hostile: is replayed for a second run', async () => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const planApproval = await approved(crib, texts);
    const starts = [1, 2, 3].map(() => crib.flows.start('sample', texts, { planApproval }));
    const ends = await Promise.allSettled(starts);
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'APPROVAL_EXPIRED' },
    });
    for (const end of ends) if (end.status === 'fulfilled') await end.value.finished;
    expect(sent).toHaveLength(3);
  });

  it.each<[string, unknown, CallAs, string]>([
    ['another user', texts, { userId: 'bo' }, 'APPROVAL_EXPIRED'],
    ['another agent', texts, { agentId: 'a2' }, 'CONFLICT'],
    ['another session', texts, { sessionId: 's2' }, 'CONFLICT'],
    ['other roles', texts, { roles: ['agent'] }, 'CONFLICT'],
    ['another input', { texts: ['one', 'other'] }, {}, 'CONFLICT'],
    ['more items', { texts: ['one', 'two', 'three'] }, {}, 'CONFLICT'],
  ])('hostile: is used with %s', async (_name, input, as, code) => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const planApproval = await approved(crib, texts);
    expect(await refusal(crib, input, { ...as, planApproval })).toBe(code);
  });

  it('hostile: the flow has changed under a new version', async () => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const planApproval = await approved(crib, texts);
    await crib.flows.registerData({ ...mailing, version: '1.0.1' });
    expect(await refusal(crib, texts, { planApproval })).toBe('CONFLICT');
  });

  it('hostile: the tool has changed between plan and start', async () => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const planApproval = await approved(crib, texts);
    await crib.tools.update(send('Sends a text, and a copy.'));
    expect(await refusal(crib, texts, { planApproval })).toBe('CONFLICT');
  });

  it('hostile: the tool has changed while the run waits, so its call asks', async () => {
    const crib = await open();
    const steps = [
      { id: 'wait', waitFor: 'go' },
      { id: 'mail', call: 'send', input: { text: 'late' } },
    ];
    await crib.flows.registerData(flowOf(steps));
    const planApproval = await approved(crib, {});
    const { runId } = await crib.flows.start('sample', {}, { planApproval });
    await waitsForPerson(crib, runId);
    await crib.tools.update(send('Sends a text, and a copy.'));
    await crib.flows.send(runId, 'go');
    await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
    expect(sent).toEqual([]);
  });

  it('hostile: a list that an earlier step returns has more items than anybody saw', async () => {
    const crib = await open();
    const steps = [
      { id: 'list', call: 'read', input: { items: ['one', 'two'] } },
      { id: 'first', call: 'send', input: { text: 'first' } },
      {
        id: 'mail',
        call: 'send',
        input: { text: { from: 'item' } },
        forEach: { items: { from: 'steps.list.data.items' } },
      },
    ];
    await crib.flows.registerData(flowOf(steps));
    const { approvalId, asks } = await crib.flows.requestApproval('sample', {});
    expect(asks).toEqual([{ step: 'mail', reason: expect.stringContaining('how often') }]);
    await crib.approvals.decide(approvalId, { approve: true, by: 'ada' });
    const { runId } = await crib.flows.start('sample', {}, { planApproval: approvalId });
    await waitsForPerson(crib, runId);
    expect(sent).toEqual(['first']);
    expect(await crib.approvals.list()).toHaveLength(2);
  });

  it('hostile: calls that a rule asks about each time are not covered', async () => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const as: CallAs = { isolation: 'strict' };
    await expect(crib.flows.requestApproval('sample', texts, as)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
  });

  it('hostile: what a planned tool calls itself is not covered', async () => {
    const outer = aTool({
      name: 'outer',
      tier: 'execute',
      run: (async (_input: unknown, { call }: ToolContext) => {
        const { status } = await call('send', { text: 'inner' });
        return status;
      }) as never,
    });
    const crib = await open({ tools: [outer, send()] });
    await crib.flows.registerData(flowOf([{ id: 'a', call: 'outer' }]));
    const planApproval = await approved(crib, {});
    const { finished } = await crib.flows.start('sample', {}, { planApproval });
    expect(await finished).toMatchObject({ output: 'pending' });
    expect(sent).toEqual([]);
  });

  it('hostile: is denied, still open, edited, of another question, or made up', async () => {
    const crib = await open();
    await crib.flows.registerData(mailing);
    const ask = async () => (await crib.flows.requestApproval('sample', texts)).approvalId;
    const denied = await ask();
    await crib.approvals.decide(denied, { approve: false, by: 'ada' });
    expect(await refusal(crib, texts, { planApproval: denied })).toBe('USER_CANCELLED');
    expect(await refusal(crib, texts, { planApproval: await ask() })).toBe('APPROVAL_EXPIRED');
    const edited = await ask();
    const { request } = (await crib.approvals.get(edited)) ?? {};
    const input = { ...(request?.input as object), calls: [] };
    await crib.approvals.decide(edited, { approve: true, by: 'ada', input }).catch(() => undefined);
    expect(await refusal(crib, texts, { planApproval: edited })).toBe('APPROVAL_EXPIRED');
    const { approval } = await crib.execute('send', { text: 'x' });
    const other = approval?.approvalId ?? '';
    await crib.approvals.decide(other, { approve: true, by: 'ada' });
    expect(await refusal(crib, texts, { planApproval: other })).toBe('APPROVAL_EXPIRED');
    expect(await refusal(crib, texts, { planApproval: 'approval_x' })).toBe('APPROVAL_EXPIRED');
  });

  it('hostile: a caller hands in a consent that it made itself', async () => {
    const crib = await open();
    const planConsent = { approvalId: 'a', by: 'ada' };
    const { error } = await crib.execute('send', { text: 'x' }, { planConsent });
    expect(error?.code).toBe('VALIDATION_ERROR');
    expect(sent).toEqual([]);
  });

  it('hostile: a path that the plan names leads elsewhere when it is used', async () => {
    const touched: string[] = [];
    const put = aTool({
      name: 'put',
      tier: 'execute',
      needs: { paths: [{ path: '.', access: 'write' }] },
      run: ((input: { path: string }) => touched.push(input.path)) as never,
    });
    const crib = await open({ tools: [put] });
    for (const name of ['d', 'e']) {
      mkdirSync(join(crib.root, name));
      writeFileSync(join(crib.root, name, 'f.txt'), name);
    }
    symlinkSync('d', join(crib.root, 'link'));
    const steps = [
      { id: 'wait', waitFor: 'go' },
      { id: 'a', call: 'put', input: { path: 'link/f.txt' } },
    ];
    await crib.flows.registerData(flowOf(steps));
    const planApproval = await approved(crib, {});
    const { runId } = await crib.flows.start('sample', {}, { planApproval });
    await waitsForPerson(crib, runId);
    unlinkSync(join(crib.root, 'link'));
    symlinkSync('e', join(crib.root, 'link'));
    await crib.flows.send(runId, 'go');
    await expect.poll(async () => (await crib.approvals.list()).length).toBe(1);
    expect(touched).toEqual([]);
  });
});
