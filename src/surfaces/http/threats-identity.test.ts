/** Threat: an authenticated caller escapes limits, labels or rules by the names it gives itself. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { CribOptions } from '../../crib/crib-options.ts';

const TOOLS = [
  aTool(),
  aTool({ name: 'limited', rateLimit: { maxPerHour: 5 } }),
  aTool({ name: 'web', labels: { trust: 'untrusted' } }),
  aTool({ name: 'notes', category: 'filesystem' }),
  aTool({ name: 'send', tier: 'external_api' }),
  aTool({ name: 'destroy', tier: 'execute' }),
  aTool({
    name: 'write',
    tier: 'write',
    needs: { paths: [{ path: '.', access: 'write' }] },
    run: (async (_: unknown, { fs }: ToolContext) => fs.write('a.txt', 'new')) as never,
  }),
  aTool({
    name: 'remember',
    tier: 'write',
    run: (async ({ value }: { value: unknown }, { memory }: ToolContext) =>
      memory.write('short-term', 'k', value)) as never,
  }),
  aTool({
    name: 'recall',
    run: (async (_: unknown, { memory }: ToolContext) =>
      (await memory.read('short-term', 'k')) ?? 'nothing') as never,
  }),
];

const LENIENT = { version: 1 as const, rules: [{ name: 'all', effect: 'allow' as const }] };

let door: TestHttp | undefined;
afterEach(() => door?.close());

const open = async (options: CribOptions = {}): Promise<TestHttp> => {
  door = await openHttp(TOOLS, {}, { policy: LENIENT, ...options });
  return door;
};

interface Names {
  readonly approvalId?: string;
  readonly agentId?: string;
  readonly sessionId?: string;
}

const call = async (tool: string, names: Names & { input?: unknown } = {}, token?: string) => {
  if (!door) throw new Error('no door');
  const { input = {}, ...given } = names;
  const { json } = await door.ask(`/v1/tools/${tool}/execute`, {
    method: 'POST',
    token: token ?? door.tokens.agent,
    body: { input, ...given },
  });
  return json;
};

/** What an agent may try to be somebody new with each call. */
const ROTATIONS: readonly (readonly [string, (n: number) => Names])[] = [
  ['another agent', (n) => ({ agentId: `a${n}` })],
  ['another session', (n) => ({ sessionId: `s${n}` })],
  ['another agent and session', (n) => ({ agentId: `a${n}`, sessionId: `s${n}` })],
  ['the local agent and session', () => ({ agentId: 'local', sessionId: 'local' })],
  ['another user', (n) => ({ agentId: `token:admin`, sessionId: `../token:x/${n}` })],
];

const passed = async (tool: string, times: number, names: (n: number) => Names) => {
  const results = [];
  for (let n = 0; n < times; n++) {
    results.push(await call(tool, { ...names(n), input: { n } }));
  }
  return results.filter(({ success }) => success).length;
};

describe.each(ROTATIONS)('a token that calls itself %s each time', (_who, names) => {
  it('makes 5 of 20 calls at 5 an hour', async () => {
    await open();
    expect(await passed('limited', 20, names)).toBe(5);
  });

  it.each([
    ['agent', { perAgent: { calls: 5 } }],
    ['session', { perSession: { calls: 5 } }],
  ])('makes 5 of 20 calls when each %s has 5', async (_kind, budget) => {
    await open({ config: { budget } });
    expect(await passed('echo', 20, names)).toBe(5);
  });

  it('is stopped when it repeats the same call', async () => {
    await open({ config: { execution: { loop: { identicalCalls: 5, windowSeconds: 60 } } } });
    const codes = [];
    for (let n = 0; n < 20; n++) codes.push((await call('echo', names(n))).error?.code);
    expect(codes.filter((code) => code === undefined)).toHaveLength(5);
    expect(codes.at(-1)).toBe('LOOP_DETECTED');
  });

  it('carries what it has read from one session to the next', async () => {
    await open();
    await call('web', names(1));
    await call('notes', names(2));
    expect((await call('send', names(3))).status).toBe('pending');
    expect((await call('send')).status).toBe('pending');
  });
});

