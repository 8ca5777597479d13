/** Guesses from documents and from real servers on this machine. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { defaultSettings } from '../../config/default-settings.ts';
import { guessKind } from './guess-kind.ts';

type Reply = readonly [status: number, type: string, body: string];

let server: Server | undefined;
let folder: string | undefined;

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const serve = async (
  reply: (method: string, body: string, path: string) => Reply,
): Promise<string> => {
  server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const [status, type, body] = reply(
        request.method ?? '',
        Buffer.concat(pieces).toString(),
        request.url ?? '',
      );
      response.writeHead(status, { 'content-type': type }).end(body);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/x`;
};

const guess = (address: string, cwd = '/') =>
  guessKind(address, {
    config: defaultSettings(),
    cwd,
    signal: AbortSignal.timeout(20_000),
  });

const inFile = async (text: string) => {
  folder = await mkdtemp(join(tmpdir(), 'toolcrib-guess-'));
  await writeFile(join(folder, 'document'), text);
  return guess('document', folder);
};

const HTML: Reply = [200, 'text/html', '<html></html>'];

describe('the kind of a source, guessed', () => {
  it.each([
    ['{"openapi":"3.1.0","paths":{}}', 'openapi: 3.1.0'],
    ['{\n  "info": {},\n  "swagger": "2.0"}', 'swagger: 2.0'],
    ['# ours\nopenapi: 3.0.3\ninfo: {}\n', 'openapi: 3.0.3'],
    ["swagger: '2.0'\n", 'swagger: 2.0'],
  ])('is OpenAPI for a file with %j', async (text, why) => {
    expect(await inFile(text)).toEqual({ kind: 'openapi', why: `the document says ${why}` });
  });

  it('is GraphQL for a file with an introspection', async () => {
    expect(await inFile('{"data":{"__schema":{}}}')).toMatchObject({ kind: 'graphql' });
  });

  it.each([
    ['{"a":1}', 'it has no "openapi"'],
    ['text', 'it has no "openapi"'],
    ['{"openapi":{"version":3}}', 'it has no "openapi"'],
    ['', 'it is empty'],
    [' <!DOCTYPE html><html>', 'it is a web page'],
  ])('is unknown for %j, and says what it is', async (text, seen) => {
    expect(await inFile(text)).toEqual({ seen: expect.stringContaining(seen) });
  });

  it('is unknown for a file that is not there and for other protocols', async () => {
    expect(await guess('nothing.json')).toEqual({ seen: 'there is no such file' });
    expect(await guess('wss://example.com')).toEqual({ seen: 'wss:// says nothing' });
  });

  it('is OpenAPI for an address with a document', async () => {
    const url = await serve(() => [200, 'application/json', '{"openapi":"3.0.0"}']);
    expect(await guess(url)).toMatchObject({ kind: 'openapi' });
  });

  it('is GraphQL for an address that answers a query', async () => {
    const url = await serve((method, body) =>
      method === 'POST' && body.includes('__typename')
        ? [200, 'application/json', '{"data":{"__typename":"Query"}}']
        : [400, 'application/json', '{}'],
    );
    expect(await guess(url)).toMatchObject({ kind: 'graphql' });
  });

  it('is MCP for an address that answers initialize, also in an event stream', async () => {
    const answer = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { protocolVersion: 'x' } });
    const url = await serve((method) =>
      method === 'POST'
        ? [200, 'text/event-stream', `event: message\ndata: ${answer}\n\n`]
        : [405, 'text/plain', ''],
    );
    expect(await guess(url)).toMatchObject({ kind: 'mcp' });
  });

  it('is unknown for a web page', async () => {
    expect(await guess(await serve(() => HTML))).toEqual({ seen: 'it is a web page' });
    const url = await serve(() => [401, 'text/plain', 'no']);
    expect(await guess(url)).toEqual({ seen: 'it answers with HTTP 401' });
  });

  it('is a team for a server of Toolcrib, also one that asks for a login', async () => {
    const catalog = { org: 'acme', publicKey: 'k', fingerprint: 'f' };
    const { origin } = new URL(
      await serve((method, _body, path) =>
        method === 'GET' && path === '/v1/catalog/key'
          ? [200, 'application/json', JSON.stringify(catalog)]
          : HTML,
      ),
    );
    expect(await guess(origin)).toMatchObject({ kind: 'team' });
    expect(await guess(`${origin}/shop`)).toEqual({ seen: 'it is a web page' });
    server?.removeAllListeners('request').on('request', (request, response) => {
      const isKey = request.url === '/v1/catalog/key';
      const headers = { 'www-authenticate': 'Bearer realm="toolcrib"' };
      response.writeHead(isKey ? 401 : 200, isKey ? headers : {}).end('<html></html>');
    });
    expect(await guess(origin)).toMatchObject({ kind: 'team' });
  });

  it('is n8n for a page that names it and a host that answers /healthz', async () => {
    const pageOf = (title: string) =>
      serve((_method, _body, path) =>
        path === '/healthz'
          ? [200, 'application/json', '{"status":"ok"}']
          : [200, 'text/html', `<html><title>${title}</title></html>`],
      );
    expect(await guess(await pageOf('n8n.io - Workflow Automation'))).toMatchObject({
      kind: 'n8n',
    });
    expect(await guess(await pageOf('A shop'))).toEqual({ seen: 'it is a web page' });
  });

  it('is unknown for a proto file, which names the command that takes it', async () => {
    folder = await mkdtemp(join(tmpdir(), 'toolcrib-guess-'));
    await writeFile(join(folder, 'shop.proto'), 'syntax = "proto3";\npackage shop;\n');
    expect(await guess('shop.proto', folder)).toEqual({
      seen: expect.stringContaining('a proto file'),
      command: 'toolcrib add grpc <host:port> --proto shop.proto',
    });
  });

  it('threat: a private address that is not allowed gets no request', async () => {
    await expect(guess('http://169.254.169.254/latest')).rejects.toMatchObject({
      code: 'SECURITY_VIOLATION',
    });
  });
});
