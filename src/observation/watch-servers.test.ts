import { describe, expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import type { ServerState, ServerStatus } from '../contract/servers.ts';
import { createEventBus } from './event-bus.ts';
import { watchServers } from './watch-servers.ts';

const setUp = () => {
  const runtime = fakeRuntime();
  const events = createEventBus(runtime.log);
  const states: Record<string, ServerState> = { files: 'idle', web: 'ready' };
  let looks = 0;
  const list = () => {
    looks++;
    return Object.entries(states).map(([name, state]) => ({ name, state }) as ServerStatus);
  };
  const stop = watchServers({ list }, { events, runtime });
  return { runtime, events, states, stop, looks: () => looks };
};

describe('watchServers', () => {
  it('tells of the server that changed, once', async () => {
    const { runtime, events, states } = setUp();
    const seen: unknown[] = [];
    events.on('server.changed', (changed) => seen.push(changed));
    states.files = 'starting';
    await runtime.advance(3000);
    expect(seen).toEqual([{ server: 'files', state: 'starting' }]);
  });

  it('does not look while nobody listens, and stops when told to', async () => {
    const { runtime, events, stop, looks } = setUp();
    await runtime.advance(3000);
    expect(looks()).toBe(1);
    events.on('server.changed', () => undefined);
    await runtime.advance(1000);
    expect(looks()).toBe(2);
    stop();
    expect(runtime.pendingTimers).toBe(0);
  });
});
