import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../../contract/define-tool.ts';
import type { FlowData } from '../../../contract/flow-data.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { createRegistry } from '../../../registry/registry.ts';
import { parseFlow, readFlowObject } from '../parse-flow.ts';
import type { SubFlow } from '../run/step-work.ts';
import { validateFlow } from './validate-flow.ts';

const lookup = defineTool({
  name: 'lookup',
  description: 'Looks a price up.',
  tier: 'read_only',
  input: z.strictObject({ item: z.string(), limit: z.number().optional() }),
  output: z.strictObject({ usd: z.number(), note: z.string() }),
  run: () => ({ usd: 1, note: '' }),
});
const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  tier: 'external_api',
  input: z.strictObject({ usd: z.number() }),
  run: () => 'paid',
});

const tools = createRegistry({ runtime: createRuntime() });
tools.registerAll([lookup, pay]);

const check = async (text: string, flows: Readonly<Record<string, FlowData>> = {}) => {
  const subFlow = (name: string, version: string): SubFlow | undefined => {
    const data = flows[`${name}@${version}`];
    return data && { data, definition: { name, version, run: async () => null } };
  };
  const { ok, faults } = await validateFlow(await parseFlow(text), { tools, subFlow });
  expect(ok).toBe(faults.length === 0);
  return faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
};

const flow = (kind: string, ...steps: string[]): string =>
  ['name: sample', 'version: 1.0.0', `kind: ${kind}`, 'steps:', ...steps].join('\n');

describe('several faults at once', () => {
  it('a field that is unknown or wrong hides neither references, tools nor loops', async () => {
    const faults = await check(
      flow(
        'dag',
        '  - { id: a, call: lookup, input: { item: x }, retries: 3, after: [b] }',
        '  - { id: b, call: lookup, input: { itm: x }, after: [a] }',
        '  - { id: c, call: loookup, timeoutMs: -1 }',
        '  - { id: d, call: pay, input: { usd: { from: steps.gone.data } }, sleepMs: 1 }',
      ),
    );
    const text = faults.join('\n');
    for (const part of [
      ...['no field retries', 'wait for each other', 'itm', 'no tool loookup', 'too small'],
      ...['has call and sleepMs', 'gone'],
    ]) {
      expect(text).toContain(part);
    }
    expect(faults).toEqual(
      faults.toSorted((one, other) => parseInt(one, 10) - parseInt(other, 10)),
    );
  });

  it('a step without its id is reported alone: nothing can be said about the others', async () => {
    const faults = await check(flow('sequential', '  - { call: lookup, retries: 3 }'));
    expect(faults).toHaveLength(2);
  });
});

