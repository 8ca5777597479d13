import { afterEach, describe, expect, it } from 'vitest';
import {
  type SessionServer,
  sessionHttpServer,
} from '../../../test/fixtures/mcp-servers/session-http-server.ts';
import { someServers, someSettings } from '../../../test/fixtures/mcp-servers/some-servers.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { Tier } from '../../contract/tool.ts';
import { createEgress } from '../../governance/egress/create-egress.ts';
import { mayHaveRun } from './server-failure.ts';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Makes a fetch through the egress guard, as servers have in a crib. */
const guarded = ({ url }: SessionServer): typeof fetch => {
  const egress = createEgress();
  ends.push(() => egress.close());
  const { host, hostname } = new URL(url);
  const never = new AbortController().signal;
  const limits = { signal: () => never, onHop: () => undefined };
  const scope = { hosts: [host], local: [host], ...limits };
  return (input, init) =>
    egress.fetch(input, { ...init, scope: { ...scope, hosts: [host, hostname] } });
};

const FETCHES: readonly [string, (server: SessionServer) => typeof fetch][] = [
  ['through the egress guard', guarded],
  ['by plain fetch', () => fetch],
];

const open = async (fetchOf: (server: SessionServer) => typeof fetch, tier: Tier = 'write') => {
  const server = await sessionHttpServer('http');
  ends.push(() => server.close());
  const where = { transport: 'http', url: server.url, command: '', args: [], tier } as const;
  const own = fetchOf(server);
  const { sources, ...rest } = await someServers([someSettings(where)], { fetchFor: () => own });
  ends.push(() => rest.end());
  const tools = (await sources[0]?.load()) ?? [];
  const run = async (name: string): Promise<unknown> => {
    const context = { signal: AbortSignal.timeout(15_000), progress: () => undefined };
    const tool = tools.find((one) => one.name === name);
    return tool?.run({}, context as unknown as ToolContext);
  };
  return { server, run };
};

const LOST = [
  ['whose connection is reset before the answer', 'reset'],
  ['whose answer is torn off', 'torn'],
  ['whose answer is broken JSON', 'broken'],
  ['that is answered with a page', 'page'],
] as const;

describe.each(FETCHES)('a call over HTTP, %s,', (_, fetchOf) => {
  it.each(LOST)(
    '%s is not to be sent again where it may have changed something',
    async (__, name) => {
      const { server, run } = await open(fetchOf);
      await expect(run(name)).rejects.toMatchObject({ extras: { retryable: false } });
      expect(server.seen.calls).toBe(1);
    },
  );

  it('benign: of a tool that only reads may be sent again when its answer is lost', async () => {
    const { run } = await open(fetchOf, 'read_only');
    const failure = await run('reset').catch((error: unknown) => error);
    expect(failure).not.toMatchObject({ extras: { retryable: false } });
  });

  it('benign: that is refused for the load may be sent again', async () => {
    const { run } = await open(fetchOf);
    await expect(run('busy')).rejects.toMatchObject({ extras: { retryable: true } });
  });

  it('benign: that no server takes may be sent again', async () => {
    const { server, run } = await open(fetchOf);
    server.close();
    // The first one may go out on a connection whose end has not been noticed.
    await expect(run('count')).rejects.toThrow();
    const failure = await run('count').catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: expect.stringMatching(/NETWORK|SERVER_ERROR/) });
    expect(failure).not.toMatchObject({ extras: { retryable: false } });
  });
});

describe('a request whose host has no address', () => {
  it.each([
    ['because the name is unknown', () => Promise.reject(new Error('ENOTFOUND'))],
    ['in time', () => new Promise<never>(() => undefined)],
  ])('%s is known not to have been sent', async (_, lookup) => {
    const egress = createEgress({ lookup, connectTimeoutMs: 1 });
    const { signal } = new AbortController();
    const scope = { hosts: ['nowhere.example'], signal: () => signal, onHop: () => undefined };
    const sent = egress.fetch('https://nowhere.example/', { scope });
    expect(await sent.catch(mayHaveRun)).toBe(false);
    await egress.close();
  });
});
