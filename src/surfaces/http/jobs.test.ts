/** Jobs over HTTP: added, listed in pages, looked at, cancelled, requeued, removed and scheduled. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { Role } from '../../contract/tokens.ts';

let http: TestHttp;
beforeAll(async () => {
  http = await openHttp([aTool(), aTool({ name: 'risky', tier: 'execute' })], {
    limits: { bodyBytes: 4096, failedAttempts: 1e9 },
  });
});
afterAll(() => http.close());

const as = (role: Role, path: string, options: object = {}) =>
  http.ask(path, { token: http.tokens[role], ...options });
const post = (path: string, body: unknown, role: Role = 'agent', headers = {}) =>
  as(role, path, { method: 'POST', body, headers });
const ECHO = { tool: 'echo', input: { text: 'hi' } };
const add = async (more: object = {}): Promise<string> => {
  const { json } = await post('/v1/jobs', { type: 'tool', payload: ECHO, delayMs: 1e8, ...more });
  return json.id;
};

describe('POST /v1/jobs', () => {
  it('adds a job that runs as the holder of the token and shows its result', async () => {
    const added = await post('/v1/jobs', { type: 'tool', payload: ECHO });
    expect(added).toMatchObject({ status: 201, json: { state: 'waiting', type: 'tool' } });
    const workers = await http.crib.jobs.work({ queues: ['default'] });
    const look = async () => (await as('agent', `/v1/jobs/${added.json.id}`)).json;
    await expect.poll(async () => (await look()).state, { timeout: 20_000 }).toBe('completed');
    await workers.close();
    expect(await look()).toMatchObject({
      caller: { userId: 'token:agent' },
      payload: ECHO,
      result: { text: 'hi' },
      attempts: 1,
    });
    expect(JSON.stringify(await look())).not.toMatch(/"(seal|permissions|backoff)"/);
  });

  it('shows which question a job waits for', async () => {
    const added = await post('/v1/jobs', { type: 'tool', payload: { tool: 'risky' } });
    const workers = await http.crib.jobs.work({ queues: ['default'] });
    const look = async () => (await as('agent', `/v1/jobs/${added.json.id}`)).json.waitsFor;
    await expect.poll(look, { timeout: 20_000 }).toHaveLength(1);
    const [question] = await http.crib.approvals.list();
    expect(await look()).toEqual([`approval:${question?.id}`]);
    await workers.close();
    expect((await post(`/v1/jobs/${added.json.id}/cancel`, {})).status).toBe(200);
    expect(await look()).toBeUndefined();
  });

  it('joins the trace of the request, and shows only its id', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    const body = { type: 'tool', payload: ECHO, delayMs: 1e8 };
    const { json } = await post('/v1/jobs', body, 'agent', { traceparent });
    expect((await http.crib.jobs.get(json.id))?.trace).toEqual({ traceparent });
    expect(json.traceId).toBe(traceId);
    expect(json).not.toHaveProperty('trace');
  });

  it('threat: a malformed trace is ignored', async () => {
    const body = { type: 'tool', payload: ECHO, delayMs: 1e8 };
    const added = await post('/v1/jobs', body, 'agent', { traceparent: '00-zz-zz-01' });
    expect(added.status).toBe(201);
    expect(await http.crib.jobs.get(added.json.id)).not.toHaveProperty('trace');
  });

  it('gives the same job for the same key, and CONFLICT for another payload', async () => {
    const key = { 'idempotency-key': 'monday' };
    const body = { type: 'tool', payload: ECHO, delayMs: 1e8 };
    const first = await post('/v1/jobs', body, 'agent', key);
    expect((await post('/v1/jobs', body, 'agent', key)).json.id).toBe(first.json.id);
    const other = { ...body, payload: { tool: 'echo', input: {} } };
    expect((await post('/v1/jobs', other, 'agent', key)).status).toBe(409);
    expect((await post('/v1/jobs', body, 'operator', key)).json.id).not.toBe(first.json.id);
  });

  it('answers with the added job where reading it answers nothing yet, so that no client adds it twice', async () => {
    const reading = vi.spyOn(http.crib.jobs, 'get').mockResolvedValue(undefined);
    const added = await post('/v1/jobs', { type: 'tool', payload: ECHO, delayMs: 1e8 });
    reading.mockRestore();
    expect(added.status).toBe(201);
    expect(added.json).toEqual((await as('agent', `/v1/jobs/${added.json.id}`)).json);
  });

  it('names the field that was meant by a misspelt one', async () => {
    const { status, json } = await post('/v1/jobs', { type: 'tool', payload: ECHO, delay: 5 });
    expect([status, json.error.issues]).toEqual([
      400,
      [{ path: ['delay'], message: 'is not known; did you mean delayMs?' }],
    ]);
  });

  it.each([
    ['an unknown type', { type: 'nothing', payload: {} }, 404],
    ['an unknown field', { type: 'tool', payload: ECHO, userId: 'root' }, 400],
    ['a negative delay', { type: 'tool', payload: ECHO, delayMs: -1 }, 400],
    ['too many retries', { type: 'tool', payload: ECHO, retries: 1e6 }, 400],
    ['a payload that does not fit its type', { type: 'tool', payload: { input: 1 } }, 400],
    ['a body that is too large', { type: 'tool', payload: 'x'.repeat(5000) }, 413],
  ])('hostile: refuses %s', async (_, body, status) => {
    expect((await post('/v1/jobs', body)).status).toBe(status);
  });
});

describe('a type of job with a handler of the program', () => {
  it('threat: is not added or scheduled by an agent unless the program opens it to agents', async () => {
    http.crib.jobs.register('refund', () => 'paid', { queue: 'refunds' });
    http.crib.jobs.register('digest', () => 'sent', { queue: 'refunds', openToAgents: true });
    const statusOf = async (type: string, role: Role) =>
      (await post('/v1/jobs', { type, payload: {} }, role)).status;
    expect(await statusOf('refund', 'agent')).toBe(403);
    expect(await statusOf('refund', 'operator')).toBe(201);
    expect(await statusOf('digest', 'agent')).toBe(201);
    const schedule = { cron: '30 4 * * *', type: 'refund', payload: {} };
    expect((await post('/v1/jobs/schedules/refunds', schedule)).status).toBe(403);
  });

  it('is added by an agent whose token names it', async () => {
    http.crib.jobs.register('invoice', () => 'sent', { queue: 'refunds' });
    const tools = ['job:invoice'];
    const made = await post('/v1/tokens', { name: 'invoicer', role: 'agent', tools }, 'admin');
    const send = (type: string) => {
      const body = { type, payload: {} };
      return http.ask('/v1/jobs', { token: made.json.token, method: 'POST', body });
    };
    expect((await send('invoice')).status).toBe(201);
    expect((await send('refund')).status).toBe(403);
  });
});

describe('GET /v1/jobs', () => {
  it('lists jobs in pages, newest first, and loses none of one moment', async () => {
    const added = [await add(), await add(), await add()];
    const first = (await as('agent', '/v1/jobs?state=delayed&limit=2')).json;
    const rest = (await as('agent', `/v1/jobs?state=delayed&limit=200&cursor=${first.next}`)).json;
    const ids = [...first.items, ...rest.items].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(added));
  });

  it('shows each job with a key once, though the order of ids is not that of the list', async () => {
    const now = vi.spyOn(http.crib.runtime, 'now').mockReturnValue(http.crib.runtime.now());
    const keys = Array.from({ length: 9 }, (_, n) => `key-${n}`);
    const added = await Promise.all(
      keys.map((idempotencyKey) => add({ idempotencyKey, priority: 9 })),
    );
    now.mockRestore();
    const ids: string[] = [];
    for (let next = ''; ; ) {
      const { json } = await as('agent', `/v1/jobs?state=delayed&limit=4${next}`);
      ids.push(...json.items.map(({ id }: { id: string }) => id));
      if (json.next === undefined) break;
      next = `&cursor=${json.next}`;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(added));
  });

  it('counts the jobs of each queue for callers that may read everything', async () => {
    expect((await as('viewer', '/v1/jobs/queues')).json.items).toContainEqual(
      expect.objectContaining({ queue: 'default', dead: 0 }),
    );
    expect((await as('agent', '/v1/jobs/queues')).status).toBe(403);
  });
});

describe('a job', () => {
  it('is cancelled, put back and removed, and says when that is not possible', async () => {
    const id = await add();
    expect((await post(`/v1/jobs/${id}/requeue`, undefined)).status).toBe(409);
    expect((await post(`/v1/jobs/${id}/cancel`, undefined)).status).toBe(200);
    expect((await post(`/v1/jobs/${id}/cancel`, undefined)).status).toBe(409);
    expect((await post(`/v1/jobs/${id}/requeue`, undefined)).status).toBe(200);
    expect((await as('agent', `/v1/jobs/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await as('agent', `/v1/jobs/${id}`)).status).toBe(404);
  });

  it('threat: of another user does not exist, but for admins; viewers see no content', async () => {
    const id = await add();
    expect((await as('operator', `/v1/jobs/${id}`)).status).toBe(404);
    expect((await post(`/v1/jobs/${id}/cancel`, undefined, 'operator')).status).toBe(404);
    expect((await as('operator', '/v1/jobs?user=token:agent')).json.items).toEqual([]);
    const seen = (await as('viewer', `/v1/jobs/${id}`)).json;
    expect(seen).toMatchObject({ id, withheld: true });
    expect(seen).not.toHaveProperty('payload');
    expect((await post(`/v1/jobs/${id}/cancel`, undefined, 'viewer')).status).toBe(403);
    expect((await as('admin', `/v1/jobs/${id}`)).json).toMatchObject({ payload: ECHO });
  });

  it('threat: an error that names what a job was given is shown to a viewer by its code alone', async () => {
    http.crib.jobs.register(
      'picky',
      async ({ payload }) => {
        throw new Error(`private ${JSON.stringify(payload)}`);
      },
      { openToAgents: true, queue: 'picky' },
    );
    const { json } = await post('/v1/jobs', { type: 'picky', payload: 'canary', retries: 0 });
    const workers = await http.crib.jobs.work({ queues: ['picky'] });
    const look = (role: Role) => as(role, `/v1/jobs/${json.id}`);
    await expect.poll(async () => (await look('agent')).json.state).toBe('dead');
    await workers.close();
    const { json: seen, text } = await look('viewer');
    expect(seen).toMatchObject({ withheld: true, error: { code: 'EXECUTION_FAILED' } });
    expect(text).not.toContain('canary');
    expect((await look('agent')).text).toContain('canary');
  });

  it('threat: a run id that a token chooses neither takes nor shows one of the program or another token', async () => {
    http.crib.flows.register({ name: 'quick', version: '1.0.0', run: async () => 'over' });
    await http.crib.flows.start('quick', {}, { runId: 'nightly' });
    const start = async (runId: string, role: Role): Promise<string> => {
      const payload = { flow: 'quick', runId };
      const { json } = await post('/v1/jobs', { type: 'flow', payload, retries: 0 }, role);
      const look = async () => (await as(role, `/v1/jobs/${json.id}`)).json;
      await expect.poll(async () => (await look()).state).toBe('completed');
      return (await look()).result.runId;
    };
    const workers = await http.crib.jobs.work({ queues: ['default'] });
    const taken = await start('nightly', 'agent');
    const free = await start('weekly', 'agent');
    const again = await start('weekly', 'agent');
    const others = await start('weekly', 'operator');
    await workers.close();
    expect(again).toBe(free);
    expect(new Set([taken, free, others, 'nightly', 'weekly']).size).toBe(5);
    const own = await http.crib.flows.start('quick', {}, { runId: 'weekly' });
    expect(own.runId).toBe('weekly');
  });

  it('threat: of a token that was revoked since does not run', async () => {
    const made = await post('/v1/tokens', { name: 'brief', role: 'agent' }, 'admin');
    const body = { type: 'tool', payload: ECHO };
    const added = await http.ask('/v1/jobs', { token: made.json.token, method: 'POST', body });
    expect(added.status).toBe(201);
    await as('admin', `/v1/tokens/${made.json.id}`, { method: 'DELETE' });
    const workers = await http.crib.jobs.work({ queues: ['default'] });
    const look = async () => (await as('admin', `/v1/jobs/${added.json.id}`)).json;
    await expect.poll(async () => (await look()).state, { timeout: 20_000 }).toBe('dead');
    await workers.close();
    expect((await look()).error).toMatchObject({ code: 'PERMISSION_DENIED' });
  });
});

describe('a schedule', () => {
  const body = { cron: '30 4 * * *', timeZone: 'Europe/Berlin', type: 'tool', payload: ECHO };

  it('is set, listed and removed by its own user', async () => {
    const set = await post('/v1/jobs/schedules/nightly', body);
    expect(set).toMatchObject({ status: 200, json: { id: 'nightly', cron: '30 4 * * *' } });
    expect((await as('agent', '/v1/jobs/schedules')).json.items).toMatchObject([
      { id: 'nightly', payload: ECHO, timeZone: 'Europe/Berlin' },
    ]);
    const remove = () => as('agent', '/v1/jobs/schedules/nightly', { method: 'DELETE' });
    expect((await remove()).status).toBe(200);
    expect((await remove()).status).toBe(404);
  });

  it('threat: of another user is neither seen, changed nor removed', async () => {
    await post('/v1/jobs/schedules/mine', body);
    expect((await as('operator', '/v1/jobs/schedules')).json.items).toEqual([]);
    expect((await post('/v1/jobs/schedules/mine', body, 'operator')).status).toBe(403);
    const removed = await as('operator', '/v1/jobs/schedules/mine', { method: 'DELETE' });
    expect(removed.status).toBe(404);
    const [seen] = (await as('viewer', '/v1/jobs/schedules')).json.items;
    expect(seen).toMatchObject({ id: 'mine', withheld: true });
  });

  it.each([
    ['a NUL', 'nightly%00'],
    ['a line break', 'nightly%0Aforged'],
    ['an escape', '%1B%5B2J'],
    ['a mark that turns the text around', 'night%E2%80%AEly'],
  ])('hostile: refuses an id with %s', async (_, id) => {
    const refused = await post(`/v1/jobs/schedules/${id}`, body);
    expect(refused).toMatchObject({ status: 400, json: { error: { code: 'VALIDATION_ERROR' } } });
    expect((await as('agent', '/v1/jobs/schedules')).text).not.toContain('forged');
  });

  it('has an id of letters of any language, spaces and signs', async () => {
    const id = encodeURIComponent('Nachtlauf für 夜 @ 4:30');
    expect((await post(`/v1/jobs/schedules/${id}`, body)).status).toBe(200);
    expect((await as('agent', `/v1/jobs/schedules/${id}`, { method: 'DELETE' })).status).toBe(200);
  });

  it.each(['../x', 'a b', 'x:y', ''])(
    'hostile: refuses the queue "%s", as a job does',
    async (queue) => {
      const answers = [
        await post('/v1/jobs/schedules/other', { ...body, queue }),
        await post('/v1/jobs', { type: 'tool', payload: ECHO, queue }),
      ];
      for (const answer of answers) {
        expect(answer).toMatchObject({
          status: 400,
          json: { error: { code: 'VALIDATION_ERROR' } },
        });
      }
    },
  );

  it('hostile: refuses a pattern that makes no sense', async () => {
    const wrong = await post('/v1/jobs/schedules/wrong', { ...body, cron: 'every day' });
    expect(wrong).toMatchObject({ status: 400, json: { error: { code: 'VALIDATION_ERROR' } } });
  });
});
