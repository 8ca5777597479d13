/**
 * What is done with runs from outside: they are started, waited for, sent events, cancelled and resumed.
 * The work at them is that of `run-turns.ts`; `due-runs.ts` finds those to continue.
 */
import type { Events } from '../contract/events.ts';
import type { FlowDefinition, StartedRun, StartFlowAs } from '../contract/flow.ts';
import type { FlowRun, JournalStep, RunPlan } from '../contract/flow-store.ts';
import { callerOf } from '../pipeline/new-call.ts';
import { approvalWait } from './due/answered-waits.ts';
import { DueRuns } from './due/due-runs.ts';
import { RunScheduler } from './due/run-scheduler.ts';
import { endRun, undoing } from './end-run.ts';
import { checkEvent } from './events/check-event.ts';
import { resumeRun } from './resume/resume-run.ts';
import { assertRunId, type NewRun } from './run-record.ts';
import { sealedEvent } from './run-seals.ts';
import { traceOf } from './run-span.ts';
import { RunTurns, type RunTurnsDeps } from './run-turns.ts';
import { noRun, RunWatchers, unwatchable } from './run-watchers.ts';
import { plainValue } from './turn.ts';

export interface FlowServiceDeps extends RunTurnsDeps {
  readonly events: Pick<Events, 'on'>;
  nextId(): string;
  /** Continues only the runs that were started or are waited for here; otherwise all that are due. */
  readonly onlyAwaited?: boolean;
}

/** What a run is started with: who starts it, and the plan that was approved. */
export interface StartRunAs extends Omit<StartFlowAs, 'planDigest' | 'planApproval'> {
  readonly plan?: RunPlan;
}

export class FlowService {
  readonly #deps: FlowServiceDeps;
  readonly #watchers = new RunWatchers();
  readonly #turns: RunTurns;
  readonly #dueRuns: DueRuns;
  readonly #scheduler: RunScheduler;
  readonly #stopListening: () => void;
  #isClosed = false;

  constructor(deps: FlowServiceDeps) {
    this.#deps = deps;
    const watchers = this.#watchers;
    const scheduler = new RunScheduler({
      runtime: deps.runtime,
      look: () => this.#dueRuns.look(),
      isAwaited: () => watchers.size > 0,
    });
    this.#scheduler = scheduler;
    const turns = new RunTurns(deps, { watchers, scheduler });
    this.#turns = turns;
    const { registry, runtime, flows, approval, onlyAwaited = false } = deps;
    this.#dueRuns = new DueRuns({
      registry,
      runtime,
      turns,
      watchers,
      scheduler,
      onlyAwaited,
      flows: () => flows(),
      approval: (id) => approval(id),
    });
    this.#stopListening = deps.events.on('approval.decided', ({ approvalId }) => {
      turns.recheck(approvalWait(approvalId));
      this.#dueRuns.expectAnswer();
      scheduler.after(0);
    });
  }

  /** Looks for runs that are due: a flow was registered, or somebody waits for one. */
  continueDue(): void {
    this.#scheduler.after(0);
  }

  /** Starts a run. Rejects with NOT_FOUND or VALIDATION_ERROR before anything is written. */
  async start(
    name: string,
    input: unknown,
    { runId, version, plan, ...as }: StartRunAs = {},
  ): Promise<StartedRun> {
    const { registry, nextId } = this.#deps;
    if (runId !== undefined) assertRunId(runId);
    const flow = registry.get(name, version);
    const { dailyUsd } = as;
    const limits = { ...(dailyUsd !== undefined && { dailyUsd }), ...(plan && { plan }) };
    const parsed = plainValue(await registry.parseInput(flow, input));
    const part = { input: parsed, caller: callerOf(as), ...limits, ...traceOf(as) };
    if (runId === undefined) return this.#startNew(flow, { id: nextId(), ...part });
    await this.#turns.create(flow, { id: runId, ...part });
    const finished = this.whenOver(runId);
    // Those who do not wait for the end need not handle its failure.
    finished.catch(() => undefined);
    return { runId, finished };
  }

  /**
   * Resolves when the run is finished or blocked, in whichever process. Rejects with NOT_FOUND, and with
   * STORE_UNAVAILABLE when the crib is closed before.
   */
  async whenOver(runId: string): Promise<FlowRun> {
    if (this.#isClosed) throw unwatchable(runId);
    // Before the run is read, so that its end cannot be missed in between.
    const over = this.#watchers.wait(runId);
    // It rejects when the crib is closed while the run is read: nobody has the promise by then.
    over.catch(() => undefined);
    this.#scheduler.hold();
    // It may have been due before anybody waited for it.
    if (this.#deps.onlyAwaited) this.#scheduler.after(0);
    try {
      const run = await (await this.#deps.flows()).get(runId);
      if (run) this.#watchers.settle(run);
      else this.#watchers.fail(runId, noRun(runId));
    } catch (error) {
      this.#watchers.fail(runId, error);
    }
    return over;
  }

  /** Returns the steps of a run that this process works on and the journal does not have yet. */
  underWay(runId: string): readonly JournalStep[] {
    return this.#turns.underWay(runId);
  }

  /**
   * Sends an event to a run. False for one that is finished or unknown. Rejects with VALIDATION_ERROR for a
   * payload that is too large, and with CONFLICT while too many events of the run wait to be taken.
   */
  async send(runId: string, name: string, payload: unknown): Promise<boolean> {
    const { flows, seals, runtime, nextId } = this.#deps;
    const plain = checkEvent(name, payload);
    const event = { name, payload: plain, at: runtime.now(), nonce: nextId() };
    const isSent = await (await flows()).send(runId, sealedEvent(runId, event, await seals()));
    this.#turns.recheck(`event:${name}`, runId);
    this.#scheduler.after(0);
    return isSent;
  }

  /**
   * Cancels a run and the runs that it has started. False when it is finished already. Rejects with
   * CONFLICT while a process takes back what it did.
   */
  async cancel(runId: string): Promise<boolean> {
    const end = await endRun(runId, await this.#turns.endDeps());
    if (end === 'undoing') {
      this.#scheduler.after(0);
      throw undoing(runId);
    }
    return end === 'cancelled';
  }

  /**
   * Continues a run that no process works on, with another version of its flow if one is named. A
   * second turn at a run that is worked on would make the same calls beside the first. Why it was blocked
   * stays on record until a turn begins.
   */
  async resume(runId: string, { version }: { readonly version?: string } = {}): Promise<boolean> {
    const isChanged = await resumeRun(runId, version, this.#deps);
    this.#scheduler.after(0);
    return isChanged;
  }

  /**
   * Stops continuing runs. Those that are under way stay on record for the next process. Calls that may
   * change something have a while to end first: one that is cut off is in doubt, and blocks its run.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#turns.stop();
    this.#dueRuns.stop();
    this.#stopListening();
    await this.#scheduler.close();
    const ended = this.#turns.close();
    for (const runId of this.#watchers.runs()) this.#watchers.fail(runId, unwatchable(runId));
    await ended;
  }

  async #startNew(flow: FlowDefinition, part: NewRun): Promise<StartedRun> {
    const finished = this.#watchers.wait(part.id);
    finished.catch(() => undefined);
    this.#scheduler.hold();
    try {
      await this.#turns.startNew(flow, part);
    } catch (error) {
      this.#watchers.fail(part.id, error);
      throw error;
    }
    return { runId: part.id, finished };
  }
}
