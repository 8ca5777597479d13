/** Delivers events to listeners. A listener that throws is logged; the others still get the event. */
import type { CribEvents, EventName, Events } from '../contract/events.ts';
import type { Logger } from '../contract/runtime.ts';

type Listener = (payload: never) => void;

/** Replaces the lists of listeners and never changes them, so that listening during an event does not affect it. */
export const createEventBus = (log: Logger): Events => {
  const listeners = new Map<EventName, readonly Listener[]>();
  return {
    has: (name) => listeners.has(name),
    emit: (name, payload) => {
      const current = listeners.get(name);
      if (!current) return;
      for (const listener of current) {
        try {
          (listener as (payload: CribEvents[typeof name]) => void)(payload);
        } catch (error) {
          log.error('event listener threw', { event: name, error: String(error) });
        }
      }
    },
    on: (name, listener) => {
      const others = () => listeners.get(name)?.filter((other) => other !== listener) ?? [];
      listeners.set(name, [...others(), listener as Listener]);
      return () => {
        const left = others();
        if (left.length > 0) listeners.set(name, left);
        else listeners.delete(name);
      };
    },
  };
};
