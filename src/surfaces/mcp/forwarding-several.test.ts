/** Questions of a server behind the crib while several calls run on it, and pages to be opened. */
import { join } from 'node:path';
import {
  type Client,
  InMemoryTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askingHttpServer } from '../../../test/fixtures/mcp-servers/asking-http-server.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import {
  ERAS,
  type Era,
  newClient,
  openSurface,
  type TestSurface,
  textOf,
  tokens,
} from '../../../test/fixtures/mcp-surface.ts';
import type { ServerSettings } from '../../sources/mcp/server-settings.ts';

const SERVERS = join(import.meta.dirname, '../../../test/fixtures/mcp-servers');
const FORWARDING = { args: [join(SERVERS, 'forwarding-server.mjs')] };
const MODERN = { args: [join(SERVERS, 'modern-server.mjs')] };

let behind: SomeServers;
let open: TestSurface;
const start = async (settings: Partial<ServerSettings>) => {
  behind = await someServers([someSettings({ name: 'notes', ...settings })]);
  open = await openSurface((await behind.sources[0]?.load()) ?? [], {
    http: { authenticate: tokens },
  });
};
afterEach(async () => {
  await open.close();
  await behind.end();
});

interface Answer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, string>;
}
type Ask = (params: Readonly<Record<string, unknown>>) => Answer | Promise<Answer>;

type Modes = Partial<Record<'form' | 'url', Record<string, never>>>;

const clientOf = async (era: Era, ask: Ask, modes: Modes = { form: {} }): Promise<Client> => {
  const client = newClient(era);
  client.registerCapabilities({ elicitation: modes });
  client.setRequestHandler('elicitation/create', async ({ params }) => ({
    ...(await ask({ ...params })),
  }));
  const [there, here] = InMemoryTransport.createLinkedPair();
  await open.surface.connect(there);
  await client.connect(here);
  return client;
};

/** Answers nobody before so many were asked. */
const together = (count: number) => {
  let all: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    all = resolve;
  });
  let here = 0;
  return (): Promise<void> => {
    here += 1;
    if (here === count) all();
    return asked;
  };
};

