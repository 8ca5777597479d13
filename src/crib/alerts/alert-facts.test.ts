import { describe, expect, it } from 'vitest';
import type { Crib } from '../../contract/crib.ts';
import { createEventBus } from '../../observation/event-bus.ts';
import { WatchedStates } from './alert-facts.ts';

const watching = () => {
  const clock = { now: 1000 };
  const silent = () => undefined;
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const events = createEventBus(log);
  return { clock, events, watched: new WatchedStates(events, () => clock.now) };
};

type Listed = ReturnType<Crib['servers']['list']>;
const listed = (state: string): Listed =>
  [{ name: 'git', state, restarts: 1 }] as unknown as Listed;

describe('the circuits that alerts see', () => {
  it('are those that were opened and not closed yet', () => {
    const { events, watched } = watching();
    events.emit('circuit.opened', { tool: 'one' });
    events.emit('circuit.opened', { tool: 'two' });
    events.emit('circuit.closed', { tool: 'one' });
    expect(watched.circuits).toEqual(['two']);
  });

  it('of a server close when a call of another of its tools closes them', () => {
    const { events, watched } = watching();
    events.emit('circuit.opened', { tool: 'one', server: 'mcp:demo' });
    events.emit('circuit.closed', { tool: 'two', server: 'mcp:demo' });
    expect(watched.circuits).toEqual([]);
  });

  it('of callers are told apart, and their tool is named once', () => {
    const { events, watched } = watching();
    events.emit('circuit.opened', { tool: 'one', userId: 'ada' });
    events.emit('circuit.opened', { tool: 'one', userId: 'eve' });
    events.emit('circuit.closed', { tool: 'one', userId: 'ada' });
    expect(watched.circuits).toEqual(['one']);
  });
});

describe('the servers that alerts see', () => {
  it('are in their state since it was first seen', () => {
    const { clock, watched } = watching();
    watched.servers(listed('open'));
    clock.now += 500;
    expect(watched.servers(listed('open'))[0]).toMatchObject({ name: 'git', forMs: 500 });
    clock.now += 500;
    expect(watched.servers(listed('ready'))[0]).toMatchObject({ state: 'ready', forMs: 0 });
  });
});
