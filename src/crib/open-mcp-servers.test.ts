/** What the configuration means to one MCP server. */
import { expect, it } from 'vitest';
import { parseConfig } from '../config/load/parse-config.ts';
import { serverSettings } from './open-mcp-servers.ts';

it('a server uses the global health interval unless it sets its own', () => {
  const servers = { plain: { command: 'a' }, own: { command: 'b', healthCheckIntervalMs: 5000 } };
  const config = parseConfig({ observation: { healthIntervalMs: 7000 }, mcp: { servers } });
  const looks = Object.entries(config.mcp.servers).map(
    ([name, own]) => serverSettings(name, own, { config, root: '/' }).healthCheckIntervalMs,
  );
  expect(looks).toEqual([7000, 5000]);
});
