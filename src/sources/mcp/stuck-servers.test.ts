/** Servers that stand and do not list their tools. */
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  ODD_SERVER,
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import type { ServerSettings } from './server-settings.ts';

const PROGRAM = join(import.meta.dirname, '../../../test/fixtures/mcp-servers/stuck-server.mjs');

let servers: SomeServers | undefined;
afterEach(() => servers?.end());

const open = async (settings: Partial<ServerSettings>): Promise<SomeServers> => {
  servers = await someServers([someSettings({ name: 'stuck', ...settings })]);
  return servers;
};

it('the test of a server fails when its list of tools never comes', {
  timeout: 30_000,
}, async () => {
  const { servers: all, sources } = await open({ args: [PROGRAM, 'hang'], startTimeoutMs: 1500 });
  // As when a crib is opened: the connection stands, and the list is still awaited.
  const loading = sources[0]?.load().catch(() => []);
  await expect(all.test('stuck')).rejects.toMatchObject({ code: 'SERVER_ERROR' });
  await loading;
});

it('the test of a server says that its list is too large', { timeout: 30_000 }, async () => {
  const { servers: all } = await open({ args: [PROGRAM, 'huge'], maxMessageBytes: 1_000_000 });
  await expect(all.test('stuck')).rejects.toMatchObject({
    code: 'OUTPUT_TOO_LARGE',
    message: 'The MCP server stuck sent a message that is too large.',
  });
  expect(all.list()[0]?.lastError).toContain('too large');
});

it('the test of a server that works counts its tools', { timeout: 30_000 }, async () => {
  const { servers: all } = await open({ args: [ODD_SERVER] });
  const { state, tools } = await all.test('stuck');
  expect(state).toBe('ready');
  expect(tools).toBeGreaterThan(0);
});
