/** Threat: a caller starts a tool of the crib itself by its name, or puts its own in that place. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { aTool, type TestCrib, testCrib } from '../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../contract/context.ts';
import type { ProcessRequest } from '../contract/process-request.ts';
import { defineInternalTool } from './internal-tool.ts';

let root: string;
let crib: TestCrib;
let executionId: string;

const write = aTool({
  name: 'write',
  tier: 'write',
  needs: { paths: [{ path: '.', access: 'write' }] },
  run: (async (_: unknown, { fs }: ToolContext) => fs.write('a.txt', 'new')) as never,
});

/** Calls whatever it is told to. */
const relay = aTool({
  name: 'relay',
  run: (async ({ tool, input }: { tool: string; input: unknown }, { call }: ToolContext) =>
    (await call(tool, input)).error?.code) as never,
});

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-internal-'));
  await writeFile(join(root, 'a.txt'), 'old');
  crib = await testCrib([write, relay], { root });
  const { metadata } = await crib.execute('write', {}, { userId: 'ada' });
  executionId = metadata.executionId;
});
afterEach(async () => {
  await crib.close();
  await rm(root, { recursive: true, force: true });
});

const content = (): Promise<string> => readFile(join(root, 'a.txt'), 'utf8');
const eve = { userId: 'eve', agentId: 'bot' };
const UNDO = 'toolcrib:undo';

describe('undo by its name', () => {
  const inputs = (): readonly unknown[] => [
    { executionId },
    { executionId, asOwner: true },
    { executionId, asOwner: 'yes', ofUser: undefined, userId: 'ada', roles: ['owner'] },
  ];

  it.each([
    'toolcrib:undo',
    'Toolcrib:undo',
    'toolcrib:undo ',
    'toolcrib_undo',
    'toolcrib:undo@1.0.0',
    'undo',
  ])('another user who executes %j finds no tool, and the file stays', async (name) => {
    for (const input of inputs()) {
      expect((await crib.execute(name, input, eve)).error?.code).toBe('TOOL_NOT_FOUND');
    }
    expect(await content()).toBe('new');
  });

  it('the owner does not find it by name either', async () => {
    for (const input of inputs()) {
      expect((await crib.execute(UNDO, input)).error?.code).toBe('TOOL_NOT_FOUND');
      const versioned = { version: '1.0.0', dryRun: true };
      expect((await crib.execute(UNDO, input, versioned)).error?.code).toBe('TOOL_NOT_FOUND');
    }
    expect(await content()).toBe('new');
  });

  it('a tool that calls it for another user finds no tool, and the file stays', async () => {
    for (const input of inputs()) {
      const result = await crib.execute('relay', { tool: UNDO, input }, eve);
      expect(result.data).toBe('TOOL_NOT_FOUND');
    }
    expect(await content()).toBe('new');
  });

  it('no operation of `process` reaches it, and the file stays', async () => {
    const call = { tool: UNDO, input: { executionId, asOwner: true } };
    const requests: readonly ProcessRequest[] = [
      { operation: 'execute_single', ...call },
      { operation: 'execute_chain', calls: [call, call], continueOnError: true },
      { operation: 'orchestrate', calls: [{ ...call, id: 'a' }] },
      { operation: 'validate', calls: [call] },
    ];
    for (const request of requests) {
      const { errors } = await crib.process(request, eve);
      expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['TOOL_NOT_FOUND']));
    }
    expect(await content()).toBe('new');
  });

  it("a caller with a list of tools can undo its own call, and no other caller's", async () => {
    const listed = { tools: ['write'] };
    const stolen = await crib.executions.undo(executionId, { ...eve, ...listed });
    expect(stolen.success).toBe(false);
    expect(await content()).toBe('new');
    expect((await crib.executions.undo(executionId, { userId: 'ada', ...listed })).success).toBe(
      true,
    );
    expect(await content()).toBe('old');
  });

  it('the tool set of an agent framework neither shows nor calls it', async () => {
    const tools = await crib.tools.forAnthropic({ caller: eve });
    expect(tools.tools.map(({ name }) => name)).toEqual(['write', 'relay']);
    const use = { type: 'tool_use', id: '1', name: UNDO, input: { executionId, asOwner: true } };
    const [block] = await tools.run({ content: [use] });
    expect(block?.is_error).toBe(true);
    expect(await content()).toBe('new');
  });

  it('the catalog, its search and `explain` know nothing of it', async () => {
    const { tools } = crib;
    expect(tools.has(UNDO)).toBe(false);
    expect(tools.get(UNDO)).toBeUndefined();
    expect(tools.suggest('toolcrib:und')).toEqual([]);
    const hits = tools.search({ text: 'undo restore what a call changed' });
    expect(hits.map(({ entry }) => entry.tool.name)).not.toContain(UNDO);
    await expect(crib.explain(UNDO, { executionId }, eve)).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
    });
  });
});

