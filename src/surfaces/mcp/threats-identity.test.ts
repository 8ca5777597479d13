/** Threat: an MCP client escapes limits and labels with a new session, or reaches internal tools. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ERAS,
  httpClient,
  openSurface,
  type TestSurface,
  textOf,
  tokens,
} from '../../../test/fixtures/mcp-surface.ts';
import { aTool } from '../../../test/fixtures/test-crib.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { CribOptions } from '../../crib/crib-options.ts';
import type { SurfaceKind } from './mcp-options.ts';

const TOOLS = [
  aTool(),
  aTool({ name: 'limited', rateLimit: { maxPerHour: 5 } }),
  aTool({ name: 'web', labels: { trust: 'untrusted' } }),
  aTool({ name: 'notes', category: 'filesystem' }),
  aTool({ name: 'send', tier: 'external_api' }),
  aTool({
    name: 'write',
    tier: 'write',
    needs: { paths: [{ path: '.', access: 'write' }] },
    run: (async (_: unknown, { fs }: ToolContext) => fs.write('a.txt', 'new')) as never,
  }),
];

const LENIENT = { version: 1 as const, rules: [{ name: 'all', effect: 'allow' as const }] };

let open: TestSurface | undefined;
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await open?.close();
});

const start = async (options: CribOptions = {}, surface: SurfaceKind = 'full') => {
  const http = { authenticate: tokens };
  open = await openSurface(TOOLS, { http, surface }, { policy: LENIENT, ...options });
  return open;
};

const kept = (client: Client): Client => {
  clients.push(client);
  return client;
};

/** What a client may try, to be somebody new: no part of it is a name that counts. */
const FORGED = { sessionId: 'x', agentId: 'y', 'toolcrib/sessionId': 'x', 'toolcrib/agentId': 'y' };

const codeOf = async (client: Client, name: string, input: Record<string, unknown> = {}) => {
  const reply = await client.callTool({ name, arguments: input, _meta: FORGED });
  return reply.isError ? textOf(reply).split(':')[0] : 'success';
};

describe.each(ERAS)('a client of the %s era that opens a new session for each call', (era) => {
  const newSession = async (user = 'alice'): Promise<Client> =>
    kept(await httpClient((open as TestSurface).surface, era, { user }));

  const passed = async (name: string, inputOf: (n: number) => Record<string, unknown>) => {
    const codes: string[] = [];
    for (let n = 0; n < 8; n++)
      codes.push((await codeOf(await newSession(), name, inputOf(n))) ?? '');
    return codes.filter((code) => code === 'success').length;
  };

  it('makes 5 of 8 calls at 5 an hour', async () => {
    await start();
    expect(await passed('limited', (n) => ({ n }))).toBe(5);
  });

  it.each([
    ['agent', { perAgent: { calls: 5 } }],
    ['session', { perSession: { calls: 5 } }],
  ])('makes 5 of 8 calls when each %s has 5', async (_kind, budget) => {
    await start({ config: { budget } });
    expect(await passed('echo', (n) => ({ n }))).toBe(5);
  });

  it('is stopped when it repeats the same call', async () => {
    await start({ config: { execution: { loop: { identicalCalls: 5, windowSeconds: 60 } } } });
    expect(await passed('echo', () => ({}))).toBe(5);
    expect(await codeOf(await newSession('bob'), 'echo')).toBe('success');
  });

  it('carries what it has read from one session to the next, and others do not', async () => {
    const { crib } = await start();
    await codeOf(await newSession(), 'web');
    await codeOf(await newSession(), 'notes');
    await codeOf(await newSession(), 'send');
    expect(await crib.approvals.list()).toHaveLength(1);
    expect(await codeOf(await newSession('bob'), 'send')).toBe('success');
  });
});

describe('a connection that is the client’s alone', () => {
  it('carries labels for as long as it lasts, and two connections are apart', async () => {
    const { client, crib } = await start();
    const one = kept(await client('legacy'));
    const two = kept(await client('legacy'));
    for (const name of ['web', 'notes']) await codeOf(one, name);
    expect(await codeOf(two, 'send')).toBe('success');
    await codeOf(one, 'send');
    expect(await crib.approvals.list()).toHaveLength(1);
  });
});

describe.each(ERAS)('undo by its name, for a client of the %s era', (era) => {
  it.each(['full', 'search', 'code'] as const)(
    'is unknown to the surface %s, and the file stays',
    async (surface) => {
      const root = await mkdtemp(join(tmpdir(), 'toolcrib-mcp-identity-'));
      await writeFile(join(root, 'a.txt'), 'old');
      const { crib, client, surface: door } = await start({ root }, surface);
      const { metadata } = await crib.execute('write', {}, { userId: 'ada' });
      const input = { executionId: metadata.executionId, asOwner: true };
      for (const each of [await client(era), await httpClient(door, era)].map(kept)) {
        const { tools } = await each.listTools();
        expect(tools.filter(({ name }) => name.includes('undo'))).toEqual([]);
        const direct = each.callTool({ name: 'toolcrib:undo', arguments: input });
        await expect(direct).rejects.toThrow(/Unknown tool/);
        const name = 'call_tool';
        const inner = { name, arguments: { name: 'toolcrib:undo', input } };
        await expect(each.callTool(inner)).rejects.toThrow(/Unknown tool/);
      }
      expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe('new');
      await rm(root, { recursive: true, force: true });
    },
  );
});
