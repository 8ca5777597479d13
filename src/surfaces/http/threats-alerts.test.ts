/** Threats: over HTTP, somebody silences alerts, reads credentials of their actions, or has them call tools. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';

const URL_WITH_KEY = 'https://hooks.example.com/services/canary-path?key=canary-query';

let http: TestHttp;
let notes: unknown[];
beforeEach(async () => {
  notes = [];
  const note = aTool({ name: 'note', run: (input: unknown) => notes.push(input) });
  http = await openHttp([aTool(), note]);
  const as = { user: 'watch', permissions: ['tool:note'] };
  await http.crib.alerts.set({
    id: 'busy',
    when: 'calls >= 0',
    actions: [{ type: 'tool', tool: 'note', input: { api_key: 'canary-input' }, as }],
  });
  await http.crib.alerts.set({
    id: 'posted',
    when: 'calls < 0',
    actions: [
      { type: 'webhook', url: URL_WITH_KEY },
      { type: 'job', job: 'page', payload: { api_key: 'canary-payload' }, as },
    ],
  });
});
afterEach(() => http.close());

const CHANGES = [
  ['POST', '/v1/alerts/busy/silence', { forMs: 60_000 }],
  ['DELETE', '/v1/alerts/busy/silence', undefined],
  ['POST', '/v1/alerts/busy/test', {}],
] as const;

describe('alerts over HTTP', () => {
  it.each(CHANGES)('refuse agents and viewers: %s %s', async (method, path, body) => {
    for (const token of [http.tokens.agent, http.tokens.viewer]) {
      const sent = body === undefined ? {} : { body };
      expect((await http.ask(path, { method, token, ...sent })).status).toBe(403);
    }
    expect(notes).toEqual([]);
    expect((await http.crib.alerts.list())[0]?.silence).toBeUndefined();
  });

  it('show viewers neither addresses of webhooks nor what tools and jobs are given', async () => {
    const { tokens } = http;
    for (const path of ['/v1/alerts', '/v1/alerts/busy', '/v1/alerts/posted', '/v1/audit']) {
      const { status, text } = await http.ask(path, { token: tokens.viewer });
      expect(status).toBe(200);
      expect(text).not.toContain('canary');
    }
    const { json } = await http.ask('/v1/alerts/posted', { token: tokens.viewer });
    expect(json.definition.actions).toMatchObject([
      { type: 'webhook', url: 'https://hooks.example.com/…' },
      { type: 'job', job: 'page', as: { user: 'watch' } },
    ]);
  });

  it('let no limited token of an operator call a tool that is not on its list', async () => {
    const made = { name: 'few', role: 'operator', tools: ['echo'] };
    const { json } = await http.ask('/v1/tokens', {
      ...{ method: 'POST', token: http.tokens.admin, body: made },
    });
    const limited = { method: 'POST', token: json.token };
    const sent = await http.ask('/v1/alerts/busy/test', { ...limited, body: {} });
    expect([sent.status, notes]).toEqual([403, []]);
    const dry = await http.ask('/v1/alerts/busy/test', { ...limited, body: { deliver: false } });
    expect([dry.status, notes]).toEqual([200, []]);
    const whole = { method: 'POST', token: http.tokens.operator, body: {} };
    const test = await http.ask('/v1/alerts/busy/test', whole);
    expect([test.status, notes.length]).toEqual([200, 1]);
  });
});