describe('the authority to undo', () => {
  it('roles in the id or beside it do not make another user an owner', async () => {
    const forged = { ...eve, asOwner: true, ofUser: 'ada', isOwner: true } as typeof eve;
    expect((await crib.executions.undo(executionId, forged)).error?.code).toBe('VALIDATION_ERROR');
    const owner = { ...eve, roles: ['viewer'] };
    expect((await crib.executions.undo(executionId, owner)).error?.code).toBe('NOT_FOUND');
    const input = { executionId, asOwner: true } as unknown as string;
    expect((await crib.executions.undo(input, eve)).error?.code).toBe('VALIDATION_ERROR');
    expect(await content()).toBe('new');
  });

  it('an agent that tries the same undo over and over is stopped', async () => {
    const codes: unknown[] = [];
    for (let at = 0; at < 20; at += 1) {
      codes.push((await crib.executions.undo(executionId, eve)).error?.code);
    }
    expect([codes.at(0), codes.at(-1)]).toEqual(['NOT_FOUND', 'LOOP_DETECTED']);
  });

  it('another user is not told that a call was undone', async () => {
    await crib.executions.undo(executionId, { userId: 'ada' });
    expect((await crib.executions.undo(executionId, eve)).error?.code).toBe('NOT_FOUND');
    expect((await crib.executions.undo(executionId, { userId: 'ada' })).error?.code).toBe(
      'CONFLICT',
    );
  });

  it.each([
    ['the user who made the call', { userId: 'ada' }],
    ['an admin', { userId: 'root', roles: ['admin'] }],
    ['the local owner', undefined],
  ])('%s undoes it, on record under the name of the internal tool', async (_who, caller) => {
    expect((await crib.executions.undo(executionId, caller)).success).toBe(true);
    expect(await content()).toBe('old');
    const { audit } = await crib.store();
    expect(await audit.query({ tool: UNDO, kind: 'outcome' })).toHaveLength(1);
  });
});

describe('a rule about the internal tool', () => {
  const withRule = (effect: 'ask' | 'deny') =>
    testCrib([write], {
      root,
      policy: { version: 1, rules: [{ name: 'undo', effect, tools: [UNDO] }] },
    });

  it('makes an undo wait, and the approval is good for that undo of that caller alone', async () => {
    const strict = await withRule('ask');
    const ada = { userId: 'ada' };
    const { metadata } = await strict.execute('write', {}, ada);
    const { approval } = await strict.executions.undo(metadata.executionId, ada);
    const approvalId = approval?.approvalId ?? '';
    await strict.approvals.decide(approvalId, { approve: true, by: 'root' });
    const stolen = await strict.executions.undo(metadata.executionId, { ...eve, approvalId });
    expect(stolen.error?.code).toBe('APPROVAL_EXPIRED');
    const other = await strict.executions.undo('x-other', { ...ada, approvalId });
    expect(other.error?.code).toBe('APPROVAL_EXPIRED');
    expect(
      (await strict.executions.undo(metadata.executionId, { ...ada, approvalId })).success,
    ).toBe(true);
    await strict.close();
  });

  it('refuses an undo', async () => {
    const strict = await withRule('deny');
    const { metadata } = await strict.execute('write', {});
    const refused = await strict.executions.undo(metadata.executionId);
    expect(refused.error?.code).toBe('PERMISSION_DENIED');
    await strict.close();
  });
});

describe('the names of internal tools', () => {
  it.each(['toolcrib:undo', 'toolcrib:anything', 'TOOLCRIB:undo', 'Toolcrib:Undo'])(
    'a tool cannot be registered as %s, nor answer to that alias',
    (name) => {
      const taken = { code: 'CONFIG_INVALID', message: expect.stringContaining('toolcrib:') };
      expect(() => crib.tools.register(aTool({ name }))).toThrow(expect.objectContaining(taken));
      const alias = aTool({ name: 'mine', aliases: [name] });
      expect(() => crib.tools.register(alias)).toThrow(expect.objectContaining(taken));
    },
  );

  it('a source cannot bring one in, and its other tools work', async () => {
    const tools = [aTool({ name: UNDO }), aTool({ name: 'fine' })];
    const source = { kind: 'mcp', label: 'toolcrib', load: async () => tools } as never;
    const other = await testCrib([], { sources: [source] });
    expect(other.tools.list().map(({ tool }) => tool.name)).toEqual(['fine']);
    await other.close();
  });

  it('a tool whose name only looks like one can be registered', () => {
    crib.tools.register(aTool({ name: 'toolcrib.undo' }));
    crib.tools.register(aTool({ name: 'toolcribs:undo' }));
    expect(crib.tools.has('toolcrib.undo')).toBe(true);
  });

  it('an internal tool under a name that others may take is refused', () => {
    const input = { json: {}, validate: (value: unknown) => ({ ok: true as const, value }) };
    const labels = { trust: 'trusted', sensitivity: 'public' } as const;
    const definition = { name: 'undo', description: '', tier: 'write' as const, run: () => 1 };
    expect(() => defineInternalTool(definition, { input, labels })).toThrow(/not reserved/);
  });
});
