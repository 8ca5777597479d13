/** The fault: after the signal to stop, open connections went on starting calls. */
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import { openHttp } from '../../../test/fixtures/http-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { HttpRequest } from '../door/http-request.ts';

const send = (url: string, token: string, init: { body: unknown; signal?: AbortSignal }) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(init.body),
    ...(init.signal && { signal: init.signal }),
  });

const setUp = async () => {
  let runs = 0;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const contexts: ToolContext[] = [];
  const count = aTool({ name: 'count', run: () => ++runs });
  const slow = aTool({
    name: 'slow',
    run: (async (_input: unknown, context: ToolContext) => {
      contexts.push(context);
      await held;
      return 'done';
    }) as never,
  });
  const http = await openHttp([count, slow], { randomBytes });
  const server = await http.surface.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    release();
    await server.close();
    await http.close();
  };
  return { http, server, close, release, contexts, runs: () => runs };
};

it('hostile: no call starts while the server drains, and the connection is closed', async () => {
  const { http, server, close, release, contexts, runs } = await setUp();
  const at = `${server.url}/v1/tools`;
  const { agent } = http.tokens;
  const underWay = send(`${at}/slow/execute`, agent, { body: { input: {} } });
  await eventually(() => expect(contexts).toHaveLength(1));
  http.surface.drain();
  for (const target of ['/v1/tools/count/execute', '/v1/process', '/mcp']) {
    const answer = await send(`${server.url}${target}`, agent, { body: { input: {} } });
    expect([answer.status, answer.headers.get('connection')]).toEqual([503, 'close']);
    await answer.text();
  }
  expect(runs()).toBe(0);
  release();
  expect((await underWay).status).toBe(200);
  const health = await fetch(`${server.url}/healthz`);
  expect([health.status, health.headers.get('connection')]).toEqual([200, 'close']);
  await close();
});

it('hostile: a client of /v1/process that goes away cancels its calls', async () => {
  const { http, server, close, contexts, runs } = await setUp();
  const controller = new AbortController();
  const calls = [
    { tool: 'slow', input: {} },
    { tool: 'count', input: {} },
  ];
  const body = { operation: 'execute_chain', calls };
  const sent = send(`${server.url}/v1/process`, http.tokens.agent, {
    body,
    signal: controller.signal,
  }).catch(() => 'gone');
  await eventually(() => expect(contexts).toHaveLength(1));
  controller.abort();
  expect(await sent).toBe('gone');
  await eventually(() => expect(contexts[0]?.signal.aborted).toBe(true));
  await pause(20);
  expect(runs()).toBe(0);
  await close();
});

it('a draining server takes answers to open questions at /mcp, and no new requests', async () => {
  const seen: unknown[] = [];
  const mcp = async (request: HttpRequest) => {
    const bytes = await request.bytes(10_000);
    seen.push(JSON.parse(Buffer.from(bytes ?? []).toString()));
    return new Response(null, { status: 202 });
  };
  const http = await openHttp([], { randomBytes, mcp });
  const server = await http.surface.listen({ host: '127.0.0.1', port: 0 });
  const statusOf = async (body: unknown, token = http.tokens.agent) => {
    const answer = await send(`${server.url}/mcp`, token, { body });
    await answer.text();
    return answer.status;
  };
  http.surface.drain();
  const answer = { jsonrpc: '2.0', id: 1, result: { action: 'accept' } };
  const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'count' } };
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: {} };
  const going = { ...call, params: { ...call.params, requestState: 'signed' } };
  const taken = [answer, cancelled, going, [answer, cancelled]];
  for (const body of taken) expect(await statusOf(body)).toBe(202);
  const refused = [call, [answer, call], [], {}, null, { ...call, method: 'initialize' }, 'x'];
  for (const body of refused) expect(await statusOf(body)).toBe(503);
  expect(await statusOf(answer, 'tc_wrong_token')).toBe(401);
  expect(seen).toEqual(taken);
  await server.close();
  await http.close();
});
