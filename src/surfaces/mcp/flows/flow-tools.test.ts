import { afterEach, describe, expect, it } from 'vitest';
import { ERAS, openSurface, type TestSurface } from '../../../../test/fixtures/mcp-surface.ts';
import { sleeper, twice } from '../../../../test/fixtures/mcp-tasks.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../../contract/define-flow.ts';
import { derivedName, flowToolName } from '../../../kit/model/flow-name.ts';

let open: TestSurface | undefined;
afterEach(async () => {
  await open?.close();
  open = undefined;
});

const listed = async (opened: TestSurface, era: (typeof ERAS)[number] = 'legacy') =>
  (await (await opened.client(era)).listTools()).tools.filter(({ name }) =>
    name.startsWith('flow_'),
  );

describe.each(ERAS)('flows among the tools of a client of the %s era', (era) => {
  it('are listed with description, input schema, title and annotations', async () => {
    open = await openSurface([aTool()]);
    await open.crib.flows.registerData(twice);
    open.crib.flows.register(sleeper);
    const [code, data] = await listed(open, era);
    expect(data).toMatchObject({
      name: 'flow_twice',
      title: 'Flow twice',
      description: expect.stringMatching(/^Runs the flow twice 1\.0\.0; .*Says it twice\.$/),
      inputSchema: twice.input,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    });
    expect(code).toMatchObject({
      name: 'flow_sleeper',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    });
  });
});

describe('what a flow is said to do', () => {
  const fallingBack = {
    ...twice,
    name: 'falls',
    steps: [
      { id: 'one', call: 'echo', input: {}, onError: { fallback: { call: 'write', input: {} } } },
    ],
    output: 1,
  };

  it('includes its fallbacks and its sub-flows: one that writes makes it no reader', async () => {
    open = await openSurface([aTool(), aTool({ name: 'write', tier: 'write' })]);
    await open.crib.flows.registerData(fallingBack);
    const steps = [{ id: 'sub', flow: 'falls@1.0.0', input: { text: 'a' } }];
    await open.crib.flows.registerData({ name: 'outer', version: '1.0.0', steps });
    for (const { annotations } of await listed(open)) {
      expect(annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    }
    expect(await listed(open)).toHaveLength(2);
  });

  it('hides a flow while a tool of its steps is switched off', async () => {
    open = await openSurface([aTool()]);
    await open.crib.flows.registerData(twice);
    open.crib.tools.setEnabled('echo', false);
    expect(await listed(open)).toEqual([]);
    open.crib.tools.setEnabled('echo', true);
    expect(await listed(open)).toHaveLength(1);
  });

  it('puts an input that is no object under one field, and takes it from there', async () => {
    open = await openSurface([aTool()]);
    const run = async (_flow: unknown, input: string) => `${input}!`;
    const shout = defineFlow({
      name: 'shout',
      version: '1.0.0',
      input: { type: 'string' } as never,
      run,
    });
    open.crib.flows.register(shout);
    const client = await open.client('legacy');
    const [tool] = (await client.listTools()).tools.filter(({ name }) => name === 'flow_shout');
    expect(tool?.inputSchema).toMatchObject({ required: ['input'], additionalProperties: false });
    const call = (args: Record<string, unknown>) =>
      client.callTool({ name: 'flow_shout', arguments: args });
    expect((await call({ input: 'hi' })).content).toEqual([{ type: 'text', text: 'hi!' }]);
    for (const args of [{}, { input: 7 }, { input: 'hi', more: 1 }]) {
      expect(await call(args)).toMatchObject({
        isError: true,
        _meta: { 'toolcrib/code': 'VALIDATION_ERROR' },
      });
    }
  });
});

describe('which flows are offered', () => {
  it.each([
    ['all by default', {}, 2],
    ['those that are named', { flows: ['twice'] }, 1],
    ['none for an empty list', { flows: [] }, 0],
    ['none beside the tools of chosen servers', { servers: ['mail'] }, 0],
    ['none on the search surface', { surface: 'search' }, 0],
  ] as const)('%s', async (_what, options, count) => {
    open = await openSurface([aTool()], options);
    await open.crib.flows.registerData(twice);
    open.crib.flows.register(sleeper);
    expect(await listed(open)).toHaveLength(count);
    if (count === 2) return;
    const call = { name: 'flow_sleeper', arguments: {} };
    const refused = (await open.client('legacy')).callTool(call);
    await expect(refused).rejects.toMatchObject({ code: -32602 });
    expect(await open.crib.flows.list()).toEqual([]);
  });

  it('lists the tools when the schema of a flow is invalid', async () => {
    open = await openSurface([aTool()]);
    const input = { type: 'nothing' } as never;
    open.crib.flows.register(
      defineFlow({ name: 'bad', version: '1.0.0', input, run: async () => 1 }),
    );
    const { tools } = await (await open.client('legacy')).listTools();
    expect(tools.map(({ name }) => name)).toEqual(['echo']);
    expect(open.crib.runtime.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'flows could not be listed' }),
    );
  });
});

it('clients are notified when a flow is registered', async () => {
  open = await openSurface([aTool()]);
  const client = await open.client('legacy');
  let count = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    count += 1;
  });
  open.crib.flows.register(sleeper);
  await open.crib.flows.registerData(twice);
  await open.crib.runtime.advance(200);
  expect(count).toBe(1);
});

describe('threat: the name of a flow', () => {
  const never = () => false;

  it('hostile: looks like a real tool; the tool keeps its name, and the flow gets another', async () => {
    const run = () => 'the tool';
    open = await openSurface([aTool(), aTool({ name: 'flow_twice', run })]);
    await open.crib.flows.registerData(twice);
    const names = (await listed(open)).map(({ name }) => name);
    expect(names).toEqual(['flow_twice', derivedName('twice')]);
    const client = await open.client('legacy');
    const reply = await client.callTool({ name: 'flow_twice', arguments: { text: 'a' } });
    expect(reply.content).toEqual([{ type: 'text', text: 'the tool' }]);
  });

  it.each([
    ['a.b', 'a_b'],
    ['a:b', 'a.b'],
    [`a_b_x${derivedName('a.b').slice(-16)}`, 'a.b'],
    [`${'a'.repeat(100)}1`, `${'a'.repeat(100)}2`],
  ])('hostile: %s takes the name of %s', (one, other) => {
    const names = [one, other].map((name) => flowToolName(name, never));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  });

  it('hostile: a description with hidden characters, and one that is very long', async () => {
    open = await openSurface([aTool()]);
    const description = `ignore\u202eall\u001b[31m <img src=x>${'y'.repeat(9_000)}`;
    open.crib.flows.register(
      defineFlow({ name: 'loud', version: '1.0.0', description, run: async () => 1 }),
    );
    const [tool] = await listed(open);
    expect(tool?.description).toMatch(/^Runs the flow loud 1\.0\.0; /);
    for (const hidden of ['\u202e', '\u001b']) expect(tool?.description).not.toContain(hidden);
    expect(tool?.description?.length).toBeLessThan(2_200);
  });
});
