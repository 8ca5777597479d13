import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowData } from '../../../contract/flow-data.ts';
import { createCribHost } from '../../../crib/create-crib.ts';

const cleanup: (() => unknown)[] = [];
afterEach(async () => {
  for (const each of cleanup.splice(0).reverse()) await each();
});

let ran = 0;
const run = () => {
  ran += 1;
  return {};
};
const read = defineTool({
  name: 'read',
  description: 'Reads.',
  tier: 'read_only',
  timeoutMs: 100,
  input: z.object({ n: z.number() }),
  run,
});
const send = defineTool({
  name: 'send',
  description: 'Sends.',
  tier: 'external_api',
  timeoutMs: 1_000,
  cost: { model: 'usage_based', fixed: 0.5 },
  auth: { type: 'api_key', required: true, configKey: 'TOOLCRIB_TEST_NOT_THERE' },
  input: z.object({ text: z.string() }),
  run,
});

const few = defineTool({
  name: 'few',
  description: 'Takes few.',
  tier: 'read_only',
  input: z.object({ n: z.number().max(5) }),
  run,
});

const open = async (tools = [read, send, few]) => {
  ran = 0;
  const crib = await createCribHost({ store: 'memory', builtins: false, tools: [...tools] });
  cleanup.push(() => crib.close());
  return crib;
};

const flow: FlowData = {
  name: 'sample',
  version: '1.0.0',
  kind: 'dag',
  steps: [
    { id: 'a', call: 'read', input: { n: { from: 'input.n' } } },
    { id: 'b', call: 'read', input: { n: 2 }, timeoutMs: 300 },
    { id: 'c', call: 'send', input: { text: 'hi' }, after: ['a', 'b'] },
    { id: 'd', call: 'send', input: { text: { cel: 'string(steps.a.data)' } }, after: ['a'] },
    { id: 'e', approve: 'Done?', after: ['c'] },
  ],
};

