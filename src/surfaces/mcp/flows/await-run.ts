/** Waits for a run on behalf of a request. A request that ends early does not end the run. */
import type { FlowRun } from '../../../contract/flow-store.ts';
import type { CallContext } from '../call/call-context.ts';
import type { ServerDeps, SurfaceDeps } from '../surface-deps.ts';
import { askApproval, openApprovals } from './ask-approval.ts';
import { isStuck, stateOf } from './own-runs.ts';
import { isOver } from './run-task.ts';

/** How often the store is read for what other processes do. */
const LOOK_EVERY_MS = 1_000;

/** Resolves when the run has changed its status, the time is over or the client has gone. */
const nextChange = (
  { crib, options: { runtime } }: Pick<SurfaceDeps, 'crib' | 'options'>,
  runId: string,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
) => {
  let stop = (): void => undefined;
  const happened = new Promise<void>((resolve) => {
    const stopListening = crib.events.on('flow.changed', (event) => {
      if (event.runId === runId) resolve();
    });
    const timer = runtime.after(ms, resolve);
    timer.keepAlive(false);
    const leave = (): void => resolve();
    signal.addEventListener('abort', leave, { once: true });
    stop = () => {
      signal.removeEventListener('abort', leave);
      stopListening();
      timer.cancel();
      resolve();
    };
  });
  return { happened, stop: () => stop() };
};

export interface Waiting {
  readonly ctx: CallContext;
  readonly run: FlowRun;
  /** When the wait is over; never when absent. */
  readonly deadline?: number;
  /** Keeps waiting for what may take days: the client asked for the end of the run. */
  readonly isPatient: boolean;
}

/** Tells whether a run rests for longer than its client waits. */
const restsBeyond = ({ status, wakeAt, waitsFor = [] }: FlowRun, deadline: number): boolean =>
  (status === 'sleeping' && (wakeAt === undefined || wakeAt > deadline)) ||
  (status === 'waiting' && waitsFor.some((each) => each.startsWith('event:')));

class RunWait {
  readonly #deps: ServerDeps;
  readonly #waiting: Waiting;
  /** Approvals that the person behind the client has been asked about. */
  readonly #asked = new Set<string>();

  constructor(deps: ServerDeps, waiting: Waiting) {
    this.#deps = deps;
    this.#waiting = waiting;
  }

  async end(): Promise<FlowRun> {
    const { crib, options } = this.#deps;
    const { run, ctx, deadline = Number.POSITIVE_INFINITY } = this.#waiting;
    const { signal } = ctx.mcpReq;
    for (;;) {
      const left = Math.max(0, deadline - options.runtime.now());
      const ms = Math.min(left, LOOK_EVERY_MS);
      const change = nextChange(this.#deps, run.id, { ms, signal });
      try {
        const latest = (await crib.flows.get(run.id)) ?? run;
        if (left === 0 || signal.aborted || isOver(latest)) return latest;
        if (isStuck(await stateOf(crib, latest, options.runtime.now()))) return latest;
        if (await this.#isResting(latest, deadline)) return latest;
        await change.happened;
      } finally {
        change.stop();
      }
    }
  }

  /** Asks the client about open approvals; tells whether the run rests for longer than this request waits. */
  async #isResting(run: FlowRun, deadline: number): Promise<boolean> {
    const { ctx, isPatient } = this.#waiting;
    if (!isPatient && restsBeyond(run, deadline)) return true;
    const open = await openApprovals(this.#deps.crib, run);
    const mayAsk = this.#deps.era === 'legacy' && this.#deps.canElicit?.(ctx) === true;
    for (const record of open) {
      if (!mayAsk || this.#asked.has(record.id)) continue;
      this.#asked.add(record.id);
      await askApproval(this.#deps, ctx, { record, runId: run.id });
    }
    return !isPatient && open.some(({ id }) => !this.#asked.has(id));
  }
}

/**
 * Returns the run when it is over, it or all that it waits for is blocked, or its client has gone;
 * otherwise at the deadline, or as soon as it is known to rest beyond the deadline.
 */
export const awaitRun = (deps: ServerDeps, waiting: Waiting): Promise<FlowRun> =>
  new RunWait(deps, waiting).end();
