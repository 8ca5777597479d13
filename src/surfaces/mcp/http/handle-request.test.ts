/** The identity of a request over HTTP: calls are made as it, whatever the session began as. */
import { afterEach, describe, expect, it } from 'vitest';
import { openSurface, type TestSurface } from '../../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../../test/fixtures/test-crib.ts';
import { createSeal, toResponse } from '../../door/answer.ts';
import { fromWebRequest } from '../../door/http-request.ts';
import { securityHeaders } from '../../door/security-headers.ts';
import type { McpIdentity } from '../mcp-options.ts';

let open: TestSurface;
afterEach(() => open.close());

const RULES = [{ name: 'agents', effect: 'deny' as const, callers: { roles: ['agent'] } }];

const start = async (): Promise<void> => {
  const priced = aTool({ name: 'priced', cost: { model: 'usage_based', fixed: 1 } });
  open = await openSurface([aTool(), priced], {}, { policy: { version: 1, rules: RULES } });
};

const seal = createSeal(securityHeaders(false));

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const identity = (more: McpIdentity['caller'] = {}): McpIdentity => ({
  key: 'ada',
  caller: { userId: 'ada', roles: ['operator'], ...more },
});

const send = async (message: object, who: McpIdentity, session?: string): Promise<Response> => {
  const headers = { ...HEADERS, ...(session !== undefined && { 'mcp-session-id': session }) };
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const request = new Request('http://localhost/mcp', { method: 'POST', headers, body });
  return toResponse(seal(await open.surface.handle(fromWebRequest(request, ''), who)));
};

const initialize = async (who: McpIdentity): Promise<string> => {
  const clientInfo = { name: 'raw', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const response = await send({ id: 0, method: 'initialize', params }, who);
  await response.text();
  return String(response.headers.get('mcp-session-id'));
};

const call = async (name: string, who: McpIdentity, session: string): Promise<string> => {
  const params = { name, arguments: {} };
  return (await send({ id: 1, method: 'tools/call', params }, who, session)).text();
};

describe('a session of the 2025 protocols', () => {
  it.each<[string, McpIdentity['caller'], string]>([
    ['its role', { roles: ['agent'] }, 'PERMISSION_DENIED'],
    ['the tool on its list', { tools: ['echo'] }, 'PERMISSION_DENIED'],
    ['its dollars a day', { dailyUsd: 0.5 }, 'BUDGET_EXCEEDED'],
  ])(
    'threat: loses the rights that its client has lost since it was opened: %s',
    async (...given) => {
      const [, less, code] = given;
      await start();
      const session = await initialize(identity());
      expect(await call('priced', identity(), session)).toContain('success');
      expect(await call('priced', identity(less), session)).toContain(code);
      expect(await call('priced', identity(), session)).toContain('success');
      const rows = await (await open.crib.store()).audit.query({ kind: 'outcome' });
      expect(rows.map((row) => row.code)).toEqual(['', code, '']);
    },
  );

  it('threat: is not found by a client with another key', async () => {
    await start();
    const session = await initialize(identity());
    const other = { ...identity(), key: 'bob' };
    const ping = { id: 1, method: 'ping' };
    expect((await send(ping, other, session)).status).toBe(404);
    expect((await send(ping, identity(), session)).status).toBe(200);
  });
});