describe('planning a flow', () => {
  it('gives a step that asks a person the verdict that its list of questions gives it', async () => {
    const crib = await open();
    const steps = [{ id: 'sure', approve: 'Sure?' }];
    const plan = await crib.flows.plan({ name: 'asking', version: '1.0.0', steps }, {});
    expect(plan.steps).toMatchObject([{ id: 'sure', verdict: 'ask', reason: 'Sure?' }]);
    expect(plan.approvals).toEqual([{ step: 'sure', reason: 'Sure?' }]);
  });

  it('says of a flow as code that it is code, and does not advise to write its file', async () => {
    const crib = await open();
    crib.flows.register({ name: 'coded', version: '1.0.0', run: async () => 1 });
    for (const source of ['coded', 'coded@1.0.0']) {
      await expect(crib.flows.plan(source, {})).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: 'The flow coded is code, not data.',
      });
    }
  });

  it('counts the alternative of a list once, instead of the whole list', async () => {
    const crib = await open();
    const sending = { call: 'send', input: { text: 'x' } };
    const plan = await crib.flows.plan(
      {
        name: 'listed',
        version: '1.0.0',
        steps: [
          { id: 'a', ...sending, forEach: { items: [1, 2, 3] }, when: 'input.go', else: sending },
        ],
      },
      { go: true },
    );
    expect(plan.steps.map(({ id, maxUsd }) => [id, maxUsd])).toEqual([
      ['a', 1.5],
      ['a.else', 0.5],
    ]);
  });

  it('says levels, critical path, cost, approvals and credentials, and runs nothing', async () => {
    const crib = await open();
    const plan = await crib.flows.plan(flow, { n: 1 });
    expect(plan.faults).toEqual([]);
    expect(plan.levels).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(plan.criticalPath).toEqual(['b', 'c', 'e']);
    expect(plan.estimatedMs).toBe(1_300);
    expect(plan.cost).toEqual({ maxUsd: 1, isOpen: false });
    expect(plan.approvals.map(({ step }) => step)).toEqual(['c', 'd', 'e']);
    expect(plan.missingCredentials).toEqual([
      { step: 'c', key: 'TOOLCRIB_TEST_NOT_THERE' },
      { step: 'd', key: 'TOOLCRIB_TEST_NOT_THERE' },
    ]);
    expect(plan.steps.find(({ id }) => id === 'c')).toMatchObject({
      tool: 'send',
      tier: 'external_api',
      verdict: 'ask',
      effects: ['external_api'],
      input: { text: 'hi' },
      timeFrom: 'timeout',
      maxUsd: 0.5,
    });
    expect(ran).toBe(0);
    expect(await crib.audit.query()).toEqual([]);
  });

  it('counts items, attempts and the limit of the flow into the cost', async () => {
    const crib = await open();
    const step = { id: 'each', call: 'send', input: { text: { from: 'item' } } };
    const planOf = (forEach: unknown, more: object = {}) =>
      crib.flows.plan(
        {
          name: 'sample',
          version: '1.0.0',
          steps: [{ ...step, forEach, ...more } as never],
        },
        { list: ['x', 'y', 'z'] },
      );
    const known = await planOf({ items: { from: 'input.list' } }, { retry: { attempts: 2 } });
    expect(known.cost).toEqual({ maxUsd: 3, isOpen: false });
    const open2 = await planOf({ items: { from: 'input.other' } });
    expect(open2.cost.isOpen).toBe(true);
  });

  it('judges a list that is known before the run item by item, the strictest counts', async () => {
    const crib = await open();
    const planOf = async (list: readonly unknown[], more: object = {}) => {
      const each = { id: 'each', call: 'read', input: { n: { from: 'item' } } };
      const step = { ...each, forEach: { items: { from: 'input.list' } }, ...more };
      const plan = await crib.flows.plan(
        { name: 'sample', version: '1.0.0', steps: [step as never] },
        { list },
      );
      return plan.steps[0];
    };
    expect(await planOf([1, 2, 2])).toMatchObject({ verdict: 'allow' });
    expect(await planOf([1, 'no number'])).toMatchObject({ verdict: 'deny' });
    expect(await planOf([])).toMatchObject({ verdict: 'allow', reason: 'its list has no items' });
    const many = Array.from({ length: 101 }, (_, n) => n);
    expect((await planOf(many))?.reason).toContain('only the first 100 different inputs');
    const mail = { call: 'send', input: { text: { from: 'item' } } };
    expect(await planOf(['a', 'b'], mail)).toMatchObject({ verdict: 'ask' });
    const missing = { input: { n: { from: 'input.none' } } };
    expect((await planOf([1], missing))?.reason).toContain('cannot be worked out');
  });

  it('refuses input that a run refuses, and says what is missing', async () => {
    const crib = await open();
    const input = {
      type: 'object',
      properties: { n: { type: 'number' }, exprs: { type: 'array' } },
      required: ['n'],
    };
    const typed = { ...flow, kind: 'sequential' as const, steps: [flow.steps[0] as never], input };
    const refused = { code: 'VALIDATION_ERROR', message: expect.stringContaining('n') };
    await expect(crib.flows.plan(typed, { n: 1, exprs: '1+1' })).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('exprs'),
    });
    await expect(crib.flows.plan(typed, undefined)).rejects.toMatchObject(refused);
    await expect(crib.flows.plan(typed, {})).rejects.toMatchObject(refused);
    await crib.flows.registerData(typed);
    await expect(crib.flows.plan('sample', {})).rejects.toMatchObject(refused);
    expect((await crib.flows.plan('sample', { n: 1 })).steps).toHaveLength(1);
    const bad = { ...typed, steps: [{ id: 'a', call: 'gone' }] };
    expect((await crib.flows.plan(bad, {})).faults).toHaveLength(1);
  });

  it('counts the tries of the groups around a call', async () => {
    const crib = await open();
    const inner = { id: 'c', call: 'send', input: { text: 'hi' }, retry: { attempts: 2 } };
    const group = { id: 'group', retry: { attempts: 3 }, steps: [inner] };
    const plan = await crib.flows.plan({ ...flow, kind: 'sequential', steps: [group] }, {});
    expect(plan.cost).toEqual({ maxUsd: 3, isOpen: false });
  });

  it('says all of it for a flow that has only warnings', async () => {
    const crib = await open();
    const steps = [{ id: 'c', call: 'send', input: { text: 'input.topic' } }];
    const plan = await crib.flows.plan({ ...flow, kind: 'sequential', steps }, {});
    expect(plan.faults).toMatchObject([{ severity: 'warning' }]);
    expect(plan).toMatchObject({ cost: { maxUsd: 0.5 }, approvals: [{ step: 'c' }] });
    expect(plan.steps).toHaveLength(1);
  });

  it('has the steps of sub-flows, with what they cost and ask', async () => {
    const crib = await open();
    const text = { from: 'input.text' };
    await crib.flows.registerData({
      name: 'inner',
      version: '1.0.0',
      steps: [
        { id: 'mail', call: 'send', input: { text } },
        { id: 'sure', approve: 'Sure?' },
      ],
    });
    const other: FlowData = {
      name: 'outer',
      version: '1.0.0',
      limits: { maxConcurrency: 1 },
      kind: 'parallel',
      steps: [
        { id: 'sub', flow: 'inner@1.0.0', input: { text: 'hi' }, retry: { attempts: 2 } },
        {
          id: 'n',
          call: 'read',
          input: { n: 1 },
          else: { call: 'send', input: { text: 'x' } },
          when: 'true',
        },
      ],
    };
    const plan = await crib.flows.plan(other, {});
    expect(plan.cost).toEqual({ maxUsd: 1.5, isOpen: false });
    expect(plan.steps.map(({ id }) => id)).toEqual(['sub', 'sub/mail', 'sub/sure', 'n', 'n.else']);
    expect(plan.steps[1]).toMatchObject({ input: { text: 'hi' }, verdict: 'ask' });
    expect(plan.approvals.map(({ step }) => step)).toEqual(['sub/mail', 'sub/sure', 'n.else']);
    expect(plan.missingCredentials).toContainEqual({
      step: 'sub/mail',
      key: 'TOOLCRIB_TEST_NOT_THERE',
    });
    // One after the other: only one may run at once.
    expect(plan.estimatedMs).toBe(1_100);
    const denied = await crib.flows.plan(other, {}, { tools: ['read'] });
    expect(denied.denied.map(({ step }) => step)).toEqual(['sub/mail', 'n.else']);
  });

  it('threat: flows that start each other very often do not hold up the process', async () => {
    const crib = await open();
    await crib.flows.registerData({
      name: 'l0',
      version: '1.0.0',
      steps: [{ id: 'x', sleepMs: 1 }],
    });
    for (let at = 1; at <= 6; at += 1) {
      const steps = Array.from({ length: 50 }, (_, n) => ({
        id: `s${n}`,
        flow: `l${at - 1}@1.0.0`,
      }));
      await crib.flows.registerData({ name: `l${at}`, version: '1.0.0', steps });
    }
    const plan = await crib.flows.plan('l6', {});
    expect(plan.steps.length).toBeLessThan(10_000);
    expect(plan.cost.isOpen).toBe(true);
  });

  it('says what the rules deny', async () => {
    const crib = await open();
    const plan = await crib.flows.plan(flow, { n: 1 }, { tools: ['read'] });
    // That d is not on the list does not depend on its input, which is not known yet.
    expect(plan.denied.map(({ step }) => step)).toEqual(['c', 'd']);
    const listed = await crib.flows.plan(flow, { n: 1 }, { tools: ['read', 'send'] });
    expect(listed.denied).toEqual([]);
  });

  it('says which permission is missing where the input is not known yet', async () => {
    const crib = await open();
    const planAs = (permissions: readonly string[]) =>
      crib.flows.plan(flow, { n: 1 }, { permissions });
    expect((await planAs(['tool:read'])).denied).toContainEqual({
      step: 'd',
      reason: 'The caller does not hold the permission tool:send.',
    });
    expect((await planAs(['tool:read', 'tool:send'])).denied).toEqual([]);
    await crib.permissions.grant({
      subject: {},
      resource: 'tool:send',
      actions: ['*'],
      skipsApproval: false,
      by: 'ada',
    });
    expect((await planAs(['tool:read'])).denied).toEqual([]);
  });

  it('has a digest of flow, input and tools: what changes one changes the digest', async () => {
    const crib = await open();
    const { digest } = await crib.flows.plan(flow, { n: 1 });
    expect((await crib.flows.plan(structuredClone(flow), { n: 1 })).digest).toBe(digest);
    expect((await crib.flows.plan(flow, { n: 2 })).digest).not.toBe(digest);
    const other = { ...flow, steps: flow.steps.slice(0, 3) };
    expect((await crib.flows.plan(other, { n: 1 })).digest).not.toBe(digest);
    const changed = await open([read, { ...send, tier: 'write' }]);
    expect((await changed.flows.plan(flow, { n: 1 })).digest).not.toBe(digest);
  });

  it('the faults of a text are in its order, with line and column', async () => {
    const crib = await open();
    const lines = ['name: bad', 'version: 1.0.0', 'steps:', '  - { id: a, call: gone }'];
    const loop = '  - { id: b, sleepMs: 1, when: input.x === 1 }';
    const { faults } = await crib.flows.plan([...lines, loop, ''].join('\n'), {});
    expect(faults.map(({ line, column }) => [line, column])).toEqual([
      [4, 20],
      [5, 32],
    ]);
  });

  it.each([
    [{ type: 'object', properties: { n: { type: 'number' } } }, 'fits'],
    [{ type: 'object', required: ['n'] }, 'n: is required'],
    [{ type: 'array' }, 'must be array'],
  ])('no input is taken alike by a plan and a run: %j', async (input, answer) => {
    const crib = await open();
    const steps = [{ id: 'a', sleepMs: 0 }];
    await crib.flows.registerData({ name: 'bare', version: '1.0.0', input, steps });
    const told = (error: unknown): string => String(error);
    const planned = await crib.flows.plan('bare', undefined).then(() => 'fits', told);
    const started = await crib.flows.start('bare', undefined).then(() => 'fits', told);
    expect(planned).toContain(answer);
    expect(started).toBe(planned);
  });

  it('a flow with faults has a plan that names them and nothing else', async () => {
    const crib = await open();
    const bad = { ...flow, steps: [{ id: 'a', call: 'gone' }] };
    const plan = await crib.flows.plan(bad, {});
    expect(plan.faults).toHaveLength(1);
    expect(plan.steps).toEqual([]);
  });
});

