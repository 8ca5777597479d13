/** Threat: a token reads, steers or forges runs of somebody else. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { defineFlow } from '../../contract/define-flow.ts';
import type { Role } from '../../contract/tokens.ts';
import { maySee } from './events/event-summaries.ts';

const waiter = defineFlow({
  name: 'waiter',
  version: '1.0.0',
  run: async (flow) => {
    await flow.call('echo', { secret: 'of the agent' });
    return flow.waitForEvent('paid');
  },
});

let http: TestHttp;
let id: string;
beforeAll(async () => {
  http = await openHttp([aTool()], { limits: { bodyBytes: 4096, failedAttempts: 1e9 } });
  http.crib.flows.register(waiter);
  const body = { input: { private: 'words' } };
  const started = await http.ask('/v1/flows/waiter/runs', {
    token: http.tokens.agent,
    method: 'POST',
    body,
  });
  id = started.json.id;
});
afterAll(() => http.close());

const as = (role: Role, path: string, body?: unknown) =>
  http.ask(path, {
    token: http.tokens[role],
    ...(body !== undefined && { method: 'POST', body }),
  });

const ACTIONS = [
  ['cancel', {}],
  ['resume', {}],
  ['send', { event: 'paid', payload: 'forged' }],
] as const;

describe('threat: the run of another user', () => {
  it('hostile: an operator gets the same answer as for a run that does not exist', async () => {
    expect((await as('operator', `/v1/flows/runs/${id}`)).status).toBe(404);
    expect((await as('operator', `/v1/flows/runs/${id}/graph`)).status).toBe(404);
    const { json } = await as('operator', '/v1/flows/runs');
    expect(json.items).toEqual([]);
    expect((await as('operator', '/v1/flows/runs?user=token:agent')).json.items).toEqual([]);
    const unknown = await as('operator', '/v1/flows/runs/nothing');
    expect(unknown.json.error.message).toBe(
      (await as('operator', `/v1/flows/runs/${id}`)).json.error.message,
    );
  });

  it('hostile: an agent cannot say what became of a call in doubt, and nobody of one that is in none', async () => {
    const path = `/v1/flows/runs/${id}/resume`;
    const settle = { step: '1', as: 'not_done' };
    expect((await as('agent', path, { settle })).status).toBe(403);
    expect((await as('admin', path, { settle })).status).toBe(409);
    expect((await as('admin', path, { settle: { ...settle, by: 'ada' } })).status).toBe(400);
  });

  it.each(ACTIONS)(
    'hostile: %s by an operator or a viewer changes nothing',
    async (action, body) => {
      const path = `/v1/flows/runs/${id}/${action}`;
      expect((await as('operator', path, body)).status).toBe(404);
      expect((await as('viewer', path, body)).status).toBe(403);
      const run = await http.crib.flows.get(id);
      expect(run?.status).not.toBe('cancelled');
      expect(run?.output).toBeUndefined();
    },
  );

  it('hostile: a viewer sees the state of the run, but neither its input nor its output', async () => {
    const { json, text } = await as('viewer', `/v1/flows/runs/${id}`);
    expect(json).toMatchObject({ withheld: true, flow: 'waiter' });
    expect(text).not.toMatch(/words|of the agent/);
    const listed = await as('viewer', '/v1/flows/runs');
    expect(listed.json.items).toHaveLength(1);
    expect(listed.text).not.toContain('words');
  });

  it('benign: an admin sees and can change all runs', async () => {
    const { json } = await as('admin', `/v1/flows/runs/${id}`);
    expect(json).toMatchObject({ input: { private: 'words' } });
    expect((await as('admin', `/v1/flows/runs/${id}/send`, { event: 'other' })).status).toBe(200);
  });

  it('hostile: its events go only to its caller, admins and viewers', () => {
    const event = { name: 'flow.changed', userId: 'agent' } as const;
    const sees = (role: Role, userId: string) => maySee({ role, userId }, event);
    expect(sees('operator', 'operator')).toBe(false);
    expect(sees('agent', 'other')).toBe(false);
    expect([sees('agent', 'agent'), sees('admin', 'x'), sees('viewer', 'x')]).toEqual(
      new Array(3).fill(true),
    );
  });
});

describe('threat: the word on a call in doubt', () => {
  const WORDS = [
    { step: '1', as: 'not_done' },
    { step: '1', as: 'done', data: 'forged' },
  ];

  it.each(['agent', 'operator', 'admin'] as const)(
    'hostile: the token of an %s cannot give it for its own run',
    async (role) => {
      const { json } = await as(role, '/v1/flows/waiter/runs', { input: {} });
      for (const settle of WORDS) {
        const path = `/v1/flows/runs/${json.id}/resume`;
        const { status, json: refusal } = await as(role, path, { settle });
        expect([status, refusal.error.code]).toEqual([403, 'PERMISSION_DENIED']);
      }
    },
  );

  it('benign: a person at the console gives it, also for a run of their own', async () => {
    const code = http.surface.issueCode({ user: 'ada', role: 'admin' });
    const login = await http.ask('/v1/session', { method: 'POST', body: { code } });
    const cookie = (login.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const headers = { cookie, 'x-toolcrib-csrf': login.json.csrf };
    const post = (path: string, body: unknown) => http.ask(path, { method: 'POST', body, headers });
    const { json } = await post('/v1/flows/waiter/runs', { input: {} });
    for (const settle of WORDS) {
      // No call is in doubt: the word is taken, and there is nothing to say it of.
      const { status } = await post(`/v1/flows/runs/${json.id}/resume`, { settle });
      expect(status).toBe(409);
    }
  });
});

describe('threat: the error of a run or a job that is withheld', () => {
  const picky = defineFlow({
    name: 'picky',
    version: '1.0.0',
    run: async (flow, input: { readonly word: string }) => {
      await flow.value('look', () => {
        throw new Error(`private ${input.word}`);
      });
    },
  });

  it('hostile: shows a viewer its code alone; its caller reads all of it', async () => {
    http.crib.flows.register(picky);
    const { json } = await as('agent', '/v1/flows/picky/runs', { input: { word: 'canary' } });
    const { status } = await http.crib.flows.finished(json.id);
    expect(status).toBe('failed');
    for (const path of [`/v1/flows/runs/${json.id}`, '/v1/flows/runs?flow=picky']) {
      expect((await as('viewer', path)).text).not.toContain('canary');
      expect((await as('agent', path)).text).toContain('private canary');
      expect((await as('admin', path)).text).toContain('private canary');
    }
    const { json: shown } = await as('viewer', `/v1/flows/runs/${json.id}`);
    expect(shown.error).toMatchObject({ code: 'EXECUTION_FAILED', message: expect.any(String) });
    expect(shown.steps).toMatchObject([{ error: { code: 'EXECUTION_FAILED' } }]);
  });
});

describe('threat: a hostile request to start a run', () => {
  const start = (body: unknown, headers: Record<string, string> = {}) =>
    http.ask('/v1/flows/waiter/runs', {
      token: http.tokens.agent,
      method: 'POST',
      body,
      headers,
    });

  it.each([
    ['a caller of its choice', { input: {}, userId: 'admin' }],
    ['an id of its choice', { input: {}, runId: 'mine' }],
    ['roles', { input: {}, roles: ['owner'] }],
    ['a version that is no text', { input: {}, version: 1 }],
    ['a key that is no text', { input: {}, idempotencyKey: { a: 1 } }],
    ['a list instead of an object', [1, 2]],
  ])('hostile: a request that names %s is refused', async (_what, body) => {
    expect((await start(body)).status).toBe(400);
  });

  it('hostile: an input above the size of a body is refused', async () => {
    expect((await start({ input: 'x'.repeat(5000) })).status).toBe(413);
  });

  it('hostile: different keys in header and body are refused', async () => {
    const answer = await start({ input: 1, idempotencyKey: 'a' }, { 'idempotency-key': 'b' });
    expect(answer.status).toBe(400);
  });

  it('hostile: a viewer cannot start a run', async () => {
    expect((await as('viewer', '/v1/flows/waiter/runs', { input: {} })).status).toBe(403);
  });

  it('hostile: a foreign cursor, an unknown filter and a limit out of bounds are refused', async () => {
    for (const query of ['cursor=abc', 'status=gone', 'limit=0', 'limit=100000', 'x=1']) {
      expect((await as('admin', `/v1/flows/runs?${query}`)).status).toBe(400);
    }
  });

  it('hostile: no run starts while the server drains', async () => {
    const other = await openHttp([aTool()]);
    other.crib.flows.register(waiter);
    other.surface.drain();
    const answer = await other.ask('/v1/flows/waiter/runs', {
      token: other.tokens.agent,
      method: 'POST',
      body: { input: {} },
    });
    expect(answer.status).toBe(503);
    await other.close();
  });
});

describe('threat: a token with a list of tools starts a flow that its list does not name', () => {
  const tokenFor = async (name: string, tools: readonly string[]) => {
    const made = await http.ask('/v1/tokens', {
      ...{ method: 'POST', token: http.tokens.admin },
      body: { name, role: 'agent', tools },
    });
    return made.json.token as string;
  };
  const start = async (token: string) =>
    http.ask('/v1/flows/waiter/runs', { method: 'POST', token, body: {} });

  it('hostile: no run is made, over HTTP and by a job', async () => {
    const token = await tokenFor('narrow', ['echo']);
    const { status, json } = await start(token);
    expect([status, json.error.code]).toEqual([403, 'PERMISSION_DENIED']);
    const job = await http.ask('/v1/jobs', {
      ...{ method: 'POST', token },
      body: { type: 'flow', payload: { flow: 'waiter' }, retries: 0 },
    });
    const workers = await http.crib.jobs.work();
    const stateOf = async () => (await http.crib.jobs.get(job.json.id))?.state;
    await expect.poll(stateOf).toBe('dead');
    await workers.close();
    const dead = await http.crib.jobs.get(job.json.id);
    expect(dead?.error?.code).toBe('PERMISSION_DENIED');
    expect(await http.crib.flows.list({ userId: 'token:narrow' })).toEqual([]);
  });

  it('benign: one that its list names as its tool is started', async () => {
    const { status } = await start(await tokenFor('named', ['echo', 'flow_waiter']));
    expect(status).toBe(201);
  });
});
