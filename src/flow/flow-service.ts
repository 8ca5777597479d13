/**
 * Starts runs, continues those that are due, and ends them. Any number of processes may do so on one
 * store: each run is worked on by one of them.
 */
import type { ApprovalRecord } from '../contract/approver.ts';
import type { CallAs } from '../contract/call-options.ts';
import type { Catalog } from '../contract/catalog.ts';
import { ToolFailure, toolError } from '../contract/errors.ts';
import type { Events } from '../contract/events.ts';
import type { FlowDefinition, StartedRun, StartFlowAs } from '../contract/flow.ts';
import {
  FINISHED,
  type FlowParent,
  type FlowRun,
  type Flows,
  type RunChange,
} from '../contract/flow-store.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Runtime } from '../contract/runtime.ts';
import { reasonOf } from '../kit/data/reason-of.ts';
import type { ConfirmInput } from '../pipeline/approval/confirm-tool.ts';
import { callerOf } from '../pipeline/new-call.ts';
import { StepContext } from './flow-context.ts';
import { FlowExecution, type TurnEnd } from './flow-execution.ts';
import type { FlowRegistry } from './flow-registry.ts';
import {
  assertSameRun,
  changeOf,
  keepable,
  parseInput,
  sealedText,
  stopped,
} from './run-record.ts';
import { RunScheduler } from './run-scheduler.ts';
import { RunWatchers } from './run-watchers.ts';
import type { StepDeps } from './step-ends.ts';
import { type UndoStepsDeps, undoSteps } from './undo-steps.ts';

export interface FlowServiceDeps extends UndoStepsDeps {
  readonly registry: FlowRegistry;
  readonly runtime: Runtime;
  readonly events: Pick<Events, 'on'>;
  readonly tools: Pick<Catalog, 'get'>;
  flows(): Promise<Flows>;
  nextId(): string;
  execute(tool: string, input: unknown, as: CallAs): Promise<ToolResult>;
  confirm(question: ConfirmInput, as: CallAs): Promise<ToolResult>;
  approval(approvalId: string): Promise<ApprovalRecord | undefined>;
  seal(text: string): Promise<string | undefined>;
  isOurs(text: string, seal: string | undefined): Promise<boolean>;
}

interface ActiveRun {
  readonly execution: FlowExecution;
  readonly controller: AbortController;
}

const CLAIMED_AT_ONCE = 64;
const APPROVAL = 'approval:';

export class FlowService {
  readonly #deps: FlowServiceDeps;
  readonly #active = new Map<string, ActiveRun>();
  readonly #watchers = new RunWatchers();
  readonly #turns = new Set<Promise<void>>();
  readonly #scheduler: RunScheduler;
  readonly #stopListening: () => void;
  #isClosed = false;