describe('a run that was planned', () => {
  const reading: FlowData = { name: 'reading', version: '1.0.0', steps: [flow.steps[0] as never] };

  it('runs what was planned, and nothing else', async () => {
    const crib = await open();
    await crib.flows.registerData(reading);
    const { digest: planDigest } = await crib.flows.plan('reading', { n: 1 });
    const { finished } = await crib.flows.start('reading', { n: 1 }, { planDigest });
    expect((await finished).status).toBe('completed');
    const other = crib.flows.start('reading', { n: 2 }, { planDigest });
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(ran).toBe(1);
  });

  it('is refused when the data or the tools behind the plan have changed', async () => {
    const first = await open();
    await first.flows.registerData(reading);
    const { digest: planDigest } = await first.flows.plan('reading', { n: 1 });
    const second = await open([{ ...read, tier: 'write' }, send]);
    await second.flows.registerData(reading);
    const start = second.flows.start('reading', { n: 1 }, { planDigest });
    await expect(start).rejects.toMatchObject({ code: 'CONFLICT' });
    const third = await open();
    await third.flows.registerData({
      ...reading,
      steps: [...reading.steps, flow.steps[1] as never],
    });
    const changed = third.flows.start('reading', { n: 1 }, { planDigest });
    await expect(changed).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(ran).toBe(0);
  });
});