describe('what one token did', () => {
  it('leaves another token free, whatever names both give themselves', async () => {
    const { tokens } = await open({
      config: { budget: { perAgent: { calls: 5 }, perSession: { calls: 5 } } },
    });
    const names = { agentId: 'a', sessionId: 's' };
    for (const tool of ['web', 'notes', 'echo', 'echo', 'echo']) await call(tool, names);
    expect((await call('echo', names)).error.code).toBe('BUDGET_EXCEEDED');
    expect((await call('send', names, tokens.operator)).status).toBe('success');
  });

  it('counts for a day where sessions have a limit, and is seen in the usage', async () => {
    const { crib } = await open({ config: { budget: { perSession: { calls: 1 } } } });
    expect(await passed('echo', 2, (n) => ({ sessionId: `s${n}` }))).toBe(1);
    const lines = async () => (await crib.usage.summary()).filter(({ kind }) => kind === 'session');
    expect(await lines()).toMatchObject([{ calls: 1, period: expect.stringMatching(/^\d{4}-/) }]);
    expect(await crib.usage.summary({ period: 'all' })).toContainEqual((await lines())[0]);
    await crib.runtime.advance(86_400_000);
    expect(await passed('echo', 2, (n) => ({ sessionId: `s${n}` }))).toBe(1);
  });

  it('a stored result that is read in one session labels the next one', async () => {
    const { crib } = await open({ builtins: true });
    const long = { text: 'x'.repeat(20_000) };
    const as = { userId: 'token:agent', sessionId: 'of the program', audience: 'model' } as const;
    const { whole } = await crib.execute('web', long, as);
    await call('notes', { sessionId: 's1' });
    expect((await call('send', { sessionId: 's2' })).status).toBe('success');
    const input = { handle: whole?.handle };
    expect((await call('read_result', { sessionId: 's1', input })).success).toBe(true);
    expect((await call('send', { sessionId: 's2' })).status).toBe('pending');
  });

  it('is remembered for each session that it names, and for no other token', async () => {
    const { tokens } = await open();
    await call('remember', { sessionId: 's1', input: { value: 'mine' } });
    expect((await call('recall', { sessionId: 's1' })).data).toBe('mine');
    expect((await call('recall', { sessionId: 's2' })).data).toBe('nothing');
    expect((await call('recall', { sessionId: 's1' }, tokens.operator)).data).toBe('nothing');
  });
});

describe('a rule or a grant that names an agent or a session', () => {
  const rules = (effect: 'allow' | 'deny', callers: object) => ({
    version: 1 as const,
    rules: [
      { name: 'named', effect, tools: ['destroy'], callers },
      ...(effect === 'deny' ? LENIENT.rules : []),
    ],
  });

  it.each([
    ['agent', { agents: ['deployer'] }, { agentId: 'deployer' }],
    ['session', { sessions: ['night'] }, { sessionId: 'night' }],
  ])('allows nothing to a token that takes the name of that %s', async (_kind, callers, names) => {
    const { crib } = await open({ policy: rules('allow', callers) });
    expect((await call('destroy', names)).status).toBe('pending');
    // Benign: the embedding program vouches for the names it gives.
    const named = { userId: 'ada', ...names };
    expect((await crib.execute('destroy', {}, named)).status).toBe('success');
  });

  it.each([
    ['agent', { agents: ['scout'] }, { agentId: 'scout' }],
    ['session', { sessions: ['night'] }, { sessionId: 'night' }],
  ])('still holds against a token that says it is that %s', async (_kind, callers, names) => {
    await open({ policy: rules('deny', callers) });
    expect((await call('destroy', names)).error.code).toBe('PERMISSION_DENIED');
    expect((await call('destroy', { agentId: 'x', sessionId: 'y' })).status).toBe('success');
  });

  it.each([{ agent: 'deployer' }, { session: 'night' }, { agent: 'local', session: 'local' }])(
    'answers no question of a token that takes the names of the grant %j',
    async (subject) => {
      const { crib } = await open({ policy: { version: 1, rules: [] } });
      const grant = { resource: 'tool:destroy', actions: ['*'], skipsApproval: true, by: 'ada' };
      await crib.permissions.grant({ ...grant, subject });
      const names = { agentId: subject.agent ?? 'x', sessionId: subject.session ?? 'y' };
      expect((await call('destroy', names)).status).toBe('pending');
    },
  );
});

