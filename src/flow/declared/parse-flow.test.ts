import { describe, expect, it } from 'vitest';
import type { FlowData, FlowDataStep } from '../../contract/flow-data.ts';
import { MAX_STEPS } from './flow-schema.ts';
import { checkFlowData, parseFlow, readFlowObject } from './parse-flow.ts';

const lines = (...text: string[]): string => text.join('\n');

const HEAD = ['name: sample', 'version: 1.0.0', 'steps:'];

const faultsOf = async (...text: string[]) =>
  (await parseFlow(lines(...HEAD, ...text))).faults.map(
    ({ line, column, message }) => `${line}:${column} ${message}`,
  );

describe('reading a flow', () => {
  it('a YAML text and an object give the same flow', async () => {
    const steps = [{ id: 'a', call: 'echo', input: { text: { from: 'input.x' } }, timeoutMs: 5 }];
    const { flow, faults } = await parseFlow(
      lines(
        ...HEAD,
        '  - id: a',
        '    call: echo',
        '    input: { text: { from: input.x } }',
        '    timeoutMs: 5',
      ),
    );
    expect(faults).toEqual([]);
    expect(flow).toEqual(checkFlowData({ name: 'sample', version: '1.0.0', steps }));
  });

  it('every fault has its line and column', async () => {
    expect(
      await faultsOf(
        '  - id: 1a',
        '    call: echo',
        '    colour: red',
        '  - id: b',
        '    call: echo',
        '    timeoutMs: -1',
        '    onError: explode',
      ),
    ).toEqual([
      '4:9 expected a letter, then at most 63 letters, digits or "_"',
      '6:5 there is no field colour here',
      '9:16 too small: expected number to be >=1',
      '10:14 expected fail, skip, abort, manual or { fallback: { call: … } }',
    ]);
  });

  it('a step does exactly one thing, with the members that belong to it', async () => {
    expect(
      await faultsOf(
        '  - id: a',
        '  - { id: b, call: x, sleepMs: 1 }',
        '  - { id: c, sleepMs: 1, input: {} }',
        '  - { id: d, call: x, after: [a] }',
        '  - { id: e, call: x, else: skip }',
      ),
    ).toEqual([
      '4:5 the step says nothing to do; give it one of call, flow, approve, sleepMs, waitFor, steps',
      '5:5 the step has call and sleepMs; give it one of call, flow, approve, sleepMs, waitFor, steps',
      '6:5 input belongs to call or flow, and this step has sleepMs',
      '7:30 after is for steps of a dag, and this is sequential',
      '8:29 else needs a condition: add when',
    ]);
  });

  it.each([
    [
      'step: []',
      '1:1 is missing; expected a list, as in steps: [{ id: first, call: tool }]',
      '3:1 there is no field step here; did you mean steps?',
    ],
    ['version: 1.0', '2:10 expected a version of three numbers, as in 1.0.0'],
    [
      'kind: dags',
      '3:7 expected one of "sequential", "parallel", "conditional", "dag", "pipeline"',
    ],
    ['steps: [{ id: a, tool: x }]', '3:18 there is no field tool here; did you mean call?'],
    [
      'steps: [{ id: a, depends_on: [b] }]',
      '3:18 there is no field depends_on here; did you mean after?',
    ],
    ['steps: [{ id: a, sleep: 5 }]', '3:18 there is no field sleep here; did you mean sleepMs?'],
    ['limits: { budget: 5 }', '3:11 there is no field budget here; did you mean maxUsd?'],
    [
      'steps: [{ id: a, call: x, retry: 3 }]',
      '3:34 expected fields with values, received a number, as in retry: { attempts: 3 }',
    ],
    [
      'steps: [{ id: a, sleepMs: 5s }]',
      '3:27 expected a number, received a text, as in sleepMs: 5000',
    ],
    ['limits: { timeout: 5 }', '3:11 there is no field timeout here; did you mean timeoutMs?'],
    [
      'steps: { a: { call: x } }',
      '3:8 expected a list, received fields with values, as in steps: [{ id: first, call: tool }]',
    ],
    [
      'steps: [{ id: a, call: x, when: true }]',
      '3:33 expected a text, received true or false; put it in quotes',
    ],
    [
      'steps: [{ id: a, call: x, forEach: { items: steps.b.data } }]',
      '3:45 items has to be a list, { from: path } or { cel: expression }',
    ],
    [
      'steps: [{ id: a, call: x, retry: { atempts: 2 } }]',
      '3:36 there is no field atempts here; did you mean attempts?',
    ],
    [
      'onFailure: a: b',
      '3:12 nested mappings are not allowed in compact mappings; put a text that holds ": " in quotes, or check the indentation',
    ],
  ])('says where a beginner went wrong in %s, and what to write', async (line, ...expected) => {
    const version = line.startsWith('version') ? [] : ['version: 1.0.0'];
    const { faults } = await parseFlow(lines('name: sample', ...version, line));
    const found = faults.map((fault) => `${fault.line}:${fault.column} ${fault.message}`);
    expect(found).toEqual(expect.arrayContaining(expected));
    expect(found).toEqual(
      found.toSorted((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10)),
    );
  });

  it.each(['', '   \n\n'])('an empty text %j is named as such', async (text) => {
    expect((await parseFlow(text)).faults[0]?.message).toBe(
      'is empty; a flow has name, version and steps',
    );
  });

  it('names a step of a conditional group that cannot be reached', async () => {
    const { faults } = await parseFlow(
      lines(
        'name: sample',
        'version: 1.0.0',
        'kind: conditional',
        'steps:',
        '  - { id: a, call: x }',
        '  - { id: b, call: x, when: "true" }',
      ),
    );
    expect(faults).toMatchObject([{ line: 6, message: 'b cannot be reached: a has no condition' }]);
  });

  it.each([
    ['an alias', 'steps: &a [*a]', 'anchors are not allowed'],
    ['a key that occurs twice', 'name: a\nname: b', 'name is set twice; keep one'],
    ['a name of the machinery of objects', '__proto__: 1', 'the key __proto__ is not allowed'],
    ['no YAML', 'a: [', 'flow sequence in block collection must be sufficiently indented'],
  ])('refuses %s', async (_what, text, message) => {
    const { flow, faults } = await parseFlow(text);
    expect(flow).toBeUndefined();
    expect(faults.map((fault) => fault.message).join()).toContain(message);
  });
});

