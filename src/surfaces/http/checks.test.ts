/** Health over HTTP: who may look, who may check, and what strangers learn. */
import { afterEach, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';

let http: TestHttp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

const open = async (): Promise<TestHttp & { readonly mood: { healthy: boolean } }> => {
  const mood = { healthy: true };
  const healthCheck = async () => ({ ...mood, message: 'disk 1 of 2' });
  http = await openHttp([aTool({ healthCheck })]);
  return { ...http, mood };
};

describe('health over HTTP', () => {
  it('shows a viewer what was found last, and an operator checks anew', async () => {
    const { ask, tokens, mood } = await open();
    const { viewer, operator } = tokens;
    const empty = await ask('/v1/health', { token: viewer });
    expect(empty.json).toEqual({ checks: [], circuits: [], schedules: [] });
    const post = { method: 'POST', token: operator };
    const found = await ask('/v1/health/tool:echo/check', post);
    expect([found.status, found.json.subject, found.json.state]).toEqual([
      200,
      'tool:echo',
      'well',
    ]);
    mood.healthy = false;
    await ask('/v1/health/echo/check', post);
    const latest = await ask('/v1/health', { token: viewer });
    expect(latest.json).toMatchObject({ healthy: false, ready: true });
    const one = await ask('/v1/health/tool%3Aecho', { token: viewer });
    expect(one.json).toMatchObject({ last: { state: 'unwell' }, circuit: { state: 'closed' } });
    const { json } = await ask('/v1/health/tool%3Aecho/history', { token: viewer });
    expect(json.changes.map(({ state }: { state: string }) => state)).toEqual(['unwell', 'well']);
  });

  it('checks everything for an operator, and refuses a viewer and an agent', async () => {
    const { ask, tokens } = await open();
    for (const token of [tokens.viewer, tokens.agent]) {
      const refused = await ask('/v1/health/check', { method: 'POST', token });
      expect(refused.status).toBe(403);
    }
    expect((await ask('/v1/health', { token: tokens.agent })).status).toBe(403);
    const all = await ask('/v1/health/check', { method: 'POST', token: tokens.operator });
    expect(all.json.checks.map(({ subject }: { subject: string }) => subject)).toContain('store');
  }, 60_000);

  it('answers 404 for a subject that is not there', async () => {
    const { ask, tokens } = await open();
    for (const path of ['/v1/health/nobody', '/v1/health/server%3Ax/history']) {
      expect((await ask(path, { token: tokens.viewer })).status).toBe(404);
    }
  });

  it('threat: a stranger learns nothing but whether the server is ready', async () => {
    const { ask } = await open();
    expect((await ask('/v1/health')).status).toBe(401);
    const ready = await ask('/readyz');
    expect(ready.status).toBe(200);
    expect(ready.text).not.toMatch(/echo|disk|sqlite|memory/);
  });
});
