/** `toolcrib add <address>` without a kind, against a real document and a real server. */
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeIo } from '../../../../test/fixtures/fake-io.ts';
import { runCli } from '../../run-cli.ts';

let root: string;
let server: Server | undefined;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'toolcrib-cli-guess-')));
});

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  await rm(root, { recursive: true, force: true });
});

const serve = async (body: string): Promise<string> => {
  server = createServer((_, response) => response.end(body));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop`;
};

const run = async (...args: readonly string[]) => {
  const { io, out, err } = fakeIo({
    cwd: root,
    env: { HOME: root, TOOLCRIB_HOME: join(root, 'own') },
    json: args.includes('--json'),
  });
  const code = await runCli(args, io);
  return { code, out: out(), err: err() };
};

const get = { operationId: 'list_goods', responses: { 200: { description: 'Goods.' } } };
const DOCUMENT = JSON.stringify({
  ...{ openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths: { '/goods': { get } } },
  servers: [{ url: 'https://shop.example.com' }],
});

describe('toolcrib add of an address without a kind', { timeout: 60_000 }, () => {
  it('finds an OpenAPI document, says why, and adds it', async () => {
    const url = await serve(DOCUMENT);
    const { code, out, err } = await run('add', url, '--name', 'shop');
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('It is openapi: the document says openapi: 3.1.0.'),
    ]);
    expect(out).toContain('Added: shop');
    expect(await readFile(join(root, 'own', 'config.yml'), 'utf8')).toContain(url);
  });

  it('adds nothing and names the commands where it is not clear what is there', async () => {
    await writeFile(join(root, 'notes.txt'), 'Buy milk.');
    for (const address of ['notes.txt', 'nothing-there', await serve('<html></html>')]) {
      const { code, err } = await run('add', address);
      expect([code, err]).toEqual([2, expect.stringContaining('toolcrib add openapi ')]);
    }
    expect(existsSync(join(root, 'own'))).toBe(false);
  });

  it('says what to type without an address, and for an MCP server without one', async () => {
    expect((await run('add')).code).toBe(2);
    expect((await run('add', 'mcp')).err).toContain('toolcrib add mcp https://');
  });
});
