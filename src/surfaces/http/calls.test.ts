/** Calls and their records over HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Asking, openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import { ERRORS, ToolFailure } from '../../contract/errors.ts';

let http: TestHttp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

let runs = 0;
const TOOLS = [
  aTool(),
  aTool({
    name: 'other',
    aliases: ['twin'],
    run: () => {
      runs += 1;
      return { runs };
    },
  }),
  aTool({
    name: 'shell',
    tier: 'execute',
    run: (input: unknown) => {
      runs += 1;
      return input;
    },
  }),
  aTool({ name: 'priced', tier: 'read_only', cost: { model: 'usage_based', fixed: 0.4 } }),
  aTool({
    name: 'failing',
    run: () => {
      throw new ToolFailure('LOCK', 'Somebody holds it.');
    },
  }),
  aTool({
    name: 'keyless',
    auth: { type: 'api_key', required: true, configKey: 'KEYLESS_API_KEY' },
  }),
  aTool({
    name: 'turned-away',
    run: () => {
      throw new ToolFailure('AUTH_MISSING', 'The service did not accept the credential.');
    },
  }),
  aTool({
    name: 'broken',
    run: () => {
      throw new Error('postgres://user:hunter2@db/secret');
    },
  }),
  aTool({
    name: 'slow',
    run: (_: unknown, context: ToolContext) =>
      new Promise((_resolve, reject) => {
        context.signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  }),
];

const open = async (...more: [Parameters<typeof openHttp>[1]?]): Promise<TestHttp> => {
  runs = 0;
  http = await openHttp(TOOLS, more[0]);
  return http;
};

const execute = (
  door: TestHttp,
  tool: string,
  { token, body = { input: {} }, ...asking }: Asking = {},
) =>
  door.ask(`/v1/tools/${tool}/execute`, {
    method: 'POST',
    token: token ?? door.tokens.agent,
    body,
    ...asking,
  });

const tokenWith = async (door: TestHttp, body: object): Promise<string> => {
  const made = await door.ask('/v1/tokens', { method: 'POST', token: door.tokens.admin, body });
  return made.json.token;
};

describe('a call over HTTP', () => {
  it('answers with the result, and its status is that of the error table', async () => {
    const door = await open();
    const good = await execute(door, 'echo', { body: { input: { a: 1 } } });
    expect(good.status).toBe(200);
    expect(good.json).toMatchObject({ success: true, data: { a: 1 } });
    expect((await execute(door, 'nothing')).status).toBe(404);
    const locked = await execute(door, 'failing');
    expect([locked.status, locked.json.error.code]).toEqual([423, 'LOCK']);
    const broken = await execute(door, 'broken');
    expect(broken.status).toBe(500);
    expect(broken.text).not.toContain('hunter2');
  });

  it.each(['keyless', 'turned-away'])(
    'a credential that the tool lacks is no 401: %s answers 424 to a known sender',
    async (tool) => {
      const door = await open();
      const lacking = await execute(door, tool);
      expect([lacking.status, lacking.json.error.code]).toEqual([424, 'AUTH_MISSING']);
      expect(lacking.json.metadata.toolName).toBe(tool);
      expect(lacking.headers.get('www-authenticate')).toBeNull();
      const stranger = await execute(door, tool, { token: 'tc_nobody' });
      expect([stranger.status, stranger.json.error.code]).toEqual([401, 'AUTH_MISSING']);
    },
  );

  it('is recorded under the name of the token, and names it gives itself stand below that', async () => {
    const door = await open();
    await execute(door, 'echo', { body: { input: {}, agentId: 'a1', sessionId: 's1' } });
    const [row] = await door.crib.audit.query({ limit: 1 });
    expect(row).toMatchObject({
      userId: 'token:agent',
      agentId: 'token:agent/a1',
      sessionId: expect.stringMatching(/^token:[0-9a-f]{16}\/s1$/),
    });
  });

  it('honours Idempotency-Key, in the header or in the body, but not two different ones', async () => {
    const door = await open();
    const headers = { 'idempotency-key': 'k1' };
    await execute(door, 'other', { headers });
    const again = await execute(door, 'other', { body: { input: {}, idempotencyKey: 'k1' } });
    expect(again.json.data).toEqual({ runs: 1 });
    expect(runs).toBe(1);
    const two = await execute(door, 'other', {
      headers,
      body: { input: {}, idempotencyKey: 'k2' },
    });
    expect(two.status).toBe(400);
  });

  it('refuses an empty Idempotency-Key, which calls without a key would share', async () => {
    const door = await open();
    const empty = await execute(door, 'other', { headers: { 'idempotency-key': '' } });
    expect([empty.status, empty.json.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(runs).toBe(0);
  });

  it('is cancelled when the client disconnects', async () => {
    const door = await open();
    const started = new Promise<void>((resolve) =>
      door.crib.events.on('call.started', () => resolve()),
    );
    const gone = new AbortController();
    const answering = execute(door, 'slow', { signal: gone.signal });
    await started;
    gone.abort();
    const answer = await answering;
    expect([answer.status, answer.json.status]).toEqual([499, 'cancelled']);
  });

  it('is cancelled by an operator', async () => {
    const door = await open();
    const started = new Promise<string>((resolve) =>
      door.crib.events.on('call.started', ({ executionId }) => resolve(executionId)),
    );
    const answering = execute(door, 'slow');
    const id = await started;
    const token = door.tokens.operator;
    expect((await door.ask(`/v1/executions/${id}`, { token })).json.state).toBe('running');
    const running = (who: string) => door.ask('/v1/executions/running', { token: who });
    expect((await running(door.tokens.viewer)).json.items).toMatchObject([
      { executionId: id, tool: 'slow', status: 'running', userId: 'token:agent', isHere: true },
    ]);
    expect((await running(door.tokens.agent)).json.items).toHaveLength(1);
    const cancel = () => door.ask(`/v1/executions/${id}/cancel`, { method: 'POST', token });
    expect((await cancel()).json).toEqual({ cancelled: true });
    expect((await answering).json.status).toBe('cancelled');
    expect((await cancel()).json).toEqual({ cancelled: false });
    expect((await running(door.tokens.viewer)).json.items).toEqual([]);
  });

  it('is not among the running calls that another agent sees', async () => {
    const door = await open();
    const started = new Promise((resolve) => door.crib.events.on('call.started', resolve));
    const gone = new AbortController();
    const answering = execute(door, 'slow', { token: door.tokens.operator, signal: gone.signal });
    await started;
    const running = (who: string) => door.ask('/v1/executions/running', { token: who });
    expect((await running(door.tokens.agent)).json.items).toEqual([]);
    expect((await running(door.tokens.viewer)).json.items).toHaveLength(1);
    gone.abort();
    await answering;
  });

  it('runs several calls of one request', async () => {
    const door = await open();
    const calls = [
      { tool: 'echo', input: { n: 1 } },
      { tool: 'failing', input: {} },
    ];
    const body = { operation: 'execute_chain', calls };
    const answer = await door.ask('/v1/process', {
      method: 'POST',
      token: door.tokens.agent,
      body,
    });
    expect(answer.json).toMatchObject({ operation: 'execute_chain', status: 'partial' });
  });

  it('runs several calls of one request, each with its own id and idempotency key', async () => {
    const door = await open();
    const call = (id: string, idempotencyKey: string) => ({
      tool: 'echo',
      input: { n: 1 },
      id,
      options: { idempotencyKey },
    });
    const body = { operation: 'execute_chain', calls: [call('a', 'k1'), call('b', 'k1')] };
    const token = door.tokens.agent;
    const { json } = await door.ask('/v1/process', { method: 'POST', token, body });
    expect(json.calls).toMatchObject([{ id: 'a' }, { id: 'b' }]);
    expect(json.results).toMatchObject([
      { metadata: { cached: false } },
      { metadata: { cached: true } },
    ]);
    const wrong = { ...body, calls: [{ ...call('a', 'k2'), options: { userId: 'eve' } }] };
    const refused = await door.ask('/v1/process', { method: 'POST', token, body: wrong });
    expect(refused.status).toBe(400);
  });
});

describe('a token with limits of its own', () => {
  it('calls the tools on its list and no other, whatever name is used', async () => {
    const door = await open();
    const token = await tokenWith(door, { name: 'narrow', role: 'agent', tools: ['echo'] });
    expect((await execute(door, 'echo', { token })).status).toBe(200);
    for (const tool of ['other', 'twin', 'shell']) {
      expect((await execute(door, tool, { token })).status, tool).toBe(403);
    }
    for (const tool of ['nothing', '__proto__']) {
      expect((await execute(door, tool, { token })).status, tool).toBe(404);
    }
    const calls = [
      { tool: 'echo', input: {} },
      { tool: 'other', input: {} },
    ];
    const body = { operation: 'execute_chain', calls };
    const many = await door.ask('/v1/process', { method: 'POST', token, body });
    expect(many.json.calls.map(({ status }: { status: string }) => status)).toEqual([
      'success',
      'denied',
    ]);
    const { audit } = await door.crib.store();
    const refused = await audit.query({ kind: 'outcome', userId: 'token:narrow' });
    expect(refused.filter(({ code }) => code === 'PERMISSION_DENIED')).toHaveLength(4);
    expect(refused.filter(({ status }) => status === 'success')).toHaveLength(2);
  });

  it('spends at most its dollars a day, however many calls it makes at once', async () => {
    const door = await open();
    const token = await tokenWith(door, { name: 'poor', role: 'agent', dailyUsd: 1 });
    const all = await Promise.all(
      Array.from({ length: 6 }, () => execute(door, 'priced', { token })),
    );
    const statuses = all.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 200, 402, 402, 402, 402]);
    const { audit } = await door.crib.store();
    const rows = await audit.query({ kind: 'outcome', userId: 'token:poor' });
    expect(rows.filter(({ code }) => code === 'BUDGET_EXCEEDED')).toHaveLength(4);
    expect((await execute(door, 'echo', { token })).status).toBe(200);
    expect((await execute(door, 'priced')).status).toBe(200);
    await door.crib.runtime.advance(24 * 3_600_000);
    expect((await execute(door, 'priced', { token })).status).toBe(200);
  });

  it('runs its calls with its own isolation', async () => {
    const door = await open();
    const token = await tokenWith(door, { name: 'caged', role: 'agent', isolation: 'paranoid' });
    expect((await execute(door, 'shell', { token })).status).toBe(403);
    expect((await execute(door, 'shell')).status).toBe(202);
  });
});

describe('records of calls over HTTP', () => {
  it('explain the code of a failed call, and nothing for one that succeeded', async () => {
    const door = await open();
    const token = door.tokens.viewer;
    const look = async ({ json }: Awaited<ReturnType<typeof execute>>) =>
      (await door.ask(`/v1/executions/${json.metadata.executionId}`, { token })).json;
    const missing = await look(await execute(door, 'no_such_tool'));
    expect(missing).toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect(missing.meaning).toBe(ERRORS.TOOL_NOT_FOUND.sentence);
    expect(await look(await execute(door, 'echo'))).not.toHaveProperty('meaning');
  });

  it('an agent sees its own calls and questions only', async () => {
    const door = await open();
    await execute(door, 'echo');
    const other = await execute(door, 'shell', { token: door.tokens.operator });
    const { executionId } = other.json.metadata;
    const token = door.tokens.agent;
    const seen = (await door.ask('/v1/executions?user=token:operator', { token })).json.items;
    expect(seen.map(({ userId }: { userId: string }) => userId)).toEqual(['token:agent']);
    expect((await door.ask(`/v1/executions/${executionId}`, { token })).status).toBe(404);
    const { approvalId } = other.json.approval;
    expect((await door.ask(`/v1/approvals/${approvalId}`, { token })).status).toBe(404);
    expect((await door.ask('/v1/approvals', { token })).json.items).toEqual([]);
    const all = await door.ask('/v1/executions', { token: door.tokens.viewer });
    expect(all.json.items).toHaveLength(2);
  });

  it('are found by statuses, code, how long they took, and as calls of no tool', async () => {
    const door = await open();
    await execute(door, 'echo');
    await execute(door, 'failing');
    await execute(door, 'no_such_tool');
    const token = door.tokens.viewer;
    const tools = async (query: string): Promise<readonly string[]> => {
      const { json } = await door.ask(`/v1/executions?${query}`, { token });
      return json.items.map(({ tool }: { tool: string }) => tool);
    };
    expect(await tools('status=failure,timeout')).toEqual(['no_such_tool', 'failing']);
    expect(await tools('status=success')).toEqual(['echo']);
    expect(await tools('code=LOCK')).toEqual(['failing']);
    expect(await tools('tool=(unknown)')).toEqual(['no_such_tool']);
    expect(await tools('overMs=60000')).toEqual([]);
    expect(await tools('upToMs=60000')).toHaveLength(3);
    for (const bad of ['status=failure,nope', 'status=', 'code=NOPE', 'upToMs=x']) {
      expect((await door.ask(`/v1/executions?${bad}`, { token })).status, bad).toBe(400);
    }
  });

  it('come in pages that do not shift while rows are added', async () => {
    const door = await open();
    const ids: string[] = [];
    for (let n = 0; n < 7; n++) {
      ids.push((await execute(door, 'echo')).json.metadata.executionId);
    }
    const token = door.tokens.viewer;
    const seen: string[] = [];
    let next: string | undefined;
    do {
      const at = next === undefined ? '' : `&cursor=${next}`;
      for (const list of ['executions', 'audit']) {
        const page = await door.ask(`/v1/${list}?limit=3&tool=echo${at}`, { token });
        if (list === 'audit') continue;
        seen.push(...page.json.items.map((each: { executionId: string }) => each.executionId));
        next = page.json.next;
      }
      await execute(door, 'echo');
    } while (next !== undefined);
    expect(seen).toEqual(ids.toReversed());
    for (const cursor of ['nonsense', 'AAAA', Buffer.from('-1').toString('base64url')]) {
      expect((await door.ask(`/v1/audit?cursor=${cursor}`, { token })).status, cursor).toBe(400);
    }
  });

  it('are found by their number', async () => {
    const door = await open();
    for (let n = 0; n < 3; n++) await execute(door, 'echo');
    const token = door.tokens.viewer;
    const row = (await door.ask('/v1/audit?limit=2', { token })).json.items[1];
    const found = await door.ask(`/v1/audit?seq=${row.seq}`, { token });
    expect(found.json).toEqual({ items: [row] });
    expect((await door.ask('/v1/audit?seq=9999999', { token })).json).toEqual({ items: [] });
    for (const seq of ['0', '-1', '1.5', 'one', '', '9'.repeat(16)]) {
      expect((await door.ask(`/v1/audit?seq=${seq}`, { token })).status, seq).toBe(400);
    }
  });

  it('can be verified, exported, signed and counted', async () => {
    const door = await open();
    await execute(door, 'echo');
    await execute(door, 'failing');
    const token = door.tokens.operator;
    expect((await door.ask('/v1/audit/verify', { token })).json).toMatchObject({ ok: true });
    const file = await door.ask('/v1/audit/export?format=csv', { token });
    expect(file.headers.get('content-disposition')).toContain('audit.csv');
    expect(file.text.trim().split('\n').length).toBeGreaterThan(2);
    const note = await door.ask('/v1/audit/checkpoint', { method: 'POST', token });
    expect(note.json.signature).toMatch(/\w/);
    const series = await door.ask('/v1/usage/series?bucket=day', { token });
    expect(series.json.buckets).toMatchObject([{ calls: 2, failures: 1 }]);
    expect(series.json.byTool).toHaveLength(2);
  });

  it('gives the report of a month as a file, to viewers and above', async () => {
    const door = await open();
    await execute(door, 'echo');
    const token = door.tokens.viewer;
    const [{ at }] = (await door.ask('/v1/audit?limit=1', { token })).json.items;
    const month = new Date(at).toISOString().slice(0, 7);
    const csv = await door.ask(`/v1/usage/report?month=${month}&format=csv`, { token });
    expect(csv.headers.get('content-disposition')).toContain(`toolcrib-usage-${month}.csv`);
    expect(csv.text).toContain(',tool,echo,1,');
    const json = await door.ask(`/v1/usage/report?month=${month}`, { token });
    expect(json.json.total.calls).toBe(1);
    for (const bad of ['', '?month=2026-13', `?month=${month}&format=pdf`]) {
      expect((await door.ask(`/v1/usage/report${bad}`, { token })).status, bad).toBe(400);
    }
    const path = `/v1/usage/report?month=${month}`;
    expect((await door.ask(path, { token: door.tokens.agent })).status).toBe(403);
  });

  it('judges a recorded call again for operators, and refuses lower roles', async () => {
    const door = await open();
    await execute(door, 'echo');
    const token = door.tokens.operator;
    const [row] = (await door.ask('/v1/audit?limit=1', { token })).json.items;
    const path = `/v1/audit/${row.executionId}/replay`;
    const judged = await door.ask(path, { method: 'POST', token });
    expect(judged.json).toMatchObject({ verdict: 'same', caller: { userId: row.userId } });
    expect((await door.ask('/v1/audit?limit=1', { token })).json.items).toEqual([row]);
    const guest = await door.ask(path, { method: 'POST', token, body: { roles: ['guest'] } });
    expect(guest.status).toBe(200);
    for (const [body, status] of [
      [{ userId: 'ada' }, 400],
      [{ as: { userId: 'ada' } }, 400],
      [{ roles: 'owner' }, 400],
    ] as const) {
      expect((await door.ask(path, { method: 'POST', token, body })).status).toBe(status);
    }
    for (const role of ['viewer', 'agent'] as const) {
      const refused = await door.ask(path, { method: 'POST', token: door.tokens[role] });
      expect(refused.status, role).toBe(403);
    }
    const missing = await door.ask('/v1/audit/none/replay', { method: 'POST', token });
    expect(missing.json.error.code).toBe('NOT_FOUND');
  });

  it('show the figures of calls, in total, over time, and by tool, source or caller', async () => {
    const door = await open();
    const token = door.tokens.viewer;
    await execute(door, 'other', { body: { input: {} } });
    await execute(door, 'failing', { body: { input: {} } });
    const all = await door.ask('/v1/metrics?step=hour', { token });
    expect(all.json.total).toMatchObject({ calls: 2, errorRate: 0.5, byCode: { LOCK: 1 } });
    expect(all.json.points).toMatchObject([{ calls: 2 }]);
    const one = await door.ask('/v1/metrics?tool=failing', { token });
    expect(one.json.total).toMatchObject({ calls: 1, errorRate: 1 });
    const lines = await door.ask('/v1/metrics/source?limit=5', { token });
    expect(lines.json.lines).toMatchObject([{ name: 'custom', calls: 2 }]);
    for (const bad of ['/v1/metrics?step=week', '/v1/metrics/overall', '/v1/metrics/tool?limit=0'])
      expect((await door.ask(bad, { token })).status).toBe(400);
    expect((await door.ask('/v1/metrics', { token: door.tokens.agent })).status).toBe(403);
  });
});