describe('a plan of a call whose input the tool refuses', () => {
  it('names the field that does not fit, where the input of the flow brings it', async () => {
    const crib = await open();
    const { denied } = await crib.flows.plan(flow, { n: 'many' });
    expect(denied).toContainEqual({
      step: 'a',
      reason: expect.stringMatching(/^VALIDATION_ERROR: n: .*number/),
    });
  });

  it('a literal that never fits is a fault, and no denial', async () => {
    const crib = await open();
    const { faults, denied } = await crib.flows.plan(
      { name: 'short', version: '1.0.0', steps: [{ id: 'a', call: 'few', input: { n: 9 } }] },
      {},
    );
    expect(denied).toEqual([]);
    expect(faults).toEqual([
      expect.objectContaining({ path: ['steps', 0, 'input', 'n'], severity: 'error' }),
    ]);
  });
});

describe('drawing a flow', () => {
  it('gives nodes with level and tier, and edges of order and data', async () => {
    const crib = await open();
    const { nodes, edges } = await crib.flows.graph(flow);
    expect(nodes.find(({ id }) => id === 'c')).toMatchObject({
      type: 'call',
      label: 'send',
      tier: 'external_api',
      level: 1,
    });
    expect(edges).toContainEqual({ from: 'a', to: 'c', type: 'order' });
    expect(edges).toContainEqual({ from: 'a', to: 'd', type: 'both' });
  });
});
