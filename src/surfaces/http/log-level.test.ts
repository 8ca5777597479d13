/** The level of a server's log over HTTP. */
import { afterEach, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import { LevelSwitch } from '../../observation/logs/level-switch.ts';

let http: TestHttp;
afterEach(() => http.close());

const open = async () => {
  http = await openHttp([aTool()], ({ runtime }) => ({
    logLevels: new LevelSwitch({ runtime, configured: 'warn' }),
  }));
  const put = (body: unknown, role: keyof TestHttp['tokens'] = 'admin') =>
    http.ask('/v1/log-level', { method: 'PUT', token: http.tokens[role], body });
  const level = async () =>
    (await http.ask('/v1/log-level', { token: http.tokens.viewer })).json.level as string;
  return { put, level };
};

describe('/v1/log-level', () => {
  it('an admin sets a level for a while, and it goes back by itself', async () => {
    const { put, level } = await open();
    const answer = await put({ level: 'debug', forMs: 600_000 });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      ...{ level: 'debug', configured: 'warn' },
      until: http.crib.runtime.now() + 600_000,
    });
    expect(await level()).toBe('debug');
    await http.crib.runtime.advance(600_000);
    expect(await level()).toBe('warn');
  });

  it.each(['viewer', 'agent', 'operator'] as const)(
    'a token of the role %s sets none',
    async (role) => {
      const { put, level } = await open();
      expect((await put({ level: 'silent' }, role)).status).toBe(403);
      expect(await level()).toBe('warn');
    },
  );

  it.each([{}, { level: 'loud' }, { level: 'debug', forMs: -1 }, { level: 'debug', more: 1 }])(
    'refuses %j',
    async (body) => {
      const { put } = await open();
      expect((await put(body)).status).toBe(400);
    },
  );

  it('the log names who silences it', async () => {
    const { put } = await open();
    await put({ level: 'silent' });
    expect(http.crib.runtime.logged).toContainEqual({
      ...{ level: 'error', message: 'the log is switched off' },
      fields: expect.objectContaining({ to: 'silent', callerId: expect.any(String) }),
    });
  });

  it('a call and a job over HTTP carry the id of their request as trace id', async () => {
    await open();
    const { agent: token } = http.tokens;
    const asked = { method: 'POST', token };
    const call = await http.ask('/v1/tools/echo/execute', { ...asked, body: { input: {} } });
    expect(call.json.metadata.traceId).toBe(call.headers.get('x-request-id'));
    const body = { type: 'tool', payload: { tool: 'echo', input: {} } };
    const added = await http.ask('/v1/jobs', { ...asked, body });
    const job = await http.crib.jobs.get(added.json.id as string);
    expect(job?.traceId).toBe(added.headers.get('x-request-id'));
  });
});
