/** Tells a client how many steps of a run are over, and of how many where the flow declares them. */
import type { Crib } from '../../../contract/crib.ts';
import type { FlowRun } from '../../../contract/flow-store.ts';
import type { Timer } from '../../../contract/runtime.ts';
import type { CallContext } from '../call/call-context.ts';
import type { ServerDeps, SurfaceDeps } from '../surface-deps.ts';
import { stateOf } from './own-runs.ts';
import { isOver, taskOf } from './run-task.ts';

/** Many steps in a row are one notification. */
const GATHER_MS = 100;

/** So many runs of one session are followed; of the others the client is not notified. */
const MAX_FOLLOWED = 100;

type Notify = (notification: { method: string; params: Record<string, unknown> }) => Promise<void>;

type ProgressToken = NonNullable<CallContext['mcpReq']['_meta']>['progressToken'];

interface Progress {
  readonly progress: number;
  readonly total?: number;
}

const progressOf = async ({ flows }: Crib, runId: string): Promise<Progress> => {
  const nodes = await flows.nodes(runId);
  if (nodes) return { progress: nodes.progress.over, total: nodes.progress.all };
  const steps = await flows.steps(runId);
  return { progress: steps.filter(({ state }) => state !== 'open').length };
};

export interface Following {
  /** Sends what has not been sent yet, and stops. */
  finish(): Promise<void>;
  stop(): void;
}

/** Sends progress under the token that the call brought; nothing without one. */
export const followSteps = (
  { crib, options: { runtime } }: Pick<SurfaceDeps, 'crib' | 'options'>,
  { runId, token }: { readonly runId: string; readonly token: ProgressToken },
  notify: Notify,
): Following => {
  if (token === undefined) return { finish: async () => undefined, stop: () => undefined };
  let last = -1;
  let timer: Timer | undefined;
  const send = async (): Promise<void> => {
    const { progress, total } = await progressOf(crib, runId);
    // The protocol demands that progress grows.
    if (progress <= last) return;
    last = progress;
    const params = { progressToken: token, progress, ...(total !== undefined && { total }) };
    await notify({ method: 'notifications/progress', params });
  };
  // The client may have gone, and the store may fail for a moment: the run is not concerned.
  const sendQuietly = (): Promise<void> => send().catch(() => undefined);
  const stopListening = crib.events.on('flow.stepped', (event) => {
    if (event.runId !== runId || timer) return;
    timer = runtime.after(GATHER_MS, () => {
      timer = undefined;
      void sendQuietly();
    });
    timer.keepAlive(false);
  });
  const stop = (): void => {
    stopListening();
    timer?.cancel();
  };
  return {
    stop,
    finish: async () => {
      stop();
      await sendQuietly();
    },
  };
};

/**
 * Notifies a client of 2025-11-25 of its task until the run is over or the session ends: of each
 * status, and of progress where the call brought a token.
 */
export const followTask = (
  deps: ServerDeps,
  { id: runId }: FlowRun,
  token: ProgressToken,
): void => {
  const { crib, options, followed, notify } = deps;
  if (followed.size >= MAX_FOLLOWED) return;
  const steps = followSteps(deps, { runId, token }, notify);
  const tell = async (): Promise<void> => {
    const run = await crib.flows.get(runId);
    if (!run) return;
    if (isOver(run)) await steps.finish();
    const task = taskOf(await stateOf(crib, run, options.runtime.now()));
    if (isOver(run)) stop();
    await notify({ method: 'notifications/tasks/status', params: { ...task } });
  };
  const stopListening = crib.events.on('flow.changed', (event) => {
    const isOwn = event.runId === runId;
    // The run itself does not change when one that it has started is blocked.
    if (isOwn || (event.status === 'blocked' && event.runId.startsWith(`${runId}.`)))
      void tell().catch(() => undefined);
  });
  const stop = (): void => {
    stopListening();
    steps.stop();
    followed.delete(stop);
  };
  followed.add(stop);
  // It may have ended before anybody listened.
  void tell().catch(() => undefined);
};
