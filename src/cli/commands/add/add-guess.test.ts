/** `toolcrib add <address>` without a kind, against a real document and a real server. */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
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
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: { '/goods': { get } },
  servers: [{ url: 'https://shop.example.com' }],
});

describe('toolcrib add of an address without a kind', { timeout: 60_000 }, () => {
  it('names the command for a proto file', async () => {
    await writeFile(join(root, 'shop.proto'), 'syntax = "proto3";\npackage shop;\n');
    const { code, err } = await run('add', 'shop.proto');
    expect([code, err]).toEqual([
      2,
      expect.stringContaining('toolcrib add grpc <host:port> --proto shop.proto'),
    ]);
  });

  it('fits the lines of a preview into the terminal', async () => {
    const summary = 'Lists all the goods that the shop has, with their prices and their colours.';
    const paths = { '/goods': { get: { ...get, summary } } };
    await writeFile(join(root, 'shop.json'), JSON.stringify({ ...JSON.parse(DOCUMENT), paths }));
    const { io, out } = fakeIo({
      cwd: root,
      env: { HOME: root, TOOLCRIB_HOME: join(root, 'own') },
    });
    Object.assign(io.stdout, { isTTY: true, columns: 60 });
    expect(await runCli(['add', 'openapi', 'shop.json', '--dry-run'], io)).toBe(0);
    const rows = out()
      .split('\n')
      .filter((line) => /^ {2}.*(?:tool|list_goods)/.test(line));
    expect(rows).toHaveLength(2);
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(60);
  });

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
    const cases: readonly (readonly [string, string, string])[] = [
      ['notes.txt', 'it has no "openapi"', 'toolcrib add openapi notes.txt'],
      ['nothing-there', 'there is no such file', 'toolcrib add package nothing-there'],
      ['localhost:50051', 'there is no such file', 'toolcrib add grpc localhost:50051'],
      [await serve('<html></html>'), 'it is a web page', 'toolcrib add graphql http'],
    ];
    for (const [address, seen, command] of cases) {
      const { code, err } = await run('add', address);
      expect([code, err]).toEqual([2, expect.stringContaining(seen)]);
      expect(err).toContain(command);
      expect(err).not.toContain('toolcrib add websocket');
    }
    expect(existsSync(join(root, 'own'))).toBe(false);
  });

  it('answers a misspelt kind with the right one', async () => {
    const typed = await run('add', 'opnapi', 'shop.json');
    expect([typed.code, typed.err]).toEqual([
      2,
      expect.stringContaining('Did you mean openapi? toolcrib add openapi shop.json'),
    ]);
    expect((await run('add', 'grpcc')).err).toContain('toolcrib add grpc <address>');
    const far = await run('add', 'something', 'shop.json');
    expect([far.code, far.err]).toEqual([2, expect.stringContaining('Kinds: mcp, openapi')]);
    expect(far.err).not.toContain('Did you mean');
  });

  it('reads a file from the folder it was typed in, also below the root of a project', async () => {
    await mkdir(join(root, '.toolcrib'));
    await mkdir(join(root, 'specs'));
    await writeFile(join(root, 'specs', 'goods.json'), DOCUMENT);
    const { io, err } = fakeIo({
      cwd: join(root, 'specs'),
      env: { HOME: root, TOOLCRIB_HOME: join(root, 'own') },
    });
    expect(await runCli(['add', 'goods.json', '--dry-run'], io)).toBe(0);
    expect(err()).toContain('It is openapi');
  });

  it('names in a dry run the command with all options that were typed', async () => {
    const url = await serve(DOCUMENT);
    const options = ['--base-url', 'https://shop.example.com', '--methods', 'GET,POST'];
    const typed = ['add', 'openapi', url, ...options, '--auth', 'key=SHOP KEY', '--dry-run'];
    const { code, err } = await run(...typed);
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        `toolcrib add openapi ${url} --base-url https://shop.example.com --auth 'key=SHOP KEY' --methods GET --methods POST\n`,
      ),
    ]);
    const guessed = await run('add', url, '--name', 'shop', '--project', '--dry-run');
    expect(guessed.err).toContain(`toolcrib add openapi ${url} --name shop --project\n`);
  });

  it('says that no tool passes the filters, and refuses a method that there is not', async () => {
    const url = await serve(DOCUMENT);
    const none = await run('add', 'openapi', url, '--tags', 'nothing', '--dry-run');
    expect([none.code, none.out]).toEqual([0, expect.stringContaining('check the filters')]);
    const wrong = await run('add', 'openapi', url, '--methods', 'GTE', '--dry-run');
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('an HTTP method')]);
    expect(wrong.err).not.toContain('doctor');
  });

  it('refuses a name that no source can have before anything is read', async () => {
    const { code, err } = await run('add', 'openapi', 'none.json', '--name', 'b@d');
    expect([code, err]).toEqual([2, expect.stringContaining('no name for a source')]);
  });

  it('offers for packages and teams the options that they have, and no others', async () => {
    const help = (await run('add', 'package', '--help')).out;
    expect(help).toContain('--yes');
    expect(help).toContain('--allow-look-alike');
    expect(help).not.toContain('--replace');
    expect((await run('add', 'team', '--help')).out).not.toContain('--project');
  });

  it('says what to type without an address, and for an MCP server without one', async () => {
    expect((await run('add')).code).toBe(2);
    expect((await run('add', 'mcp')).err).toContain('toolcrib add mcp https://');
  });
});
