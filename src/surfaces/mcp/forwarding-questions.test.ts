/** Questions of servers behind the crib that travel with replies (2026-07-28), and their prompts for models. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import {
  ERAS,
  httpClient,
  openSurface,
  type TestSurface,
  textOf,
  tokens,
} from '../../../test/fixtures/mcp-surface.ts';

const PROGRAM = join(
  import.meta.dirname,
  '../../../test/fixtures/mcp-servers/forwarding-server.mjs',
);

let behind: SomeServers;
let open: TestSurface;
const start = async (sampling: boolean) => {
  behind = await someServers([someSettings({ name: 'notes', args: [PROGRAM], sampling })]);
  open = await openSurface((await behind.sources[0]?.load()) ?? [], {
    http: { authenticate: tokens },
  });
};
const logs = (): string => behind.servers.logs('notes').join('\n');
afterEach(async () => {
  await open.close();
  await behind.end();
});

const accept = ({ message }: { message: string }) => ({
  action: 'accept' as const,
  content: message.includes('city') ? { city: 'Bonn' } : { street: 'Main' },
});
const TWICE = { name: 'ask_twice', arguments: {} };

describe('questions that travel with replies', { timeout: 30_000 }, () => {
  beforeEach(() => start(false));

  it('a call that asks twice continues where it asked, and runs once', async () => {
    const client = await open.client('modern', accept);
    expect(textOf(await client.callTool(TWICE))).toBe('Bonn, Main');
    expect(logs().match(/ran/g)).toHaveLength(1);
  });

  it('a call over HTTP, one request a round, runs once', async () => {
    const client = await httpClient(open.surface, 'modern', { answer: accept });
    expect(textOf(await client.callTool(TWICE))).toBe('Bonn, Main');
    expect(logs().match(/ran/g)).toHaveLength(1);
  });

  const firstRound = async (user: string) => {
    const client = await httpClient(open.surface, 'modern', { user, answer: accept });
    const ask = (more: object) =>
      client.request(
        { method: 'tools/call', params: { ...TWICE, ...more } },
        { allowInputRequired: true },
      ) as Promise<Record<string, unknown>>;
    return { ask, client, asked: await ask({}) };
  };
  const answer = { action: 'accept', content: { city: 'Bonn' } };

  it('threat: a held call is continued by no other session and no other call', async () => {
    const { asked, ask } = await firstRound('alice');
    const { requestState } = asked;
    const key = Object.keys(asked.inputRequests as object)[0] as string;
    const inputResponses = { [key]: answer };
    const bob = await httpClient(open.surface, 'modern', { user: 'bob', answer: accept });
    const steal = (params: object) =>
      bob.request({ method: 'tools/call', params } as never, { allowInputRequired: true });
    await expect(steal({ ...TWICE, inputResponses, requestState })).rejects.toThrow(/requestState/);
    await expect(
      ask({ name: 'count', inputResponses, requestState }).then((reply) => JSON.stringify(reply)),
    ).rejects.toThrow(/requestState/);
    const second = await ask({ inputResponses, requestState });
    expect(JSON.stringify(second.inputRequests)).toContain('Which street?');
  });

  it('threat: a state sent again answers no later question, and runs nothing', async () => {
    const { asked, ask } = await firstRound('alice');
    const [key = ''] = Object.keys(asked.inputRequests as object);
    const { requestState } = asked;
    const again = { inputResponses: { [key]: answer }, requestState };
    await ask(again);
    const replayed = await ask(again);
    expect(JSON.stringify(replayed.inputRequests)).toContain('Which street?');
    const [next = ''] = Object.keys(replayed.inputRequests as object);
    const last = { inputResponses: { [next]: { action: 'decline' } } };
    const done = await ask({ ...last, requestState: replayed.requestState });
    expect(textOf(done)).toBe('Bonn, ');
    const over = await ask({ ...last, requestState: replayed.requestState });
    expect(textOf(over)).toContain('PRECONDITION_FAILED: The call that asked this is over');
    expect(logs().match(/ran/g)).toHaveLength(1);
  });

  it.each(ERAS)('threat: a form that asks for a password is not shown (%s)', async (era) => {
    const asked = vi.fn(() => ({ action: 'accept' as const, content: { a: 'hunter2' } }));
    const client = await open.client(era, asked);
    const properties = { a: { type: 'string', title: 'Your password' } };
    const question = { message: 'Log in', requestedSchema: { type: 'object', properties } };
    const reply = await client.callTool({ name: 'ask_what', arguments: question });
    expect(textOf(reply)).toContain('credentials are not asked for in a form: the field \\"a\\"');
    expect(asked).not.toHaveBeenCalled();
  });

  it.each(ERAS)('threat: what a form would hide is written out (%s)', async (era) => {
    const asked: unknown[] = [];
    const client = await open.client(era, (params) => {
      asked.push(params);
      return { action: 'decline' };
    });
    const properties = { city: { type: 'string', title: 'City\u202e' } };
    const requestedSchema = { type: 'object', properties };
    const question = { message: 'Which\u0007 city?', requestedSchema };
    await client.callTool({ name: 'ask_what', arguments: question });
    expect(JSON.stringify(asked)).toContain('Which\u2407 city?');
    expect(JSON.stringify(asked)).toContain('City\\\\u202e');
  });

  it.each(ERAS)('threat: a server that asks without end is put off (%s)', async (era) => {
    const asked = vi.fn(accept);
    const client = await open.client(era, asked);
    const reply = await client.callTool({ name: 'ask_often', arguments: {} });
    expect(asked.mock.calls.length).toBeLessThanOrEqual(20);
    expect(textOf(reply)).toBe(String(asked.mock.calls.length));
  });

  it('a call whose client leaves is cancelled', async () => {
    const client = await open.client('modern', accept);
    void client
      .request({ method: 'tools/call', params: TWICE }, { allowInputRequired: true })
      .catch(() => undefined);
    await eventually(() => expect(logs()).toContain('ran'));
    await eventually(async () => {
      await client.close();
      const [record] = await open.crib.audit.query({ tool: 'ask_twice' });
      expect(record?.status).toBe('cancelled');
    });
  });
});

describe('sampling that the user allowed', { timeout: 30_000 }, () => {
  beforeEach(() => start(true));

  it.each(ERAS)(
    'asks the model of the client that made the call, and names it (%s)',
    async (era) => {
      const prompts: unknown[] = [];
      const client = await open.client(era, undefined, (params) => {
        prompts.push(params);
        return 'hi there';
      });
      const reply = await client.callTool({ name: 'ask_model', arguments: {} });
      expect(textOf(reply)).toContain('hi there');
      expect(textOf(reply)).toContain("Note: The MCP server notes asked the client's model.");
      expect(prompts).toEqual([expect.objectContaining({ maxTokens: 9 })]);
      expect(JSON.stringify(prompts)).not.toContain('allServers');
    },
  );

  it.each(ERAS)('is refused by name where the client cannot sample (%s)', async (era) => {
    const client = await open.client(era, accept);
    const reply = await client.callTool({ name: 'ask_model', arguments: {} });
    expect(textOf(reply)).toContain('the client of the call cannot sample');
  });

  it('threat: a server gets no tools and no endless prompt into the model', async () => {
    const sample = vi.fn(() => 'hi');
    const client = await open.client('legacy', undefined, sample);
    const text = 'x'.repeat(300_000);
    const messages = [{ role: 'user', content: { type: 'text', text } }];
    const tools = [{ name: 'rm', inputSchema: { type: 'object' } }];
    const long = await client.callTool({ name: 'ask_model', arguments: { messages } });
    expect(textOf(long)).toContain('the prompt is too long');
    const armed = await client.callTool({ name: 'ask_model', arguments: { tools } });
    expect(textOf(armed)).toContain('Sampling is refused');
    expect(sample).not.toHaveBeenCalled();
  });
});
