import { expect, it } from 'vitest';
import { fakeRuntime } from '../../test/fixtures/fake-runtime.ts';
import { createEventBus } from './event-bus.ts';

const open = () => {
  const { log, logged } = fakeRuntime();
  return { bus: createEventBus(log), logged };
};

const circuit = { tool: 't' } as const;

it('an event bus calls listeners in order, and tells whether there are any', () => {
  const { bus } = open();
  const heard: string[] = [];
  expect(bus.has('circuit.closed')).toBe(false);
  const stop = bus.on('circuit.closed', ({ tool }) => void heard.push(`first ${tool}`));
  bus.on('circuit.closed', ({ tool }) => void heard.push(`second ${tool}`));
  bus.emit('circuit.closed', circuit);
  stop();
  stop();
  bus.emit('circuit.closed', circuit);
  expect(heard).toEqual(['first t', 'second t', 'second t']);
  expect([bus.has('circuit.closed'), bus.has('circuit.opened')]).toEqual([true, false]);
});

it('an event bus calls the listeners of that moment, also when one is added or removed meanwhile', () => {
  const { bus } = open();
  const heard: string[] = [];
  const stops: (() => void)[] = [];
  bus.on('circuit.closed', () => {
    for (const stop of stops) stop();
    bus.on('circuit.closed', () => void heard.push('late'));
  });
  stops.push(bus.on('circuit.closed', () => void heard.push('leaving')));
  bus.emit('circuit.closed', circuit);
  expect(heard).toEqual(['leaving']);
});

it('an event bus calls a function that listens twice only once', () => {
  const { bus } = open();
  let heard = 0;
  const listener = () => {
    heard += 1;
  };
  bus.on('circuit.closed', listener);
  const stop = bus.on('circuit.closed', listener);
  bus.emit('circuit.closed', circuit);
  stop();
  expect([heard, bus.has('circuit.closed')]).toEqual([1, false]);
});

it('an event bus calls the other listeners after one that throws, and logs the fault', () => {
  const { bus, logged } = open();
  let heard = 0;
  bus.on('circuit.closed', () => {
    throw new Error('mine');
  });
  bus.on('circuit.closed', () => {
    heard += 1;
  });
  bus.emit('circuit.closed', circuit);
  expect(heard).toBe(1);
  expect(logged).toMatchObject([{ level: 'error', fields: { event: 'circuit.closed' } }]);
});
