import { afterEach, describe, expect, it, vi } from 'vitest';
import { expectGone } from '../../../test/fixtures/mcp-servers/processes.ts';
import {
  ODD_SERVER,
  type SomeServers,
  someServers,
  someSettings,
} from '../../../test/fixtures/mcp-servers/some-servers.ts';
import type { ToolContext } from '../../contract/context.ts';
import type { ServerSettings } from './server-settings.ts';

const opened: SomeServers[] = [];
const PATIENT = { timeout: 20_000, interval: 50 };

afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.end()));
});

const open = async (settings: Partial<ServerSettings> = {}): Promise<SomeServers> => {
  const servers = await someServers([someSettings(settings)]);
  opened.push(servers);
  return servers;
};

const run = async ({ sources }: SomeServers, name: string): Promise<unknown> => {
  const tool = (await sources[0]?.load())?.find((one) => one.name === name);
  const context = { signal: new AbortController().signal, progress: () => undefined };
  return tool?.run({ word: 'ok' }, context as unknown as ToolContext);
};

const status = ({ servers }: SomeServers) => servers.list()[0];

describe('a server that dies', () => {
  it('fails the call that was under way, is started again by itself, and calls wait for it', async () => {
    const servers = await open();
    const before = Number(await run(servers, 'pid'));
    await expect(run(servers, 'die')).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    await expectGone([before]);
    expect(await run(servers, 'echo')).toBe('ok');
    expect(status(servers)).toMatchObject({ state: 'ready', restarts: 1 });
    expect(Number(await run(servers, 'pid'))).not.toBe(before);
  });

  it('that may be sent again only where it changes nothing', async () => {
    const reads = await open({ tier: 'read_only' });
    await expect(run(reads, 'die')).rejects.toMatchObject({ extras: { retryable: true } });
    const writes = await open({ tier: 'write' });
    await expect(run(writes, 'die')).rejects.toMatchObject({ extras: { retryable: false } });
  });

  it('too often is given up, says so at once, and comes back when somebody restarts it', async () => {
    const servers = await open({ maxRestarts: 0 });
    await expect(run(servers, 'die')).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    expect(status(servers)).toMatchObject({
      state: 'open',
      lastError: 'it ended with exit code 3',
    });
    await expect(run(servers, 'echo')).rejects.toMatchObject({
      code: 'CIRCUIT_OPEN',
      extras: { retryAfterMs: expect.any(Number) },
    });
    expect(await servers.servers.restart('odd')).toMatchObject({ state: 'ready' });
    expect(await run(servers, 'echo')).toBe('ok');
  });

  it('is given up when it dies at every start', async () => {
    const servers = await open({ args: [ODD_SERVER, '--mode', 'die'], maxRestarts: 1 });
    for (let n = 0; n < 2; n++) {
      await expect(run(servers, 'echo')).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    }
    await expect(run(servers, 'echo')).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
  });
});

describe('a server that is not used', () => {
  it('is ended after a while, and started by the next call', async () => {
    const servers = await open({ idleMs: 300 });
    const pid = Number(await run(servers, 'pid'));
    await vi.waitFor(() => expect(status(servers)?.state).toBe('idle'), PATIENT);
    await expectGone([pid]);
    expect(await run(servers, 'echo')).toBe('ok');
    expect(status(servers)).toMatchObject({ restarts: 0 });
  });

  it('is asked from time to time whether it is there', async () => {
    const servers = await open({ healthCheckIntervalMs: 100 });
    await run(servers, 'echo');
    await vi.waitFor(() => expect(status(servers)?.latencyMs).toBeGreaterThan(0), PATIENT);
  });
});
