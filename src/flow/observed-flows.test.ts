import { describe, expect, it, vi } from 'vitest';
import type { Flows } from '../contract/flow-store.ts';
import { observedFlows } from './observed-flows.ts';

/** Every method of the port, with as many arguments as it takes at most. */
const METHODS: Readonly<Record<keyof Flows, number>> = {
  create: 2,
  get: 1,
  list: 1,
  waitingForAnswer: 1,
  claim: 1,
  unclaimed: 1,
  lost: 1,
  steps: 1,
  record: 3,
  release: 3,
  change: 3,
  send: 2,
  wake: 2,
  events: 3,
  eventNames: 3,
  expire: 1,
};

describe('observedFlows', () => {
  it.each(Object.entries(METHODS))('hands on every argument of %s', async (name, count) => {
    const method = vi.fn(async () => undefined);
    const events = { has: () => false, emit: () => undefined };
    const flows = observedFlows({ [name]: method } as unknown as Flows, events);
    const args = Array.from({ length: count }, (_, at) => ({ at }));
    const observed = flows[name as keyof Flows] as unknown as (...given: unknown[]) => unknown;
    await observed(...args);
    expect(method).toHaveBeenCalledWith(...args);
  });
});
