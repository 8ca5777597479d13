/** Every command, configuration and program of docs/sources.md and of the pages of the kinds, run as a reader would. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { runCli } from '../../src/cli/run-cli.ts';
import { parseConfig } from '../../src/config/load/parse-config.ts';
import { fakeIo } from '../fixtures/fake-io.ts';
import { startGrpcServer } from '../fixtures/grpc-server.ts';
import { openReplyServer } from '../fixtures/reply-server.ts';
import { openShop, SHOP_SCHEMA } from '../fixtures/shop-service.ts';
import {
  API_KEY,
  respondWith,
  startN8n,
  WEBHOOK_SECRET,
  webhookNode,
} from '../fixtures/vendors/n8n-server.ts';
import { openVendor } from '../fixtures/vendors/vendor-site.ts';
import { builtCli } from './built-cli.ts';
import { blocksOf, resolved, root, textOf } from './doc-blocks.ts';
import { type PageOptions, PageRunner } from './page-runner.ts';

const KINDS = ['mcp', 'openapi', 'graphql', 'grpc', 'websocket', 'n8n', 'packages', 'team'];
const PAGES = ['docs/sources.md', ...KINDS.map((kind) => `docs/sources/${kind}.md`)];
const pageOf = (kind: string): string => `docs/sources/${kind}.md`;
const fixture = (path: string): string => readFileSync(join(root, 'test/fixtures', path), 'utf8');

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

const follow = (page: string, options: PageOptions = {}): PageRunner => {
  const runner = new PageRunner(page, options);
  opened.push(() => runner.close());
  return runner;
};

const runProgram = async (runner: PageRunner, code: string): Promise<string> => {
  const file = join(runner.folder, 'program.mjs');
  writeFileSync(file, resolved(code));
  const env = { PATH: process.env.PATH, HOME: runner.base, TOOLCRIB_HOME: runner.home };
  const { stdout } = await promisify(execFile)(process.execPath, [file], {
    cwd: runner.folder,
    env,
  });
  return stdout;
};

describe('what the pages about sources name', () => {
  const spans = PAGES.flatMap((page) =>
    [...textOf(page).matchAll(/`(toolcrib [a-z][^`\n]*)`/g)].map(([, span = '']) => span),
  );
  const commands = [...new Set(spans)];

  it.each(commands)('%s is a command with these options', async (span) => {
    const words = span.split(' ').slice(1);
    const at = words.findIndex((word) => /^[-<.]|[^a-z0-9-]/.test(word));
    const path = at === -1 ? words : words.slice(0, at);
    const { io, out } = fakeIo({ cwd: root, env: { HOME: '/nonexistent' } });
    expect([span, await runCli([...path, '--help'], io)]).toEqual([span, 0]);
    // A help that is not of the whole path belongs to the group: the last word is no command.
    const usage = /^Usage: toolcrib ([a-z0-9 -]*)/.exec(out())?.[1] ?? '';
    expect(usage.trim().split(' ')[0]).toBe(path[0]);
    for (const option of words.filter((word) => word.startsWith('--') && word !== '--')) {
      expect([span, out()]).toEqual([span, expect.stringContaining(option)]);
    }
  });

  const configurations = PAGES.flatMap((page) => blocksOf(page, 'yaml')).filter(
    ({ code }) => !code.startsWith('operations:'),
  );

  it.each(configurations)('$page:$line is a configuration that is taken', ({ code }) => {
    expect(() => parseConfig(parseDocument(code).toJS())).not.toThrow();
  });
});

describe('the commands of docs/sources.md', () => {
  it('do what the page says, one after the other', { timeout: 240_000 }, async () => {
    const runner = follow('docs/sources.md', {
      files: {
        'specs/lamps.yaml': fixture('lamps.yaml'),
        'notes-server.mjs': fixture('mcp-servers/odd-server.mjs'),
      },
    });
    expect(runner.commands().length).toBeGreaterThan(8);
    await runner.followAll();
  });
});

describe('the page about MCP servers', () => {
  it('leads from a program to the answer of a call', { timeout: 240_000 }, async () => {
    const runner = follow(pageOf('mcp'), {
      files: { 'notes-server.mjs': fixture('mcp-servers/odd-server.mjs') },
    });
    expect(runner.commands().length).toBeGreaterThan(5);
    await runner.followAll();
  });
});

describe('the page about OpenAPI', () => {
  const PETSTORE = `openapi: 3.1.0
info: { title: Pets, version: '1' }
security: [{ api_key: [] }]
components: { securitySchemes: { api_key: { type: apiKey, in: header, name: X-Key } } }
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      responses: { '200': { description: The pets. } }
`;

  it('leads from a document to the answer of a call', { timeout: 240_000 }, async () => {
    const api = await openVendor(async ({ headers }) =>
      headers['x-key'] === 'meow' ? { body: [{ name: 'Tom' }] } : { status: 401 },
    );
    opened.push(() => api.close());
    const runner = follow(pageOf('openapi'), {
      replace: { 'https://petstore.example.com': api.url.replace(/\/$/, '') },
      secrets: { PETSTORE_KEY: 'meow' },
      files: { 'specs/petstore.yaml': PETSTORE },
    });
    await runner.followAll();
    expect(api.arrived.map(({ path }) => path)).toEqual(['/v1/pets']);
  });
});

describe('the page about GraphQL', () => {
  it('adds a service with a token, with a filter, and by a schema file', {
    timeout: 240_000,
  }, async () => {
    const [github, shop] = [await openShop({ token: 'letmein' }), await openShop()];
    opened.push(
      () => github.close(),
      () => shop.close(),
    );
    const address = `${shop.url.replace(/\/$/, '')}/graphql`;
    const runner = follow(pageOf('graphql'), {
      replace: {
        'https://api.github.com/graphql': `${github.url.replace(/\/$/, '')}/graphql --name github`,
        'http://localhost:4000/graphql': address,
      },
      secrets: { GITHUB_TOKEN: 'letmein' },
      files: { 'schema.graphql': SHOP_SCHEMA },
    });
    await runner.followAll();
    const [program] = blocksOf(pageOf('graphql'), 'js');
    const code = runner.replaced(program?.code ?? '');
    const shown = await runProgram(runner, `${code}console.log(JSON.stringify(data));`);
    expect(JSON.parse(shown)).toEqual({
      data: { name: 'ada', items: { totalCount: 1 } },
    });
  });
});

describe('the page about gRPC', () => {
  it('adds a server by reflection, with a token, and by proto files', {
    timeout: 240_000,
  }, async () => {
    const server = await startGrpcServer();
    opened.push(() => server.stop());
    const runner = follow(pageOf('grpc'), {
      replace: {
        'localhost:50051': `localhost:${server.port}`,
        'shop.example.com:443': `127.0.0.1:${server.port} --name shop`,
      },
      secrets: { SHOP_TOKEN: 'token' },
      files: { 'proto/shop.proto': fixture('grpc/shop.proto') },
    });
    await runner.followAll();
  });
});

describe('the page about WebSocket', () => {
  it('describes a service whose tools answer', { timeout: 240_000 }, async () => {
    const desk = await openReplyServer();
    opened.push(() => desk.close());
    desk.first = (message, socket) => {
      const { method, id, token } = message;
      socket.send(
        JSON.stringify(
          method === 'login' ? { loggedIn: token === 'desk' } : { id, result: { price: 7 } },
        ),
      );
      return true;
    };
    const [operations] = blocksOf(pageOf('websocket'), 'yaml');
    const runner = follow(pageOf('websocket'), {
      replace: { 'wss://desk.example.com/socket': `${desk.url}socket --name desk` },
      secrets: { DESK_TOKEN: 'desk' },
      files: { 'desk.yml': operations?.code ?? '' },
    });
    await runner.followAll();
  });
});

describe('the page about n8n', () => {
  const [note] = blocksOf(pageOf('n8n'), 'json');
  const sticky = {
    name: 'Note',
    type: 'n8n-nodes-base.stickyNote',
    typeVersion: 1,
    parameters: { content: `toolcrib\n${note?.code ?? ''}` },
  };

  it('adds workflows that the page describes, and accepts them', { timeout: 240_000 }, async () => {
    const n8n = await startN8n([
      {
        id: 'w1',
        name: 'Any',
        path: 'weather',
        respond: respondWith({ sky: 'blue' }),
        nodes: [webhookNode('weather'), sticky],
      },
    ]);
    opened.push(() => n8n.close());
    const runner = follow(pageOf('n8n'), {
      replace: { 'http://localhost:5678': n8n.url },
      secrets: { N8N_API_KEY: API_KEY, N8N_WEBHOOK_SECRET: WEBHOOK_SECRET },
    });
    await runner.followAll(0, 1);
    // The configuration of the page takes the place of what the command wrote.
    const [configuration] = blocksOf(pageOf('n8n'), 'yaml');
    writeFileSync(join(runner.home, 'config.yml'), runner.replaced(configuration?.code ?? ''));
    await runner.followAll(2);
    const { text } = await runner.run(['run', 'weather', '{"city":"Bonn"}', '--yes']);
    expect(text).toContain('"sky": "blue"');
  });

  it('lets an HTTP Request node call a tool of toolcrib serve', { timeout: 240_000 }, async () => {
    const runner = follow(pageOf('n8n'));
    const [, command = ''] = /^1\. `toolcrib ([^`]+)`/m.exec(textOf(pageOf('n8n'))) ?? [];
    const { text: made } = await runner.run(command.split(' '));
    const token = /^tc_\S+/m.exec(made)?.[0] ?? '';
    const { url } = await serve(runner);
    const workflow = JSON.parse(
      readFileSync(join(root, 'integrations/n8n/call-a-governed-tool.json'), 'utf8'),
    ) as { nodes: { type: string; parameters: Record<string, string> }[] };
    const node = workflow.nodes.find(({ type }) => type.endsWith('.httpRequest'))?.parameters;
    const answer = await fetch((node?.url ?? '').replace('http://127.0.0.1:7420', url), {
      method: node?.method ?? '',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': 'n8n-1',
      },
      body: JSON.stringify({ input: { expression: '6 * 7' } }),
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ success: true, data: expect.objectContaining({ result: 42 }) }),
    ]);
    expect(node?.jsonBody).toContain("expression: '6 * 7'");
  });
});

describe('the page about packages', () => {
  it('leads from a tool to its package and back', { timeout: 240_000 }, async () => {
    const runner = follow(pageOf('packages'));
    await runner.followAll(0);
    const maker = runner.folder;
    runner.enter('other');
    copyFileSync(join(maker, 'count_words.tgz'), join(runner.folder, 'count_words.tgz'));
    await runner.followAll(1, 2);
    const [program] = blocksOf(pageOf('packages'), 'ts');
    expect(await runProgram(runner, program?.code ?? '')).toContain('count_words');
  });
});

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return address !== null && typeof address === 'object' ? address.port : 0;
};

/** Starts `toolcrib serve` in the folder of the runner. */
const serve = async (runner: PageRunner) => {
  const port = await freePort();
  const env = { PATH: process.env.PATH, HOME: runner.base, TOOLCRIB_HOME: runner.home };
  const child: ChildProcess = spawn(
    process.execPath,
    [builtCli(), 'serve', '--port', String(port)],
    {
      cwd: runner.folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  opened.push(stop);
  const url = `http://127.0.0.1:${port}`;
  for await (const piece of child.stdout ?? []) if (String(piece).includes(url)) break;
  return { url, stop };
};

describe('the page about the catalog of a team', () => {
  const PERSONS: readonly (readonly [RegExp, string])[] = [
    [/team propose/, 'ada'],
    [/team (?:review|approve)/, 'bob'],
    [/team (?:publish|history|rollback)/, 'carol'],
    [/team (?:join|status|sync|leave)/, 'laptop'],
    [/add team/, 'laptop'],
  ];

  it('leads from a server to a member that leaves, and to another key', {
    timeout: 240_000,
  }, async () => {
    const runner = follow(pageOf('team'), {
      env: (line) => {
        const person = PERSONS.find(([pattern]) => pattern.test(line))?.[1];
        return person === undefined ? {} : { TOOLCRIB_HOME: join(runner.base, person) };
      },
    });
    const [configuration] = blocksOf(pageOf('team'), 'yaml');
    mkdirSync(runner.home, { recursive: true });
    writeFileSync(join(runner.home, 'config.yml'), configuration?.code ?? '');
    const tokens = new Map<string, string>();
    for (const line of runner.commands(0)) {
      const name = /create (\w+)/.exec(line)?.[1] ?? '';
      tokens.set(name, /^tc_\S+/m.exec(await runner.follow(line))?.[0] ?? '');
    }
    const { url, stop } = await serve(runner);
    const server = runner.folder;
    runner.replace('https://tools.example.com', url);
    const { text: key } = await runner.run(['team', 'key']);
    runner.replace('1f0c:9a77:…', /[0-9a-f]{4}(?::[0-9a-f]{4})+/.exec(key)?.[0] ?? '');
    runner.enter('desk');
    for (const [pattern, person] of PERSONS) {
      const line = `toolcrib ${pattern.source.replace(/\(\?:(\w+).*/, '$1')}`;
      await runner.run(['secrets', 'set', 'TEAM_CATALOG_TOKEN'], line, tokens.get(person) ?? '');
    }
    await runner.run(['tools', 'new', 'lint'], 'team propose');
    const proposed = runner.commands(1).filter((line) => !line.includes('secrets set'));
    for (const line of proposed) {
      const text = await runner.follow(line);
      const [id] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text) ?? [];
      if (id !== undefined && line.includes('propose')) runner.replace('3f2c', id.slice(0, 8));
    }
    for (const line of runner.commands(2)) {
      if (!line.includes('secrets set')) await runner.follow(line);
    }
    await stop();
    runner.folder = server;
    renameSync(join(runner.home, 'keys/signing.pem'), join(server, 'old-signing.pem'));
    await runner.followAll(3);
  });
});
