/** Tells listeners what happens. A listener that throws is logged and disturbs nobody else. */
import type { CribEvents, EventName, Events } from '../contract/events.ts';
import type { Logger } from '../contract/runtime.ts';

type Listener = (payload: never) => void;

export const createEventBus = (log: Logger): Events => {
  const listeners = new Map<EventName, Set<Listener>>();
  return {
    has: (name) => listeners.has(name),
    emit: (name, payload) => {
      const hearing = listeners.get(name);
      if (!hearing) return;
      for (const listener of [...hearing]) {
        try {
          (listener as (payload: CribEvents[typeof name]) => void)(payload);
        } catch (error) {
          log.error('event listener threw', { event: name, error: String(error) });
        }
      }
    },
    on: (name, listener) => {
      const hearing = listeners.get(name) ?? new Set();
      listeners.set(name, hearing);
      hearing.add(listener as Listener);
      return () => {
        hearing.delete(listener as Listener);
        if (hearing.size === 0 && listeners.get(name) === hearing) listeners.delete(name);
      };
    },
  };
};
