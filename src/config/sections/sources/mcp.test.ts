import { describe, expect, it } from 'vitest';
import { narrowProject } from '../../../trust/narrow-project.ts';
import { ConfigError } from '../../config-error.ts';
import type { Tree } from '../../document/config-tree.ts';
import { configShape } from '../../document/read-config-shape.ts';
import { parseConfig } from '../../load/parse-config.ts';

const serverOf = (server: unknown) =>
  parseConfig({ mcp: { servers: { s: server } } }).mcp.servers.s;
const layerOf = (server: unknown): Tree => ({ mcp: { servers: { s: server } } });

const narrow = (project: unknown, user: Tree) =>
  narrowProject({ path: 'P', value: layerOf(project), position: () => undefined }, user, {
    shape: configShape(),
    projectDir: '/project',
  });

describe('the sandbox of a server', () => {
  it('takes paths, hosts and limits', () => {
    const sandbox = { read: ['.'], write: ['out'], hosts: ['x.test'], memoryMb: 64, processes: 4 };
    expect(serverOf({ command: 'x', sandbox })).toEqual({ command: 'x', sandbox });
  });

  it.each([
    [{ url: 'https://x.test', sandbox: { read: [] } }, /runs elsewhere/],
    [{ command: 'x', sandbox: {} }, /"read: \[\]"/],
    [{ command: 'x', sandbox: { read: [''] } }, /read/],
    [{ command: 'x', sandbox: { memoryMb: 0 } }, /memoryMb/],
    [{ command: 'x', sandbox: { network: true } }, /network/],
    [{ command: 'x', oauth: { clientId: 'a' } }, /"url"/],
    [{ url: 'https://x.test', oauth: { redirectPort: 70_000 } }, /redirectPort/],
  ])('refuses %j', (server, message) => {
    expect(() => serverOf(server)).toThrow(ConfigError);
    expect(() => serverOf(server)).toThrow(message);
  });

  it('threat: a project that widens what the user allowed', async () => {
    const user = layerOf({ command: 'x', sandbox: { read: ['a'], hosts: [] } });
    const wider = { read: ['/'], write: ['/'], hosts: ['*'], memoryMb: 99_999, processes: 9999 };
    const { layer, changes } = await narrow({ sandbox: wider }, user);
    expect(changes).toEqual([]);
    expect(JSON.stringify(layer.value)).not.toContain('sandbox');
  });

  it('a project confines servers of its own', async () => {
    const own = { command: 'x', sandbox: { read: ['.'] } };
    expect((await narrow(own, {})).layer.value).toEqual(layerOf(own));
  });

  it('threat: a project that chooses how the user logs in', async () => {
    const server = { url: 'https://x.test', oauth: { clientId: 'evil', scope: 'all' } };
    const { layer, narrowed } = await narrow(server, {});
    expect(layer.value).toEqual(layerOf({ url: 'https://x.test' }));
    expect(narrowed.map(({ path }) => path)).toEqual([
      'mcp.servers.s.oauth.clientId',
      'mcp.servers.s.oauth.scope',
    ]);
  });
});
