/** What clients of the 2026-07-28 protocol hear of changes at servers behind the crib. */
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/fixtures/eventually.ts';
import {
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import {
  httpClient,
  openSurface,
  type TestSurface,
  tokens,
} from '../../../test/fixtures/mcp-surface.ts';
import { serverPrompts, serverResources } from './lists/server-resources.ts';
import { loadSdk } from './load-sdk.ts';

const PROGRAM = join(
  import.meta.dirname,
  '../../../test/fixtures/mcp-servers/forwarding-server.mjs',
);
const NOTE = 'toolcrib://servers/notes/note%3A%2F%2F%2Fa%3Fb%23c';

let behind: SomeServers;
let open: TestSurface;
beforeEach(async () => {
  behind = await someServers([someSettings({ name: 'notes', args: [PROGRAM] })]);
  open = await openSurface((await behind.sources[0]?.load()) ?? [], {
    http: { authenticate: tokens },
    resources: [serverResources(behind.servers, await loadSdk())],
    prompts: [serverPrompts(behind.servers)],
  });
});
afterEach(async () => {
  await open.close();
  await behind.end();
});
const logs = (): string => behind.servers.logs('notes').join('\n');
const change = (client: Client) => client.callTool({ name: 'change', arguments: {} });

const WAYS: readonly (readonly [string, () => Promise<Client>])[] = [
  ['over a connection', () => open.client('modern')],
  ['over HTTP', () => httpClient(open.surface, 'modern')],
];

describe.each(WAYS)(
  'a client of the 2026-07-28 protocol, %s',
  { timeout: 30_000 },
  (_, connect) => {
    it('is notified of updates of a resource until it stops listening', async () => {
      const client = await connect();
      const updated = vi.fn();
      client.setNotificationHandler('notifications/resources/updated', updated);
      const subscription = await client.listen({ resourceSubscriptions: [NOTE] });
      expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [NOTE] });
      await change(client);
      await eventually(() => expect(updated).toHaveBeenCalled());
      expect(updated.mock.calls[0]?.[0]).toMatchObject({ params: { uri: NOTE } });
      await subscription.close();
      await eventually(() => expect(logs()).toContain('unsubscribed'));
    });

    it('is subscribed once however often it listens, and until it leaves', async () => {
      const client = await connect();
      const [first] = await Promise.all([
        client.listen({ resourceSubscriptions: [NOTE] }),
        client.listen({ resourceSubscriptions: [NOTE] }),
      ]);
      await first.close();
      const updated = vi.fn();
      client.setNotificationHandler('notifications/resources/updated', updated);
      await change(client);
      await eventually(() => expect(updated).toHaveBeenCalledTimes(1));
      expect(logs()).not.toContain('unsubscribed');
      await client.close();
      await eventually(() => expect(logs()).toContain('unsubscribed'));
    });

    it('learns which resources cannot be listened to', async () => {
      const client = await connect();
      const foreign = 'toolcrib://servers/notes/refused%3A%2F%2Fx';
      const subscription = await client.listen({ resourceSubscriptions: [foreign, NOTE] });
      expect(subscription.honoredFilter).toEqual({ resourceSubscriptions: [NOTE] });
    });

    it('hears that lists of resources and prompts changed, if it wants to', async () => {
      const client = await connect();
      const heard: string[] = [];
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        heard.push('resources');
      });
      client.setNotificationHandler('notifications/prompts/list_changed', () => {
        heard.push('prompts');
      });
      await client.listen({ resourcesListChanged: true, promptsListChanged: true });
      await change(client);
      await eventually(async () => {
        await open.crib.runtime.advance(1000);
        expect(heard.toSorted()).toEqual(['prompts', 'resources']);
      });
    });

    it('threat: a server that reports changes without end is passed on at a limited rate', async () => {
      const client = await connect();
      const updated = vi.fn();
      client.setNotificationHandler('notifications/resources/updated', updated);
      await client.listen({ resourceSubscriptions: [NOTE] });
      const before = logs().match(/listed/g)?.length ?? 0;
      await client.callTool({ name: 'flood', arguments: {} });
      await eventually(() => expect(updated).toHaveBeenCalled());
      expect(updated.mock.calls.length).toBeLessThan(100);
      expect((logs().match(/listed/g)?.length ?? 0) - before).toBeLessThan(10);
    });
  },
);
