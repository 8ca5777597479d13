/** Sources whose definitions are read without their service: their test says whether that is there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readShopProto, startGrpcServer } from '../../../test/fixtures/grpc-server.ts';
import { oneOperation } from '../../../test/fixtures/openapi-source.ts';
import { openReplyServer } from '../../../test/fixtures/reply-server.ts';
import { ToolFailure } from '../../contract/errors.ts';
import { createCribHost } from '../create-crib.ts';

let root: string;
const opened: (() => unknown)[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'toolcrib-down-'));
});
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
  await rm(root, { recursive: true, force: true });
});

const testOf = async (kind: string, settings: object, secrets: Record<string, string> = {}) => {
  const crib = await createCribHost({
    builtins: false,
    store: 'memory',
    home: root,
    root,
    config: { registry: { lock: 'off' }, sources: { [kind]: { it: settings } } } as never,
    secrets: { get: async (key) => secrets[key] },
  });
  opened.push(() => crib.close());
  return crib.sources.test('it').then(
    ({ state }) => state,
    (error: unknown) => (error instanceof ToolFailure ? error.code : error),
  );
};

/** A web server that answers with a status, and its address. */
const answering = async (status: number, text = '') => {
  const server: Server = createServer((_request, response) => response.writeHead(status).end(text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** The address of a server that has stopped. */
const nobody = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
};

describe('the test of a source whose service is down', () => {
  it('n8n without discovery asks for its health', async () => {
    const workflows = { report: { webhookPath: 'a', description: 'Makes a report.' } };
    const up = await answering(200, '{"status":"ok"}');
    expect(await testOf('n8n', { baseUrl: up, workflows })).toBe('ready');
    expect(await testOf('n8n', { baseUrl: await nobody(), workflows })).toBe('NETWORK');
  });

  it('OpenAPI with a document in a file asks whether anything answers', async () => {
    await writeFile(join(root, 'api.json'), JSON.stringify(oneOperation({})));
    const document = 'api.json';
    expect(await testOf('openapi', { document, baseUrl: await answering(404) })).toBe('ready');
    const gateway = await answering(502);
    expect(await testOf('openapi', { document, baseUrl: gateway })).toBe('SERVER_ERROR');
    expect(await testOf('openapi', { document, baseUrl: await nobody() })).toBe('NETWORK');
  });

  it('GraphQL with a schema in a file asks whether anything answers', async () => {
    await writeFile(join(root, 'schema.graphql'), 'type Query { a: Int }');
    const schema = 'schema.graphql';
    expect(await testOf('graphql', { url: await answering(400), schema })).toBe('ready');
    expect(await testOf('graphql', { url: await nobody(), schema })).toBe('NETWORK');
  });

  it('gRPC with proto files asks the server how it is', async () => {
    await writeFile(join(root, 'shop.proto'), readShopProto());
    const server = await startGrpcServer({ reflection: 'none' });
    opened.push(() => server.stop());
    const settings = { address: `127.0.0.1:${server.port}`, proto: ['shop.proto'] };
    expect(await testOf('grpc', settings)).toBe('ready');
    server.health = 2;
    expect(await testOf('grpc', settings)).toBe('NETWORK');
  });

  it('a WebSocket service is connected to and logged in at', async () => {
    const server = await openReplyServer();
    opened.push(() => server.close());
    const settings = {
      operations: { read: { description: 'Reads.' } },
      correlation: { field: 'meta.id', replyField: 'ref' },
    };
    expect(await testOf('websocket', { ...settings, url: server.url })).toBe('ready');
    const message = { token: { secret: 'WS_TOKEN' } };
    const login = { message, replyField: 'welcome' };
    const withLogin = { ...settings, url: server.url, login };
    expect(await testOf('websocket', withLogin)).toBe('AUTH_MISSING');
    expect(
      await testOf('websocket', { ...settings, url: (await nobody()).replace('http', 'ws') }),
    ).toBe('NETWORK');
  });
});
