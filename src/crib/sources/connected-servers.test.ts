/** MCP servers that are connected and disconnected while a crib is open. Real processes. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ODD_SERVER } from '../../../test/fixtures/mcp-servers/some-servers.ts';
import type { ConfigInput } from '../../config/schema.ts';
import type { CribHost } from '../../contract/crib-host.ts';
import type { ServerRequest } from '../../contract/servers.ts';
import { createCribHost } from '../create-crib.ts';

let home: string;
let crib: CribHost | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolcrib-connected-'));
});

afterEach(async () => {
  await crib?.close();
  crib = undefined;
  await rm(home, { recursive: true, force: true });
});

const open = async (config: ConfigInput = {}): Promise<CribHost> => {
  crib = await createCribHost({
    home,
    root: home,
    store: 'memory',
    builtins: false,
    config: { registry: { lock: 'off' }, ...config },
  });
  return crib;
};

const ODD = { name: 'odd', command: process.execPath, args: [ODD_SERVER], tier: 'read_only' };

describe('an MCP server connected at run time', { timeout: 60_000 }, () => {
  it('brings its tools, is listed, and takes them along when it is disconnected', async () => {
    const mine = await open();
    const { servers, tools } = mine;
    expect(servers.list()).toEqual([]);
    expect(await servers.connect(ODD)).toMatchObject({ name: 'odd', state: 'ready' });
    expect(servers.list()).toMatchObject([{ name: 'odd' }]);
    expect(await mine.execute('echo', { word: 'hi' })).toMatchObject({ status: 'success' });
    await servers.disconnect('odd');
    expect([servers.list(), tools.get('echo')]).toEqual([[], undefined]);
    expect(await servers.connect(ODD)).toMatchObject({ state: 'ready' });
  });

  it('stands beside those of the configuration, and its lists are watched', async () => {
    const { args, command } = ODD;
    const { servers } = await open({ mcp: { servers: { first: { command, args } } } });
    await servers.connect(ODD);
    expect(servers.list().map(({ name }) => name)).toEqual(['first', 'odd']);
    await expect(servers.connect(ODD)).rejects.toMatchObject({ code: 'CONFLICT' });
    await servers.disconnect('first');
    expect(servers.list().map(({ name }) => name)).toEqual(['odd']);
  });

  it('leaves nothing behind when it does not start', async () => {
    const { servers } = await open();
    const bad = { ...ODD, args: ['-e', 'process.exit(3)'] };
    await expect(servers.connect(bad)).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    expect(servers.list()).toEqual([]);
    await expect(servers.disconnect('odd')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is refused with settings that the configuration would refuse', async () => {
    const { servers } = await open();
    await expect(servers.connect({ ...ODD, comand: 'x' })).rejects.toThrow(/comand/);
    await expect(servers.connect({ name: '__proto__', command: 'x' })).rejects.toThrow();
  });

  it('threat: is refused where servers are switched off or a team forbids local tools', async () => {
    const off = await open({ mcp: { enabled: false } });
    await expect(off.servers.connect(ODD)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    await crib?.close();
    const team = await open({ enforcement: { disableLocalTools: true } });
    await expect(team.servers.connect(ODD)).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('threat: its tools stay in quarantine until a person accepts them', async () => {
    crib = await createCribHost({ home, root: home, store: 'memory', builtins: false });
    await crib.servers.connect(ODD);
    expect(await crib.execute('echo', { word: 'hi' })).toMatchObject({ status: 'denied' });
  });

  it('answers requests that only read', async () => {
    const { servers } = await open();
    await servers.connect(ODD);
    const { tools } = await servers.request('odd', { method: 'tools/list' });
    expect(tools).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'echo' })]));
    expect(await servers.request('odd', { method: 'ping' })).toEqual({});
    const unknown = servers.request('none', { method: 'ping' });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it.each(['tools/call', 'logging/setLevel', 'constructor', 'initialize'])(
    'threat: the request %s is refused, because it would bypass the pipeline',
    async (method) => {
      const { servers } = await open();
      await servers.connect(ODD);
      const request = { method, params: { name: 'echo' } } as unknown as ServerRequest;
      await expect(servers.request('odd', request)).rejects.toMatchObject({
        code: 'PERMISSION_DENIED',
      });
    },
  );

  it('threat: an answer larger than the server may give is refused', async () => {
    const { servers } = await open();
    await servers.connect({ ...ODD, maxOutputBytes: 100 });
    const listed = servers.request('odd', { method: 'tools/list' });
    await expect(listed).rejects.toMatchObject({ code: 'OUTPUT_TOO_LARGE' });
  });

  it('reports its notifications as events', async () => {
    const mine = await open();
    await mine.servers.connect(ODD);
    const notified = new Promise((resolve) => mine.events.on('server.notified', resolve));
    await mine.execute('change', {});
    expect(await notified).toEqual({ server: 'odd', method: 'notifications/tools/list_changed' });
  });
});
