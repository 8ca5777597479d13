/** Notifies clients when a list, or the record of calls, has changed: once for many changes. */
import type { Runtime, Timer } from '../../../contract/runtime.ts';
import type { SurfaceDeps } from '../surface-deps.ts';

export interface Changes {
  toolsChanged(): void;
  resourcesChanged(): void;
  promptsChanged(): void;
  callsChanged(): void;
}

const LISTS_MS = 100;
const CALLS_MS = 1000;

const debounced = (runtime: Runtime, ms: number, run: () => void) => {
  let timer: Timer | undefined;
  return {
    touch: () => {
      if (timer) return;
      timer = runtime.after(ms, () => {
        timer = undefined;
        run();
      });
      timer.keepAlive(false);
    },
    stop: () => timer?.cancel(),
  };
};

/** Starts to watch; returns how to stop. */
export const watchChanges = (
  { crib: { events }, options: { runtime }, resources, prompts }: SurfaceDeps,
  changes: Changes,
): (() => void) => {
  const tools = debounced(runtime, LISTS_MS, () => changes.toolsChanged());
  const resourceLists = debounced(runtime, LISTS_MS, () => changes.resourcesChanged());
  const promptLists = debounced(runtime, LISTS_MS, () => changes.promptsChanged());
  const calls = debounced(runtime, CALLS_MS, () => changes.callsChanged());
  const stops = [
    events.on('tool.registered', tools.touch),
    events.on('tool.unregistered', tools.touch),
    events.on('tool.switched', tools.touch),
    events.on('flow.registered', tools.touch),
    events.on('call.measured', calls.touch),
    ...resources.map((catalog) => catalog.watch?.(resourceLists.touch)),
    ...prompts.map((catalog) => catalog.watch?.(promptLists.touch)),
  ];
  return () => {
    for (const stop of stops) stop?.();
    for (const each of [tools, resourceLists, promptLists, calls]) each.stop();
  };
};