describe('what beginners write', () => {
  it.each([
    ['when: input.x = 1', 'write == to compare'],
    ['when: input.x === 1', 'write == to compare'],
    ['when: input.x and input.y', 'write && for and'],
    [`when: 'input.x == "x" &&'`, 'Unexpected token: EOF'],
    [`when: 'input.x == "this and that" &&'`, 'Unexpected token: EOF'],
    ['when: inputs.x == 1', 'Unknown variable: inputs; did you mean input?'],
    ['when: topic == 1', 'Unknown variable: topic; known are input, steps, caller, item'],
    ['when: "1 + 1"', 'gives int, and not true or false'],
    ['output: { from: inputs.x }', 'begin with input, steps, caller, item; did you mean input?'],
    ['output: { from: other.data.x }', 'did you mean steps.other.data.x?'],
  ])('%s is told what is meant', async (member, message) => {
    const faults = await check(
      flow(
        'sequential',
        '  - id: a',
        '    call: lookup',
        '    input: { item: x }',
        `    ${member}`,
      ),
    );
    expect(faults.join()).toContain(message);
    expect(faults).toHaveLength(1);
  });

  it('a field that the input or a result does not have is named wherever it is used', async () => {
    const text = [
      'name: sample',
      'version: 1.0.0',
      'input: { type: object, properties: { topic: { type: string } }, additionalProperties: false }',
      'steps:',
      '  - { id: a, call: lookup, input: { item: { from: input.topic } } }',
      '  - { id: b, approve: Go on?, details: { is: { from: input.topik }, at: { from: steps.a.data.us } } }',
    ].join('\n');
    expect(await check(text)).toEqual([
      '6:54 input.topik cannot be there: nothing has a field topik; did you mean topic?',
      '6:81 steps.a.data.us cannot be there: nothing has a field us; did you mean usd?',
    ]);
    const loose = text
      .replace(', additionalProperties: false', '')
      .replace('data.us }', 'data.usd }');
    const { ok, faults } = await validateFlow(await parseFlow(loose), { tools });
    expect(ok).toBe(true);
    expect(faults).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('topik') },
    ]);
  });

  it('a step may be called like a member of objects, where expressions can tell them apart', async () => {
    const names = ['toString', 'hasOwnProperty', 'valueOf'];
    const steps = names.map((id) => `  - { id: ${id}, call: lookup, input: { item: x } }`);
    const last = names.map((id) => `{ from: steps.${id}.data.usd }`).join(', ');
    const all = [...steps, `  - { id: z, approve: Go?, details: [${last}] }`];
    expect(await check(flow('sequential', ...all))).toEqual([]);
    const bad = '  - { id: constructor, approve: Go? }';
    expect(await check(flow('sequential', bad))).toEqual([
      '5:11 a step cannot have this name; choose another one',
    ]);
  });

  it('threat: thousands of unknown names do not hold up the process', async () => {
    const ids = Array.from({ length: 5_000 }, (_, at) => `step_number_${at}`);
    const steps = ids.map((id) => ({ id, approve: 'Go?', details: { from: `steps.${id}x.data` } }));
    const startedAt = performance.now();
    const parsed = readFlowObject({ name: 'sample', version: '1.0.0', steps });
    const { faults } = await validateFlow(parsed, { tools });
    expect(faults).toHaveLength(100);
    const graph = steps.map(({ details: _details, ...step }) => ({
      ...step,
      after: [`${step.id}x`],
    }));
    const dag = readFlowObject({ name: 'sample', version: '1.0.0', kind: 'dag', steps: graph });
    expect((await validateFlow(dag, { tools })).faults).toHaveLength(100);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  const one = (...rest: string[]): string =>
    flow('sequential', '  - { id: a, call: lookup, input: { item: x } }', ...rest);

  it.each([
    ['from', '  - { id: b, call: lookup, input: { item: { from: steps.a.note } } }', '6:51'],
    ['cel', '  - { id: b, call: lookup, input: { item: { cel: steps.a.note } } }', '6:50'],
    ['when', '  - { id: b, when: steps.a.note == "", call: lookup, input: { item: x } }', '6:20'],
  ])('a result without data in %s is told where the result is', async (_member, line, place) => {
    const [fault, ...others] = await check(one(line));
    expect(others).toEqual([]);
    expect(fault).toContain(place);
    expect(fault).toContain('what it returned is in steps.a.data');
  });

  it.each([
    ['steps.a.data.note', 'for the value write { from: steps.a.data.note }'],
    ['"{{ steps.a.data.note }}"', 'never as a template'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that is tested
    ['"${input.topic} and more"', 'never as a template'],
  ])('the text %s is a warning, because it is taken as it is', async (text, message) => {
    const source = one(`  - { id: b, call: lookup, input: { item: ${text} } }`);
    const { ok, faults } = await validateFlow(await parseFlow(source), { tools });
    expect(ok).toBe(true);
    expect(faults).toMatchObject([{ severity: 'warning', line: 6 }]);
    expect(faults[0]?.message).toContain(message);
  });

  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text that is tested
  it.each(['"${HOME}/x"', '"steps to take"', '{ value: steps.a.data.note }'])(
    'the text %s is no reference and no warning',
    async (text) => {
      expect(await check(one(`  - { id: b, call: lookup, input: { item: ${text} } }`))).toEqual([]);
    },
  );

  it('an input that is no JSON Schema is a fault with its place', async () => {
    expect(await check(`${one()}\ninput: { type: sting }`)).toEqual([
      expect.stringMatching(/^6:8 .*cannot be compiled.*sting/),
    ]);
  });

  it('an input written as name and type is a warning that shows the JSON Schema', async () => {
    const parsed = await parseFlow(`${one()}\ninput: { topic: string }`);
    const { ok, faults } = await validateFlow(parsed, { tools });
    expect(ok).toBe(true);
    expect(faults[0]?.message).toContain('properties: { topic: { type: string } }');
  });
});

describe('the graph', () => {
  it('names the steps of a loop and those that it keeps from running', async () => {
    expect(
      await check(
        flow(
          'dag',
          '  - { id: a, sleepMs: 1, after: [c] }',
          '  - { id: b, sleepMs: 1, after: [a] }',
          '  - { id: c, sleepMs: 1, after: [b] }',
          '  - { id: d, sleepMs: 1, after: [c] }',
        ),
      ),
    ).toEqual([
      '5:33 these steps wait for each other: a → b → c → a',
      '8:5 d cannot be reached: it comes after the loop of a',
    ]);
  });

  it('names predecessors that are unknown, doubled or in another group', async () => {
    expect(
      await check(
        flow(
          'dag',
          '  - { id: alpha, sleepMs: 1 }',
          '  - { id: b, sleepMs: 1, after: [alpa, alpha, alpha] }',
          '  - { id: alpha, sleepMs: 1 }',
          '  - id: g',
          '    steps: [{ id: inner, sleepMs: 1 }]',
          '  - { id: c, sleepMs: 1, after: [inner] }',
        ),
      ),
    ).toEqual([
      '6:34 there is no step alpa; did you mean alpha?',
      '6:47 alpha is named twice',
      '7:11 two steps have the id alpha',
      '10:34 inner is in another group; a step can come after steps of its own group',
    ]);
  });
});

describe('values', () => {
  it('names references to steps that are not there, not over, or inside a group', async () => {
    expect(
      await check(
        flow(
          'dag',
          '  - id: g',
          '    steps: [{ id: inner, call: lookup, input: { item: x } }]',
          '  - { id: a, call: lookup, input: { item: { from: steps.b.data.note } } }',
          '  - { id: b, call: lookup, input: { item: { from: steps.nobody.data } } }',
          '  - { id: c, call: lookup, after: [g], input: { item: { from: steps.inner.data.note } } }',
          '  - { id: d, call: lookup, input: { item: { from: item } } }',
          '  - { id: e, call: lookup, input: { item: { from: steps.e.data } } }',
        ),
      ),
    ).toEqual([
      '7:51 a does not come after b, so its result may not be there yet',
      '8:51 there is no step nobody',
      '9:63 inner is inside another group, or not over before c begins',
      '10:51 there is an item only in a step with forEach, or inside such a group',
      '11:51 e cannot use its own result here',
    ]);
  });

  it('names faults of paths and of CEL, each with its place', async () => {
    const faults = await check(
      flow(
        'sequential',
        '  - { id: a, call: lookup, input: { item: { from: nowhere.x } } }',
        '  - { id: b, call: lookup, when: "steps.a.", input: { item: { cel: "1 +" } } }',
        '  - { id: c, call: lookup, input: { item: { from: input.__proto__.x } } }',
      ),
    );
    expect(faults).toHaveLength(4);
    expect(faults[0]).toMatch(/^5:51 the path has to begin with/);
    expect(faults[1]).toMatch(/^6:34 CEL, character/);
    expect(faults[2]).toMatch(/^6:68 CEL, character/);
    expect(faults[3]).toMatch(/^7:51 the path must not name __proto__/);
  });
});

describe('tools', () => {
  it('names tools and versions that are not there', async () => {
    expect(
      await check(
        flow(
          'sequential',
          '  - { id: a, call: lokup, input: { item: x } }',
          '  - { id: b, call: lookup, version: 9.0.0, input: { item: x } }',
          '  - { id: c, call: lookup, input: { item: x }, onError: { fallback: { call: gone } } }',
        ),
      ),
    ).toEqual([
      '5:20 there is no tool lokup; did you mean lookup?',
      '6:37 lookup has no version 9.0.0; it has 1.0.0',
      '7:77 there is no tool gone',
    ]);
  });

  it('names inputs that never fit: missing, unknown and of another type', async () => {
    expect(
      await check(
        flow(
          'sequential',
          '  - { id: a, call: lookup, input: { items: x } }',
          '  - { id: b, call: lookup, input: { item: 5 } }',
          '  - { id: c, call: lookup, input: { item: x } }',
          '  - { id: d, call: pay, input: { usd: { from: steps.c.data.note } } }',
          '  - { id: e, call: pay, input: { usd: { from: steps.c.data.price } } }',
          '  - { id: f, call: pay, input: { usd: { from: steps.c.data.usd } } }',
          '  - { id: g, call: pay }',
        ),
      ),
    ).toEqual([
      '5:35 input of lookup: item is missing',
      '5:44 input of lookup: there is no field items',
      '6:43 input of lookup: gives integer, but string is needed',
      '8:47 input of pay: steps.c.data.note gives string, but number is needed',
      '9:47 input of pay: steps.c.data.price cannot be there: nothing has a field price',
      '11:20 input of pay: usd is missing',
    ]);
  });

  it('compares the steps of a pipeline', async () => {
    const steps = [
      '  - { id: a, call: lookup, input: { item: x } }',
      '  - { id: b, call: lookup }',
      '  - { id: c, call: pay }',
    ];
    expect(await check(flow('pipeline', ...steps))).toEqual([
      '6:20 what a gives does not fit lookup: it never has the field item, which is needed',
    ]);
  });
});

describe('what steps hand each other', () => {
  it('names fields that results of fixed shape do not have', async () => {
    const list = 'forEach: { items: [x] }';
    const text = flow(
      'sequential',
      `  - { id: each, call: lookup, input: { item: { from: item } }, ${list} }`,
      '  - { id: sure, approve: Go? }',
      '  - id: group',
      '    kind: parallel',
      '    steps: [{ id: p, call: lookup, input: { item: x } }, { id: q, sleepMs: 1 }]',
      '  - { id: made, call: lookup, input: { item: x }, output: { cents: { from: steps.made.data.usd } } }',
      '  - id: last',
      '    approve: Go?',
      '    details:',
      '      a: { from: steps.each.data.reslts }',
      '      b: { from: "steps.each.data.results[0].us" }',
      '      c: { from: steps.sure.data.aproved }',
      '      d: { from: steps.group.data.r }',
      '      e: { from: steps.made.data.usd }',
      '      f: [{ from: "steps.each.data.results[0].usd" }, { from: steps.sure.data.approved }]',
      '      g: [{ from: steps.group.data.p.usd }, { from: steps.made.data.cents }]',
    );
    const faults = await check(text);
    expect(faults.map((fault) => fault.replace(/^\S+ /, ''))).toEqual(
      [
        'steps.each.data.reslts cannot be there: nothing has a field reslts; did you mean results?',
        'steps.each.data.results[0].us cannot be there: nothing has a field us; did you mean usd?',
        'steps.sure.data.aproved cannot be there: nothing has a field aproved; did you mean approved?',
        'steps.group.data.r cannot be there: nothing has a field r',
        'steps.made.data.usd cannot be there: nothing has a field usd',
      ].map((message) => expect.stringContaining(message.slice(0, 60))),
    );
  });

  it('compares items with what takes them, and wants a list of them', async () => {
    const text = [
      'name: sample',
      'version: 1.0.0',
      'input:',
      '  type: object',
      '  properties: { prices: { type: array, items: { type: number } }, one: { type: string } }',
      'steps:',
      '  - { id: a, call: lookup, input: { item: { from: item } }, forEach: { items: { from: input.prices } } }',
      '  - { id: b, call: lookup, input: { item: { from: item } }, forEach: { items: { from: input.one } } }',
    ].join('\n');
    expect(await check(text)).toEqual([
      expect.stringMatching(/^7:\d+ input of lookup: item gives number, but string is needed$/),
      expect.stringMatching(/^8:\d+ input.one gives string, but array is needed$/),
    ]);
  });

  it('compares what a sub-flow is given with its input', async () => {
    const inner: FlowData = {
      name: 'inner',
      version: '1.0.0',
      steps: [{ id: 'x', sleepMs: 1 }],
      input: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
    };
    const definition = {
      name: 'inner',
      version: '1.0.0',
      input: inner.input,
      run: async () => null,
    };
    const text = flow(
      'sequential',
      '  - { id: a, flow: inner@1.0.0, input: { topic: 5 } }',
      '  - { id: b, flow: inner@1.0.0 }',
      '  - { id: c, flow: inner@1.0.0, input: { topic: x } }',
    );
    const subFlow = () => ({ data: inner, definition: definition as SubFlow['definition'] });
    const { faults } = await validateFlow(await parseFlow(text), { tools, subFlow });
    expect(faults.map(({ line, message }) => `${line} ${message}`)).toEqual([
      '5 input of inner@1.0.0: gives integer, but string is needed',
      '6 input of inner@1.0.0: topic is missing',
    ]);
  });

  it('threat: many unknown fields of a large schema do not hold up the process', async () => {
    const names = Array.from({ length: 4_000 }, (_, at) => [`field_number_${at}`, {}] as const);
    const input = { type: 'object', properties: Object.fromEntries(names) };
    const from = Array.from({ length: 5_000 }, (_, at) => ({ from: `input.field_numbre_${at}` }));
    const steps = [{ id: 'a', approve: 'Go?', details: from }];
    const parsed = readFlowObject({ name: 'sample', version: '1.0.0', input, steps });
    const startedAt = performance.now();
    const { faults } = await validateFlow(parsed, { tools });
    expect(faults).toHaveLength(100);
    expect(performance.now() - startedAt).toBeLessThan(20_000);
  });
});

describe('threats: flows and limits', () => {
  const limited = (...steps: string[]): string =>
    [flow('sequential', ...steps), 'limits: { tiers: [read_only], maxUsd: 1 }'].join('\n');

  it('a flow cannot call beyond its own limits, not even in a fallback', async () => {
    expect(
      await check(
        limited(
          '  - { id: a, call: pay, input: { usd: 1 } }',
          '  - { id: b, call: lookup, input: { item: x }, onError: { fallback: { call: pay, input: { usd: 1 } } } }',
        ),
      ),
    ).toEqual([
      '5:20 the limits do not allow the tier external_api of the tool pay',
      '6:77 the limits do not allow the tier external_api of the tool pay',
    ]);
  });

  it('a sub-flow has to be limited at least as much', async () => {
    const inner = (limits?: FlowData['limits']): FlowData => ({
      name: 'inner',
      version: '1.0.0',
      steps: [{ id: 'x', sleepMs: 1 }],
      ...(limits && { limits }),
    });
    const text = limited('  - { id: a, flow: inner@1.0.0 }');
    expect(await check(text, { 'inner@1.0.0': inner() })).toHaveLength(1);
    // What it costs counts in the budget of the flow, whatever it says itself.
    const narrow = inner({ tiers: ['read_only'], maxUsd: 2 });
    expect(await check(text, { 'inner@1.0.0': narrow })).toEqual([]);
  });

  it('names flows that start themselves or each other', async () => {
    const starting = (name: string, other: string): FlowData => ({
      name,
      version: '1.0.0',
      steps: [{ id: 'x', flow: other }],
    });
    const flows = { 'b@1.0.0': starting('b', 'sample@1.0.0') };
    const text = flow(
      'parallel',
      '  - { id: x, flow: b@1.0.0 }',
      '  - { id: y, flow: sample@1.0.0 }',
      '  - { id: z, flow: gone@1.0.0 }',
    );
    expect(await check(text, flows)).toEqual([
      '5:20 these flows start each other: sample@1.0.0 → b@1.0.0 → sample@1.0.0',
      '6:20 sample@1.0.0 starts itself',
      '7:20 there is no flow gone@1.0.0',
    ]);
  });

  it('an expression that would take all memory is refused or bounded when it runs', async () => {
    const bomb = '[1].map(a, [1].map(b, [1].map(c, 1)))';
    const [fault] = await check(
      flow('sequential', `  - { id: a, call: lookup, input: { item: { cel: "${bomb}" } } }`),
    );
    expect(fault).toContain('loops may be nested');
  });

  it('a large graph is checked in reasonable time', async () => {
    const steps = Array.from({ length: 2_000 }, (_, at) => ({
      id: `s${at}`,
      call: 'lookup',
      input: { item: 'x' },
      after: Array.from({ length: Math.min(at, 50) }, (__, back) => `s${at - back - 1}`),
    }));
    const data = { name: 'sample', version: '1.0.0', kind: 'dag', steps } as const;
    const { ok } = await validateFlow(readFlowObject(data), { tools });
    expect(ok).toBe(true);
  });
});