describe('threats: hostile flows', () => {
  const step = (id: string): FlowDataStep => ({ id, call: 'echo' });
  const flow = (steps: readonly FlowDataStep[]): FlowData => ({
    name: 'sample',
    version: '1.0.0',
    steps,
  });

  it('100,000 steps are refused, as YAML and as an object', async () => {
    const many = Array.from({ length: 100_000 }, (_, at) => step(`s${at}`));
    expect(readFlowObject(flow(many)).faults).toHaveLength(1);
    const text = lines(...HEAD, ...many.map(({ id }) => `  - { id: ${id}, call: echo }`));
    expect((await parseFlow(text)).flow).toBeUndefined();
  });

  it('steps that are spread over groups count together', () => {
    const group = (id: string, count: number): FlowDataStep => ({
      id,
      steps: Array.from({ length: count }, (_, at) => step(`${id}_${at}`)),
    });
    const { faults } = readFlowObject(flow([group('a', MAX_STEPS - 10), group('b', 20)]));
    expect(faults.map(({ message }) => message)).toEqual([`a flow has at most ${MAX_STEPS} steps`]);
  });

  it.each([20, 100_000])(
    'groups nested %i deep are refused and do not end the process',
    (depth) => {
      let inner: FlowDataStep = step('last');
      for (let at = 0; at < depth; at += 1) inner = { id: `g${at}`, steps: [inner] };
      expect(readFlowObject(flow([inner])).faults[0]?.message).toMatch(/nested deeper than/);
    },
  );

  it('functions, getters of prototypes and circles are no flow', () => {
    const circle: Record<string, unknown> = { name: 'x' };
    circle.steps = [circle];
    expect(readFlowObject(circle).faults[0]?.message).toMatch(/nested deeper/);
    const code = { ...flow([step('a')]), run: () => 1 };
    expect(readFlowObject(code).faults[0]?.message).toContain('no functions');
    const planted = JSON.parse('{"name":"x","version":"1.0.0","steps":[],"__proto__":{"a":1}}');
    expect(readFlowObject(planted).faults[0]?.message).toContain('__proto__');
  });

  it('the flow is a copy: who made it cannot change it afterwards', () => {
    const steps = [{ ...step('a'), input: { text: 'one' } }];
    const mine = checkFlowData(flow(steps));
    (steps[0] as { input: { text: string } }).input.text = 'two';
    expect(mine.steps[0]?.input).toEqual({ text: 'one' });
  });

  it('checkFlowData throws CONFIG_INVALID with all faults', () => {
    const bad = { name: 'sample', version: '1', steps: [{ id: '' }] } as never;
    expect(() => checkFlowData(bad)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', extras: expect.anything() }),
    );
  });
});