describe('questions of a server on which several calls run', { timeout: 30_000 }, () => {
  it.each(ERAS)('reach the person when all calls are of one session (%s)', async (era) => {
    await start(FORWARDING);
    const meet = together(3);
    const client = await clientOf(era, async () => {
      await meet();
      return { action: 'accept', content: { city: 'Bonn' } };
    });
    const calls = [1, 2, 3].map(() => client.callTool({ name: 'ask_person', arguments: {} }));
    for (const reply of await Promise.all(calls)) {
      expect(JSON.parse(textOf(reply))).toMatchObject({ content: { city: 'Bonn' } });
    }
  });

  it.each(ERAS)('that come with a reply reach the person of that call (%s)', async (era) => {
    await start(MODERN);
    const meet = together(2);
    const call = async (name: string) => {
      const client = await clientOf(era, async () => {
        await meet();
        return { action: 'accept', content: { name } };
      });
      return textOf(await client.callTool({ name: 'greet', arguments: {} }));
    };
    const replies = await Promise.all([call('Ada'), call('Bob')]);
    expect(replies).toEqual(['Hello Ada', 'Hello Bob']);
  });

  it('that come on the stream of a call reach the person of that call', async () => {
    const server = await askingHttpServer(2);
    await start({ transport: 'http', url: server.url, command: '', args: [] });
    const call = async (city: string) => {
      const client = await clientOf('legacy', () => ({ action: 'accept', content: { city } }));
      return JSON.parse(textOf(await client.callTool({ name: 'ask_here', arguments: {} })));
    };
    const replies = await Promise.all([call('Bonn'), call('Rome')]);
    server.close();
    expect(replies).toMatchObject([{ content: { city: 'Bonn' } }, { content: { city: 'Rome' } }]);
    expect([...server.headers].filter((name) => name.includes('toolcrib'))).toEqual([]);
  });

  it('threat: are not asked when a pipe does not say which of two callers is meant', async () => {
    await start(FORWARDING);
    let answerFirst: (answer: Answer) => void = () => undefined;
    const first = vi.fn<Ask>(
      () =>
        new Promise((resolve) => {
          answerFirst = resolve;
        }),
    );
    const second = vi.fn<Ask>(() => ({ action: 'accept', content: { city: 'Rome' } }));
    const [one, two] = [await clientOf('legacy', first), await clientOf('legacy', second)];
    const held = one.callTool({ name: 'ask_person', arguments: {} });
    await vi.waitFor(() => expect(first).toHaveBeenCalled(), 10_000);
    const declined = textOf(await two.callTool({ name: 'ask_person', arguments: {} }));
    expect(declined).toContain('several calls of different callers run on this server');
    answerFirst({ action: 'accept', content: { city: 'Bonn' } });
    expect(textOf(await held)).toContain('Bonn');
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 0]);
  });

  it('threat: are not asked when the server invents the call that they belong to', async () => {
    await start(FORWARDING);
    const asked = vi.fn<Ask>(() => ({ action: 'accept', content: { city: 'Bonn' } }));
    const client = await clientOf('legacy', asked);
    const requestedSchema = { type: 'object', properties: { city: { type: 'string' } } };
    const forged = { message: 'Which city?', requestedSchema, _meta: { 'toolcrib/call': 'x' } };
    const reply = await client.callTool({ name: 'ask_what', arguments: forged });
    expect(JSON.parse(textOf(reply))).toMatchObject({ action: 'decline' });
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('a page that a server asks its person to open', { timeout: 30_000 }, () => {
  const page = (url: string) => ({
    name: 'ask_what',
    arguments: { mode: 'url', message: 'Log in', url, elicitationId: 'one' },
  });

  it.each(ERAS)(
    'is handed to a client that can open pages, and says who asks (%s)',
    async (era) => {
      await start(FORWARDING);
      const asked = vi.fn<Ask>(() => ({ action: 'accept' }));
      const client = await clientOf(era, asked, { form: {}, url: {} });
      const reply = await client.callTool(page('https://login.example/a?b=c'));
      expect(JSON.parse(textOf(reply))).toEqual({ action: 'accept' });
      expect(asked.mock.calls[0]?.[0]).toMatchObject({
        mode: 'url',
        url: 'https://login.example/a?b=c',
        message: expect.stringMatching(/MCP server "notes" asks .* login\.example.*Log in/s),
      });
    },
  );

  it.each(ERAS)('is declined by name where the client can only show forms (%s)', async (era) => {
    await start(FORWARDING);
    const asked = vi.fn<Ask>(() => ({ action: 'accept' }));
    const client = await clientOf(era, asked);
    const reply = textOf(await client.callTool(page('https://login.example/')));
    expect(reply).toContain('the client of the call cannot open pages (URL mode)');
    expect(asked).not.toHaveBeenCalled();
  });

  it.each([
    ['is not https', 'javascript:alert(1)'],
    ['is not https', 'http://login.example/'],
    ['is not https', 'file:///etc/passwd'],
    ['has a user name', 'https://bank.example@evil.example/'],
    ['is no URL', `https://login.example/${'a'.repeat(5000)}`],
  ])('threat: a page whose address %s is shown to nobody (%s)', async (reason, url) => {
    await start(FORWARDING);
    const asked = vi.fn<Ask>(() => ({ action: 'accept' }));
    const client = await clientOf('legacy', asked, { url: {} });
    expect(textOf(await client.callTool(page(url)))).toContain(reason);
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('a client of the 2025 protocols over HTTP that opens no stream of its own', () => {
  it('is asked on the stream of its call', { timeout: 30_000 }, async () => {
    await start(FORWARDING);
    const client = newClient('legacy', () => ({ action: 'accept', content: { city: 'Bonn' } }));
    const fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      if (init?.method === 'GET') return new Response(null, { status: 405 });
      const headers = new Headers(init?.headers);
      headers.set('host', 'localhost');
      return open.surface.fetch(new Request(url, { ...init, headers }));
    };
    const requestInit = { headers: { authorization: 'Bearer alice' } };
    const url = new URL('http://localhost/mcp');
    await client.connect(new StreamableHTTPClientTransport(url, { fetch, requestInit }));
    const reply = await client.callTool({ name: 'ask_person', arguments: {} });
    expect(textOf(reply)).toContain('Bonn');
  });
});