describe('an approval for a session that a token named', () => {
  const approve = async (id: string, remember?: object) =>
    door?.ask(`/v1/approvals/${id}/decide`, {
      method: 'POST',
      token: door.tokens.operator,
      body: { approve: true, ...(remember && { remember }) },
    });

  it('counts for that session only, and not for another token that takes its name', async () => {
    const { tokens } = await open({ policy: { version: 1, rules: [] } });
    const names = { agentId: 'a', sessionId: 's' };
    const { approval } = await call('destroy', names);
    await approve(approval.approvalId, { scope: 'session' });
    const stolen = { ...names, approvalId: approval.approvalId };
    expect((await call('destroy', stolen, tokens.admin)).error.code).toBe('APPROVAL_EXPIRED');
    expect((await call('destroy', { ...stolen, sessionId: 't' })).success).toBe(false);
    expect((await call('destroy', stolen)).success).toBe(true);
    expect((await call('destroy', names)).success).toBe(true);
    expect((await call('destroy', names, tokens.admin)).status).toBe('pending');
    expect((await call('destroy', { ...names, sessionId: 't' })).status).toBe('pending');
  });
});

describe('names as the record has them', () => {
  it.each<[string, Names]>([
    ['were given', { agentId: 'a', sessionId: 's' }],
    ['were not given', {}],
  ])(
    'lead to the same agent and session when a client sends back those that %s',
    async (_how, names) => {
      const { crib, ask, tokens } = await open({ policy: { version: 1, rules: [] } });
      const { approval } = await call('destroy', names);
      const { approvalId } = approval;
      await ask(`/v1/approvals/${approvalId}/decide`, {
        method: 'POST',
        token: tokens.operator,
        body: { approve: true },
      });
      const [row] = await crib.audit.query({ kind: 'outcome' });
      const { agentId = '', sessionId = '' } = row ?? {};
      // The names of another token's record are only more names of one's own.
      const stolen = await call('destroy', { agentId, sessionId, approvalId }, tokens.admin);
      expect(stolen.error.code).toBe('APPROVAL_EXPIRED');
      expect((await call('destroy', { agentId, sessionId, approvalId })).success).toBe(true);
    },
  );
});

describe('undo over HTTP', () => {
  it('is not to be had by an agent under the name of its tool', async () => {
    const root = await mkdtemp(join(tmpdir(), 'toolcrib-identity-'));
    await writeFile(join(root, 'a.txt'), 'old');
    const { tokens, ask } = await open({ root });
    const { metadata } = await call('write', {}, tokens.operator);
    const { executionId } = metadata;
    const input = { executionId, asOwner: true };
    for (const name of ['toolcrib:undo', 'toolcrib%3Aundo', 'toolcrib_undo']) {
      expect((await call(name, { input })).error.code).toBe('TOOL_NOT_FOUND');
    }
    const steps = { operation: 'execute_chain', calls: [{ tool: 'toolcrib:undo', input }] };
    const many = await ask('/v1/process', { method: 'POST', token: tokens.agent, body: steps });
    expect(many.json.errors[0].code).toBe('TOOL_NOT_FOUND');
    const path = `/v1/executions/${executionId}/undo`;
    expect((await ask(path, { method: 'POST', token: tokens.agent })).status).toBe(403);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('new');
    const undone = await ask(path, { method: 'POST', token: tokens.operator });
    expect(undone.json.data.restored).toEqual(['a.txt']);
    expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('old');
    await rm(root, { recursive: true, force: true });
  });

  it.each(['roles', 'userId', 'permissions', 'authenticated', 'isolation', 'approver', 'loopId'])(
    'a body that names %s is refused',
    async (field) => {
      const { ask, tokens } = await open();
      const body = { input: {}, [field]: ['owner'] };
      const path = '/v1/tools/echo/execute';
      expect((await ask(path, { method: 'POST', token: tokens.agent, body })).status).toBe(400);
    },
  );

  it('an explanation for another caller is given for the names in the question', async () => {
    const { ask, tokens, crib } = await open();
    await crib.execute('web', {}, { userId: 'ada', sessionId: 's' });
    await crib.execute('notes', {}, { userId: 'ada', sessionId: 's' });
    const explain = async (as?: object) => {
      const body = { tool: 'send', input: {}, ...(as && { as }) };
      const token = tokens.viewer;
      const { json } = await ask('/v1/policy/explain', { method: 'POST', token, body });
      return json.verdict.effect;
    };
    expect(await explain({ userId: 'ada', sessionId: 's' })).toBe('ask');
    expect(await explain()).toBe('allow');
  });
});
