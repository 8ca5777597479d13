/** The journal of flows with events: tells who listens when a run changes its status, and of each step. */
import type { Events } from '../contract/events.ts';
import type { FlowRun, Flows, JournalStep } from '../contract/flow-store.ts';

type Bus = Pick<Events, 'has' | 'emit'>;

const changed = ({ id, flow, status, caller }: FlowRun, events: Bus): void =>
  events.emit('flow.changed', { runId: id, flow, status, userId: caller.userId });

const stepped = (run: FlowRun, steps: readonly JournalStep[], events: Bus): void => {
  for (const { key, kind, name, state } of steps) {
    const { userId } = run.caller;
    events.emit('flow.stepped', { runId: run.id, step: { key, kind, name, state }, userId });
  }
};

/**
 * Returns the journal with events. They are made beside the work, and the store is read for them only
 * while somebody listens: a run waits for none of them.
 */
export const observedFlows = (flows: Flows, events: Bus): Flows => {
  const tell = (runId: string, work: (run: FlowRun) => void): void => {
    flows.get(runId).then(
      (run) => run && work(run),
      // An event is lost: the store has failed, and whoever looks next finds what is on record.
      () => undefined,
    );
  };
  return {
    create: async (run, options) => {
      const isNew = await flows.create(run, options);
      if (!isNew) return false;
      if (options?.steps && events.has('flow.stepped')) stepped(run, options.steps, events);
      if (events.has('flow.changed')) changed(run, events);
      return true;
    },
    get: (runId) => flows.get(runId),
    list: (filter) => flows.list(filter),
    waitingForAnswer: (limit) => flows.waitingForAnswer(limit),
    claim: (request) => flows.claim(request),
    unclaimed: (request) => flows.unclaimed(request),
    lost: (claims) => flows.lost(claims),
    steps: (runId) => flows.steps(runId),
    record: async (claim, steps, durability) => {
      await flows.record(claim, steps, durability);
      if (events.has('flow.stepped')) tell(claim.id, (run) => stepped(run, steps, events));
    },
    release: async (claim, change, options) => {
      const run = await flows.release(claim, change, options);
      if (options?.steps && events.has('flow.stepped')) stepped(run, options.steps, events);
      if (events.has('flow.changed')) changed(run, events);
      return run;
    },
    change: async (runId, change, options) => {
      const isChanged = await flows.change(runId, change, options);
      if (isChanged && events.has('flow.changed')) tell(runId, (run) => changed(run, events));
      return isChanged;
    },
    send: (runId, event) => flows.send(runId, event),
    wake: (runId, now) => flows.wake(runId, now),
    events: (runId, after, limit) => flows.events(runId, after, limit),
    eventNames: (runId, after, limit) => flows.eventNames(runId, after, limit),
    expire: (before) => flows.expire(before),
  };
};
