import { describe, expect, it } from 'vitest';
import { LOCAL_CALLER } from '../../contract/caller.ts';
import type { FlowEvent, FlowRun } from '../../contract/flow-store.ts';
import type { StepAttempt } from '../turn.ts';
import { EventInbox } from './event-inbox.ts';

const run: FlowRun = {
  id: 'run',
  epoch: 1,
  flow: 'f',
  version: '1.0.0',
  input: null,
  caller: LOCAL_CALLER,
  status: 'running',
  createdAt: 0,
  updatedAt: 0,
};
const seals = {
  isOn: true,
  seal: () => 'ours',
  isOurs: (_text: string, seal: string | undefined) => seal === 'ours',
  isRunOurs: async () => true,
};

const open = (events: readonly FlowEvent[]) => {
  const read: number[] = [];
  const pageOf = (after: number, limit: number) =>
    events.filter(({ id }) => id > after).slice(0, limit);
  const flows = {
    events: async (_runId: string, after = 0, limit = Number.POSITIVE_INFINITY) => {
      const page = pageOf(after, limit);
      read.push(...page.map(({ id }) => id));
      return page;
    },
    eventNames: async (_runId: string, after = 0, limit = Number.POSITIVE_INFINITY) =>
      pageOf(after, limit).map(({ id, name }) => ({ id, name })),
  };
  const inbox = new EventInbox({ run, flows, seals, runtime: { now: () => 0 } }, []);
  const take = async (name: string) => {
    const attempt = { key: name, open: undefined } as StepAttempt;
    const end = await inbox.take(name, undefined, attempt);
    return end.state === 'done' ? end.value : end.state;
  };
  return { inbox, take, read };
};

const eventsOf = (count: number, part: (id: number) => Partial<FlowEvent>): FlowEvent[] =>
  Array.from({ length: count }, (_, at) => ({
    id: at + 1,
    name: 'x',
    payload: at + 1,
    at: 0,
    seal: 'ours',
    ...part(at + 1),
  }));

describe('the inbox of a run', () => {
  it('threat: reads no payload but of events that are taken, however many others there are', async () => {
    const { inbox, take, read } = open(eventsOf(1000, (id) => ({ name: id > 998 ? 'go' : 'x' })));
    expect([await take('go'), await take('go'), await take('go')]).toEqual([999, 1000, 'parked']);
    expect(read).toEqual([999, 1000]);
    expect(inbox.seen).toBe(1000);
  });

  it('gives two steps that take at once an event each, the oldest first', async () => {
    const { take } = open(eventsOf(3, () => ({})));
    expect(await Promise.all([take('x'), take('x'), take('x')])).toEqual([1, 2, 3]);
  });

  it.each([0, 1, 2, 3, 4, 5, 6])(
    'claims no event that only another step has looked at, which read it %i ticks later',
    async (ticks) => {
      const event = { id: 1, name: 'x', payload: 1, at: 0, seal: 'ours' };
      const pages: ((page: readonly FlowEvent[]) => void)[] = [];
      const events = (_runId: string, after = 0): Promise<readonly FlowEvent[]> =>
        after === 0 && pages.length < 2
          ? new Promise((resolve) => pages.push(resolve))
          : Promise.resolve([event]);
      const inbox = new EventInbox(
        { run, flows: { events, eventNames: events }, seals, runtime: { now: () => 0 } },
        [],
      );
      const [x, y] = ['x', 'y'].map((key) =>
        inbox.take(key, undefined, { key, open: undefined } as StepAttempt),
      );
      pages[0]?.([]);
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve();
      // Another process has sent it in between.
      pages[1]?.([event]);
      const isTaken = (await x)?.state === 'done';
      await y;
      expect(inbox.seen).toBe(isTaken ? 1 : 0);
    },
  );

  it('threat: hands out no event that nobody of this user sent', async () => {
    const { take } = open(eventsOf(3, (id) => (id === 2 ? { seal: 'forged' } : {})));
    expect([await take('x'), await take('x'), await take('x')]).toEqual([1, 3, 'parked']);
  });
});
