import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { someSettings } from '../../../../test/fixtures/mcp-servers/some-servers.ts';
import { createRuntime } from '../../../crib/create-runtime.ts';
import { type Connection, connectServer } from '../connect-server.ts';
import type { McpDeps } from '../server-settings.ts';
import { createStderrTail } from '../stdio/stderr-tail.ts';
import { createWatchdog } from '../stdio/watchdog.ts';
import { type CallTool, throughSdk } from './call-tool.ts';
import type { CallWatch } from './direct-calls.ts';

/** Answers `say` with what it is told to, a call that brings answers with these, and `seen` with all calls. */
const SERVER = `
  const isModern = process.argv[1] === 'modern';
  const send = (m) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...m }) + '\\n');
  const whole = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
  const reply = (id, result) => send({ id, result: isModern ? { ...result, ...whole } : result });
  const text = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
  const capabilities = { tools: {} };
  const seen = [];
  const METHODS = {
    ...(isModern
      ? { 'server/discover': (id) => reply(id, { supportedVersions: ['2026-07-28'], capabilities }) }
      : {
          initialize: (id, { protocolVersion }) =>
            reply(id, { protocolVersion, capabilities, serverInfo: { name: 'x', version: '1' } }),
        }),
    'tools/call': (id, params) => {
      if (params.name === 'seen') return reply(id, text(seen.splice(0)));
      seen.push(params);
      if (params.inputResponses) return reply(id, text(params.inputResponses));
      send({ id, ...params.arguments.response });
    },
  };
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined || method === undefined) return;
    if (METHODS[method]) METHODS[method](id, params);
    else send({ id, error: { code: -32601, message: 'Method not found' } });
  });
  process.stdin.on('end', () => process.exit(0));
`;

type Era = 'legacy' | 'modern';
const ERAS: readonly Era[] = ['legacy', 'modern'];
const opened: Connection[] = [];
const watchdog = createWatchdog(process.platform);

afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ client }) => client.close()));
});

const connect = async (era: Era, deps: Partial<McpDeps> = {}) => {
  const settings = someSettings({ args: ['-e', SERVER, era] });
  const connection = await connectServer(
    settings,
    {
      runtime: createRuntime(),
      platform: process.platform,
      environment: process.env,
      root: tmpdir(),
      clientVersion: '1.2.3',
      secret: async () => undefined,
      redact: (text) => text,
      nameKind: () => 'plain',
      fetchFor: () => fetch,
      webSocketFor: () => Promise.reject(new Error('There is no WebSocket here.')),
      ...deps,
    },
    {
      watchdog,
      mark: randomUUID(),
      tail: createStderrTail((text) => text),
      onGarbage: () => undefined,
      onToolsChanged: () => undefined,
      onListChanged: () => undefined,
      onResourceUpdated: () => undefined,
      onClosed: () => undefined,
    },
  );
  opened.push(connection);
  expect(connection.isModern).toBe(era === 'modern');
  const ways = [connection.callTool, throughSdk(connection.client, settings)] as const;
  return { connection, ways };
};

const watch = (parts: Partial<CallWatch> = {}): CallWatch => ({
  signal: new AbortController().signal,
  onProgress: () => undefined,
  ...parts,
});

const say = (call: CallTool, response: object, parts: Partial<CallWatch> = {}) =>
  call({ name: 'say', arguments: { response } }, watch(parts));

const seenBy = async (call: CallTool): Promise<readonly Record<string, unknown>[]> => {
  const { content } = await call({ name: 'seen', arguments: {} }, watch());
  const [block] = content;
  return JSON.parse(block?.type === 'text' ? block.text : '');
};

/** All that anybody can tell of how a call ended. */
const outcome = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return { value: await call };
  } catch (error) {
    const { name, message, code } = error as Error & { code?: unknown };
    return { name, message, code };
  }
};

const text = (value: unknown) => ({ type: 'text', text: value });
const complete = (era: Era, result: object) => ({
  result: { ...result, ...(era === 'modern' && { resultType: 'complete' }) },
});