  constructor(deps: FlowServiceDeps) {
    this.#deps = deps;
    this.#scheduler = new RunScheduler({
      runtime: deps.runtime,
      look: () => this.#continueDue(),
      isAwaited: () => this.#watchers.size > 0,
    });
    this.#stopListening = deps.events.on('approval.decided', ({ approvalId }) => {
      for (const { execution } of this.#active.values()) {
        execution.recheck(`${APPROVAL}${approvalId}`);
      }
      this.#scheduler.after(0);
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
    { runId = this.#deps.nextId(), version, ...as }: StartFlowAs = {},
  ): Promise<StartedRun> {
    const flow = this.#deps.registry.get(name, version);
    const { dailyUsd } = as;
    const parsed = await parseInput(flow, input);
    const limits = dailyUsd === undefined ? {} : { dailyUsd };
    await this.#create(flow, { id: runId, input: parsed, caller: callerOf(as), ...limits });
    return { runId, finished: this.whenOver(runId) };
  }

  /** Resolves when the run is finished or blocked, in whichever process. */
  async whenOver(runId: string): Promise<FlowRun> {
    const over = this.#watchers.wait(runId);
    const run = await (await this.#deps.flows()).get(runId);
    if (!run) throw new ToolFailure('NOT_FOUND', `There is no run ${runId}.`);
    this.#watchers.settle(run);
    this.#scheduler.after(Number.POSITIVE_INFINITY);
    return over;
  }

  /** Sends an event to a run. False for one that is finished or unknown. */
  async send(runId: string, name: string, payload: unknown): Promise<boolean> {
    const flows = await this.#deps.flows();
    const isSent = await flows.send(runId, { name, payload, at: this.#deps.runtime.now() });
    this.#active.get(runId)?.execution.recheck(`event:${name}`);
    this.#scheduler.after(0);
    return isSent;
  }

  /** Cancels a run and the runs that it has started. False when it is finished already. */
  async cancel(runId: string): Promise<boolean> {
    const flows = await this.#deps.flows();
    const error = toolError('CANCELLED', 'The run was cancelled.');
    const change = { ...stopped('cancelled', this.#deps.runtime.now()), error };
    const isCancelled = await flows.change(runId, change);
    this.#drop(runId, error);
    for (const { childId, state } of await flows.steps(runId)) {
      if (childId !== undefined && state === 'open') await this.cancel(childId);
    }
    if (isCancelled) await this.#ended(runId);
    return isCancelled;
  }

  /** Continues a blocked run, with another version of its flow if one is named. */
  async resume(runId: string, { version }: { readonly version?: string } = {}): Promise<boolean> {
    const now = this.#deps.runtime.now();
    const change: RunChange = {
      ...{ status: 'waiting', updatedAt: now, wakeAt: now, waitsFor: undefined, error: undefined },
      ...(version !== undefined && { version }),
    };
    const isChanged = await (await this.#deps.flows()).change(runId, change);
    this.#scheduler.after(0);
    return isChanged;
  }

  /** Stops continuing runs. Those that are under way stay on record for the next process. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#scheduler.close();
    this.#stopListening();
    for (const runId of [...this.#active.keys()]) this.#drop(runId, 'closing');
    await Promise.all(this.#turns);
  }

  async #create(
    { name: flow, version }: FlowDefinition,
    part: Pick<FlowRun, 'id' | 'input' | 'caller' | 'dailyUsd' | 'parent'>,
  ): Promise<void> {
    const now = this.#deps.runtime.now();
    const unsealed: FlowRun = {
      ...{ ...part, epoch: 1, flow, version, status: 'running', createdAt: now, updatedAt: now },
    };
    const seal = await this.#deps.seal(sealedText(unsealed));
    const run = seal === undefined ? unsealed : { ...unsealed, seal };
    const flows = await this.#deps.flows();
    if (await flows.create(run)) this.#begin(run);
    else assertSameRun(run, await flows.get(run.id));
  }

  #begin(run: FlowRun): void {
    const turn = this.#turn(run)
      .catch((error: unknown) => {
        const { log } = this.#deps.runtime;
        log.error('A run could not be continued.', { runId: run.id, error: reasonOf(error) });
      })
      .finally(() => this.#turns.delete(turn));
    this.#turns.add(turn);
  }

  async #turn(run: FlowRun): Promise<void> {
    const flows = await this.#deps.flows();
    const flow = this.#deps.registry.find(run.flow, run.version);
    if (!flow || this.#isClosed) return;
    const steps = await flows.steps(run.id);
    const { runtime } = this.#deps;
    const execution = new FlowExecution({
      ...{ steps, runtime },
      record: (entries) => flows.record(run, entries),
    });
    const controller = new AbortController();
    this.#active.set(run.id, { execution, controller });
    const context = new StepContext(execution, this.#contextDeps(run, flows, controller), steps);
    const end = await execution.run(async () => keepable(await flow.run(context, run.input)));
    if (this.#active.get(run.id)?.execution === execution) this.#active.delete(run.id);
    await this.#conclude(run, end, { flow, seenEvent: context.events.seen });
  }

  #contextDeps(run: FlowRun, flows: Flows, { signal }: AbortController): StepDeps {
    const { runtime, tools } = this.#deps;
    const { caller, dailyUsd } = run;
    const limits = dailyUsd === undefined ? {} : { dailyUsd };
    const as = { ...caller, ...limits, flowId: run.id, signal };
    return {
      run,
      tools,
      flows,
      runtime,
      call: ({ tool, input, ...options }) => this.#deps.execute(tool, input, { ...as, ...options }),
      confirm: ({ idempotencyKey, approvalId, ...question }) => {
        const options = { idempotencyKey, ...(approvalId !== undefined && { approvalId }) };
        const asked = { flow: run.flow, runId: run.id, ...question };
        return this.#deps.confirm(asked, { ...as, ...options } as CallAs);
      },
      approval: (approvalId) => this.#deps.approval(approvalId),
      startChild: async (flow, input, key) => {
        this.#deps.registry.register(flow);
        const id = `${run.id}.${key}`;
        const parent: FlowParent = { runId: run.id, key };
        const parsed = await parseInput(flow, input);
        await this.#create(flow, { id, input: parsed, caller, ...limits, parent });
        return id;
      },
    };
  }

  async #conclude(
    run: FlowRun,
    end: TurnEnd,
    { flow, seenEvent }: { readonly flow: FlowDefinition; readonly seenEvent: number },
  ): Promise<void> {
    if (end.type === 'lost') return;
    const flows = await this.#deps.flows();
    if (end.type === 'failed' && flow.undoOnFailure) await undoSteps(run, flows, this.#deps);
    const change = changeOf(end, this.#deps.runtime.now());
    const waitsForEvent = change.waitsFor?.some((each) => each.startsWith('event:'));
    await flows.release(run, change, waitsForEvent ? seenEvent : undefined);
    if (end.type === 'parked') {
      const { wakeAt } = change;
      if (wakeAt !== undefined) this.#scheduler.after(wakeAt - this.#deps.runtime.now());
      return;
    }
    await this.#ended(run.id);
  }

  /** Tells those who wait for the run: in this process, and the run that started it. */
  async #ended(runId: string): Promise<void> {
    const flows = await this.#deps.flows();
    const run = await flows.get(runId);
    if (!run) return;
    this.#watchers.settle(run);
    if (!run.parent || !FINISHED.has(run.status)) return;
    await flows.wake(run.parent.runId, this.#deps.runtime.now());
    this.#active.get(run.parent.runId)?.execution.recheck(`run:${runId}`);
    this.#scheduler.after(0);
  }

  #drop(runId: string, cause: unknown): void {
    const active = this.#active.get(runId);
    this.#active.delete(runId);
    active?.execution.abandon(cause);
    active?.controller.abort();
  }

  async #continueDue(): Promise<void> {
    const flows = await this.#deps.flows();
    await this.#wakeAnswered(flows);
    const keys = this.#deps.registry.keys();
    const request = { now: this.#deps.runtime.now(), flows: keys, limit: CLAIMED_AT_ONCE };
    for (const run of await flows.claim(request)) {
      if (await this.#deps.isOurs(sealedText(run), run.seal)) this.#begin(run);
      else
        await flows.release(run, {
          ...stopped('blocked', this.#deps.runtime.now()),
          waitsFor: ['seal'],
        });
    }
    for (const runId of this.#watchers.runs()) {
      const run = await flows.get(runId);
      if (run) this.#watchers.settle(run);
    }
  }

  /** Wakes runs whose question was answered by another process. */
  async #wakeAnswered(flows: Flows): Promise<void> {
    for (const { id, waitsFor = [] } of await flows.list({ status: 'waiting' })) {
      const approvals = waitsFor
        .filter((each) => each.startsWith(APPROVAL))
        .map((each) => this.#deps.approval(each.slice(APPROVAL.length)));
      const isAnswered = (record?: ApprovalRecord): boolean => record?.state !== 'waiting';
      if ((await Promise.all(approvals)).some(isAnswered))
        await flows.wake(id, this.#deps.runtime.now());
    }
  }
}
