/** What can be looked at and changed over HTTP besides calls. */
import { afterEach, describe, expect, it } from 'vitest';
import { openHttp, type TestHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';

let http: TestHttp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

const names = ({ json }: { json: { items: { name: string }[] } }) =>
  json.items.map(({ name }) => name);

describe('tools over HTTP', () => {
  const open = async (): Promise<TestHttp> => {
    http = await openHttp([
      aTool({ name: 'charlie', tags: ['x'] }),
      aTool({ name: 'alpha', description: 'Counts words.' }),
      aTool({ name: 'bravo', tier: 'write', documentation: 'Long text.' }),
      aTool({ name: 'bravo', tier: 'write', version: '2.0.0' }),
    ]);
    return http;
  };

  it('show their metadata to viewers, and not to agents', async () => {
    const { ask, tokens } = await open();
    await ask('/v1/tools/alpha/execute', {
      ...{ method: 'POST', token: tokens.operator, body: { input: {} } },
    });
    const told = await ask('/v1/tools/alpha/metadata', { token: tokens.viewer });
    expect(told.status).toBe(200);
    expect(told.json).toMatchObject({
      name: 'alpha',
      usage: { count: 1, errors: 0, lastUsed: expect.any(Number) },
      performance: { calls: 1, resourceUtilization: { cpuMs: 0, peakMemoryBytes: 0 } },
    });
    const later = `/v1/tools/alpha/metadata?from=${Date.now() + 3_600_000 * 24}`;
    expect((await ask(later, { token: tokens.viewer })).json.performance.calls).toBe(0);
    expect((await ask('/v1/tools/alpha/metadata', { token: tokens.agent })).status).toBe(403);
    expect((await ask('/v1/tools/nobody/metadata', { token: tokens.viewer })).status).toBe(404);
  });

  it('are listed by name, filtered, in pages', async () => {
    const { ask, tokens } = await open();
    const token = tokens.viewer;
    const first = await ask('/v1/tools?limit=2', { token });
    expect(names(first)).toEqual(['alpha', 'bravo']);
    const second = await ask(`/v1/tools?limit=2&cursor=${first.json.next}`, { token });
    expect(names(second)).toEqual(['charlie']);
    expect(second.json.next).toBeUndefined();
    expect(names(await ask('/v1/tools?tier=write', { token }))).toEqual(['bravo']);
    expect(names(await ask('/v1/tools?q=WORDS', { token }))).toEqual(['alpha']);
    expect(names(await ask('/v1/tools?tag=x', { token }))).toEqual(['charlie']);
    expect(names(await ask('/v1/tools?enabled=false', { token }))).toEqual([]);
    expect((await ask('/v1/tools?limit=201', { token })).status).toBe(400);
    const found = await ask('/v1/tools/search?q=words', { token });
    expect(found.json.items[0]).toMatchObject({ tool: { name: 'alpha' } });
  });

  it('are not sent again to a client with their ETag', async () => {
    const { ask, tokens, crib } = await open();
    const token = tokens.viewer;
    for (const path of ['/v1/tools', '/v1/tools/alpha', '/openapi.json']) {
      const etag = (await ask(path, { token })).headers.get('etag') ?? '';
      const headers = { 'if-none-match': `W/${etag}` };
      const again = await ask(path, { token, headers });
      expect([again.status, again.text]).toEqual([304, '']);
    }
    const etag = (await ask('/v1/tools', { token })).headers.get('etag') ?? '';
    crib.tools.setEnabled('alpha', false);
    const changed = await ask('/v1/tools', { token, headers: { 'if-none-match': etag } });
    expect(changed.status).toBe(200);
  });

  it('are shown in full, switched off and on, and listed by version', async () => {
    const { ask, tokens } = await open();
    const token = tokens.operator;
    const bravo = await ask('/v1/tools/bravo', { token });
    expect(bravo.json).toMatchObject({ name: 'bravo', input: { type: 'object' }, enabled: true });
    expect(bravo.json.versions).toHaveLength(2);
    expect(bravo.json.tokens).toBeGreaterThan(0);
    const patch = (body: object) => ask('/v1/tools/bravo', { method: 'PATCH', token, body });
    const old = await patch({ activeVersion: '1.0.0', enabled: false });
    expect(old.json).toMatchObject({ version: '1.0.0', enabled: false });
    expect((await patch({ activeVersion: '9.9.9' })).status).toBe(404);
    const call = await ask('/v1/tools/bravo/execute', {
      method: 'POST',
      token,
      body: { input: {} },
    });
    expect([call.status, call.json.error.code]).toEqual([403, 'TOOL_DISABLED']);
    expect((await ask('/v1/tools/brvo', { token })).json.error.suggestions[0]).toContain('bravo');
  });
});

describe('grants over HTTP', () => {
  it('are created, listed and revoked under the name of the person who granted them', async () => {
    http = await openHttp([aTool()]);
    const { ask, tokens } = http;
    const token = tokens.admin;
    const grant = {
      subject: { user: 'u' },
      resource: 'tool:echo',
      actions: ['*'],
      skipsApproval: true,
    };
    const given = await ask('/v1/permissions', { method: 'POST', token, body: grant });
    expect([given.status, given.json.by]).toEqual([201, 'token:admin']);
    const forged = { ...grant, by: 'somebody' };
    expect((await ask('/v1/permissions', { method: 'POST', token, body: forged })).status).toBe(
      400,
    );
    const bad = { ...grant, condition: 'this is not CEL (' };
    expect((await ask('/v1/permissions', { method: 'POST', token, body: bad })).status).toBe(400);
    const listed = await ask('/v1/permissions', { token: tokens.viewer });
    expect(listed.json.items).toMatchObject([{ id: given.json.id }]);
    expect(listed.text).not.toContain('seal');
    const path = `/v1/permissions/${given.json.id}`;
    expect((await ask(path, { method: 'DELETE', token })).json).toEqual({ revoked: true });
    expect((await ask(path, { method: 'DELETE', token })).status).toBe(404);
  });
});

describe('the other routes', () => {
  it('policy, usage, servers, settings and health answer', async () => {
    http = await openHttp([aTool({ tier: 'execute' })], {
      readiness: async () => [{ name: 'store', ok: false, detail: 'It is closed.' }],
    });
    const { ask, tokens } = http;
    const token = tokens.admin;
    expect((await ask('/v1/policy', { token })).json.rules).toHaveLength(1);
    const body = { tool: 'echo', input: {} };
    const explained = await ask('/v1/policy/explain', { method: 'POST', token, body });
    expect(explained.json.verdict).toMatchObject({ effect: 'ask', rule: 'tier-3-execute' });
    expect((await ask('/v1/policy/shadow', { token })).json).toEqual({ items: [] });
    expect((await ask('/v1/usage', { token })).json.lines).toEqual([]);
    expect((await ask('/v1/usage?period=yesterday', { token })).status).toBe(400);
    expect((await ask('/v1/servers', { token })).json).toEqual({ items: [] });
    expect((await ask('/v1/servers/none/logs', { token })).status).toBe(404);
    const settings = await ask('/v1/settings', { token });
    expect(settings.json).toMatchObject({ version: '0.0.0-test', store: 'memory' });
    const ready = await ask('/readyz');
    expect([ready.status, ready.json.ready]).toEqual([503, false]);
    expect((await ask('/healthz')).json).toEqual({ status: 'ok', version: '0.0.0-test' });
  });

  it('findings of rules in shadow mode are listed, newest first', async () => {
    http = await openHttp([aTool()]);
    const { ask, tokens, crib } = http;
    const findings = [{ rule: 'r', effect: 'deny' as const, reason: 'no' }];
    crib.events.emit('policy.shadowed', { executionId: 'e1', tool: 'echo', findings });
    await crib.runtime.advance(1);
    crib.events.emit('policy.shadowed', { executionId: 'e2', tool: 'echo', findings });
    const { json } = await ask('/v1/policy/shadow', { token: tokens.viewer });
    expect(json.items.map((each: { executionId: string }) => each.executionId)).toEqual([
      'e2',
      'e1',
    ]);
  });

  it('metrics need no token when a setting allows it', async () => {
    const metrics = () => new Response('up 1');
    http = await openHttp([], { metrics });
    expect((await http.ask('/metrics')).status).toBe(401);
    await http.close();
    http = await openHttp([], { metrics, openMetrics: true });
    expect((await http.ask('/metrics')).text).toBe('up 1');
  });
});