const RESULTS: readonly (readonly [string, object])[] = [
  ['rich', { content: [text('a'), { type: 'image', data: 'AA==', mimeType: 'image/png' }] }],
  ['annotated', { content: [{ ...text('a'), annotations: { priority: 1 }, more: 1 }] }],
  ['without content', {}],
  ['of another kind', { task: { taskId: '1' } }],
  ['with content that is none', { content: [{ type: 'text' }] }],
  ['with data that is none', { content: [], structuredContent: 'text' }],
  ['with a key that is none', { content: [], structuredContent: JSON.parse('{"__proto__":1}') }],
  ['with a flag that is none', { content: [], isError: 'yes' }],
];

describe.each(ERAS)('a call over a pipe, in the %s era', (era) => {
  it('gives what it gives through the SDK where the result is plain', async () => {
    const { ways } = await connect(era);
    const [directCalls, sdk] = ways;
    const result = { content: [text('a')], structuredContent: { a: 1 }, isError: true };
    expect(await say(directCalls, complete(era, result))).toMatchObject(result);
    expect(await say(sdk, complete(era, result))).toMatchObject(result);
  });

  it('says of the client what the SDK says', async () => {
    const { ways } = await connect(era, {});
    const [directCalls, sdk] = ways;
    const done = complete(era, { content: [] });
    await say(directCalls, done);
    await say(sdk, done);
    const [ours, theirs] = await seenBy(directCalls);
    const token = { progressToken: expect.any(Number) };
    const meta = { ...(theirs?._meta as object), ...token };
    expect(ours).toEqual({ ...theirs, _meta: meta });
    expect(Object.keys(meta)).toHaveLength(era === 'modern' ? 4 : 1);
  });

  it.each(RESULTS)('ends as through the SDK with a result %s, sent once', async (_, result) => {
    const { ways } = await connect(era);
    const [directCalls, sdk] = ways;
    const ours = await outcome(say(directCalls, complete(era, result)));
    expect(await seenBy(directCalls)).toHaveLength(1);
    expect(ours).toEqual(await outcome(say(sdk, complete(era, result))));
  });

  it('ends as through the SDK with an error, and with a result that names no kind or a wrong one', async () => {
    const { ways } = await connect(era);
    const [directCalls, sdk] = ways;
    const odd = [
      { error: { code: -32_602, message: 'no', data: { more: 1 } } },
      { result: { content: [], ...(era === 'legacy' && { resultType: 'complete' }) } },
      { result: { content: [], resultType: 'odd' } },
      { result: { content: [], resultType: 1 } },
    ];
    for (const response of odd) {
      const ours = await outcome(say(directCalls, response));
      expect(ours).toEqual(await outcome(say(sdk, response)));
    }
    expect(await outcome(say(directCalls, odd[0] ?? {}))).toMatchObject({ name: 'ProtocolError' });
  });

  it('waits as with the SDK when the answer is in no frame', async () => {
    const { ways } = await connect(era);
    for (const call of ways) {
      const stop = new AbortController();
      const response = { ...complete(era, { content: [] }), more: 1 };
      const waiting = say(call, response, { signal: stop.signal });
      await seenBy(ways[0]);
      stop.abort('late');
      await expect(waiting).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT', message: 'late' });
    }
  });

  it('is no flood, however many get their answer', async () => {
    // The window in which messages are counted never ends.
    const { ways } = await connect(era, { runtime: createRuntime({ elapsed: () => 0 }) });
    const response = complete(era, { content: [] });
    for (let round = 0; round < 42; round++) {
      await Promise.all(Array.from({ length: 500 }, () => say(ways[0], response)));
    }
    expect(await say(ways[0], response)).toMatchObject({ content: [] });
  });
});

describe('a question of a server in its answer', () => {
  it('is put to a person, and the call goes on with what they said', async () => {
    const elicit = vi.fn(async () => ({ action: 'accept' as const, content: { name: 'me' } }));
    const { ways } = await connect('modern', { elicit });
    const params = {
      mode: 'form',
      message: 'Who is it?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    };
    const response = {
      result: {
        resultType: 'input_required',
        inputRequests: { who: { method: 'elicitation/create', params } },
        requestState: 'state',
      },
    };
    const said = { action: 'accept', content: { name: 'me' } };
    for (const call of ways) {
      const { content } = await say(call, response);
      expect(content).toEqual([text(JSON.stringify({ who: said }))]);
      expect(await seenBy(ways[0])).toMatchObject([
        { name: 'say', arguments: { response } },
        { name: 'say', arguments: { response }, requestState: 'state', inputResponses: {} },
      ]);
    }
    expect(elicit).toHaveBeenCalledTimes(2);
  });
});
