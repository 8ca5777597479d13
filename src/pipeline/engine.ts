/** Puts the pipeline together over an open store, and starts calls on it. */
import type { Call, CallRequest, InnerOutcome, Next, ReadyTool } from '../contract/call.ts';
import type { CallAs } from '../contract/call-options.ts';
import { type Caller, isOwner, LOCAL_CALLER } from '../contract/caller.ts';
import type { FileAccess } from '../contract/context.ts';
import type { Issue, ToolError } from '../contract/errors.ts';
import type { PlanQuestion } from '../contract/flow-plan.ts';
import type { ToolResult } from '../contract/result.ts';
import type { Stage } from '../contract/stage.ts';
import { decisionOf, decisionText } from '../governance/approvals/seals.ts';
import { createExecutionIds } from '../governance/ids.ts';
import { createFileAccess } from '../governance/paths/file-access.ts';
import { issueSentence } from '../kit/text/issues-text.ts';
import { type ConfirmInput, confirmTool } from './approval/confirm-tool.ts';
import { PlanCover, type PlannedRun } from './approval/plan-cover.ts';
import { planTool } from './approval/plan-tool.ts';
import { approvedFolder, approvedPlaces, approvedPrograms } from './broker/approved-access.ts';
import type { ExecSettings } from './broker/brokered-exec.ts';
import { type CallTool, type Contexts, createContexts } from './broker/context.ts';
import { fileHooks } from './broker/file-hooks.ts';
import { createProgramCheck } from './broker/judge-program.ts';
import { CallPreview } from './call-preview.ts';
import { governed } from './governed.ts';
import { followInner } from './inner-runs.ts';
import { type CallInput, callerOf, type NewCallDeps, newCall } from './new-call.ts';
import { failed } from './outcome.ts';
import { evidenceOf } from './pipeline.ts';
import { redactError } from './record/as-tool-error.ts';
import { CrashRecovery } from './record/crash-recovery.ts';
import { SignalFollowers } from './recovery/signal-followers.ts';
import { requestFault } from './request-fault.ts';
import { createSharedServices, type EngineDeps, type SharedServices } from './shared-services.ts';
import { type StageDeps, stageDeps } from './stage-deps.ts';
import { record } from './stages/record.ts';
import { createTracer } from './trace.ts';
import { UndoService } from './undo/undo-service.ts';

/** A call that has its id already. */
export type IdentifiedCall = Pick<CallInput, 'toolName' | 'rawInput' | 'as'> & {
  readonly executionId: string;
};

type RefusedCall = Pick<CallInput, 'rawInput' | 'parent' | 'executionId'>;

export class Engine {
  readonly shared: SharedServices;
  readonly preview: CallPreview;
  readonly recovery: CrashRecovery;
  readonly undoing: UndoService;
  readonly #deps: EngineDeps;
  readonly #contexts: Contexts;
  readonly #run: Next<CallRequest>;
  readonly #record: Stage<never>;
  readonly #newCallDeps: NewCallDeps;
  readonly #followers = new SignalFollowers();
  readonly #confirm = confirmTool();
  readonly #plan = planTool();

  constructor(deps: EngineDeps) {
    this.#deps = deps;
    this.shared = createSharedServices(deps);
    this.#newCallDeps = { runtime: deps.runtime, nextId: createExecutionIds() };
    this.recovery = new CrashRecovery(deps);
    this.undoing = new UndoService({ ...deps, ...this.shared });
    this.#contexts = this.#makeContexts();
    const stages = this.#stageDeps();
    this.#record = record(stages.record);
    this.#run = governed(stages, createTracer(deps));
    this.preview = new CallPreview({
      ...deps,
      shared: this.shared,
      newCall: this.#newCallDeps,
      stages,
    });
  }

  execute(toolName: string, rawInput: unknown, as: CallAs | undefined): Promise<ToolResult> {
    const fault = requestFault(toolName, as);
    if (fault) return this.#refuse({ rawInput, parent: undefined }, fault);
    return this.#start({ toolName, rawInput, as, parent: undefined });
  }

  /** Runs a call whose id its caller has already, to watch the call by it. */
  start({ executionId, toolName, rawInput, as }: IdentifiedCall): Promise<ToolResult> {
    const fault = requestFault(toolName, as);
    if (fault) return this.#refuse({ executionId, rawInput, parent: undefined }, fault);
    return this.#start({ executionId, toolName, rawInput, as, parent: undefined });
  }

  /** Tells whether a credential is configured, by the same test as `authenticate`. */
  async hasSecret(key: string): Promise<boolean> {
    const secret = await this.#deps.secrets.get(key);
    return secret !== undefined && secret.trim() !== '';
  }

  undo(executionId: string, as: CallAs | undefined): Promise<ToolResult> {
    const fault = requestFault(executionId, as);
    // A missing id would filter nothing, and undo the newest call of anyone.
    if (fault || executionId === '') {
      const issue = { path: ['executionId'], message: 'has to be the id of a call' };
      const isOptions = typeof executionId === 'string' && fault !== undefined;
      return this.#refuse({ rawInput: undefined, parent: undefined }, isOptions ? fault : issue);
    }
    const { tools } = this.undoing;
    const internal = isOwner(callerOf(as)) ? tools.ofAnyone : tools.ofCaller;
    const toolName = internal.tool.name;
    return this.#start({ toolName, rawInput: { executionId }, as, parent: undefined, internal });
  }

  /** Asks a person on behalf of a flow. A success is a yes; a denial has the code USER_CANCELLED. */
  confirm(question: ConfirmInput, as: CallAs): Promise<ToolResult> {
    return this.startInternal(this.#confirm, question, as);
  }

  /** Asks a person about a whole plan, or redeems the answer that `approvalId` names. */
  approvePlan(question: PlanQuestion, as: CallAs): Promise<ToolResult> {
    return this.startInternal(this.#plan, question, as);
  }

  /** Calls an internal tool of the crib, which cannot be called by name. */
  startInternal(internal: ReadyTool, rawInput: unknown, as: CallAs): Promise<ToolResult> {
    const { name: toolName } = internal.tool;
    return this.#start({ toolName, rawInput, as, parent: undefined, internal });
  }

  /** Reads the approval that a run was started with. Nothing where it does not cover that run. */
  async planCover(run: PlannedRun): Promise<PlanCover | undefined> {
    const record = await this.#deps.store.approvals.get(run.plan.approvalId);
    if (!record) return undefined;
    const text = decisionText(record, decisionOf(record));
    return (await this.shared.seals.isOurs(text, record.seal))
      ? PlanCover.of(record, run)
      : undefined;
  }

  /** Hides secrets in an error that no call has made, such as that of a job's handler. */
  redactError(error: ToolError): ToolError {
    const { redactor } = this.#deps;
    const clean = redactError(error, redactor);
    if (clean.partial === undefined) return clean;
    return { ...clean, partial: redactor.record(clean.partial) };
  }

  async close(): Promise<void> {
    this.recovery.stop();
    this.shared.deadlines.close();
    await this.shared.late.close();
    await this.shared.budgeting.freeCalls.write();
    await this.#deps.egress.close();
  }

  #start(from: CallInput): Promise<ToolResult> {
    const call = newCall(from, this.#newCallDeps);
    const signal = from.as?.signal;
    // Before the first stage: a call that was cancelled before it began does not run at all.
    if (signal?.aborted) call.control.abort('CANCELLED');
    const done = this.#run(call);
    return signal ? this.#followers.follow(signal, call.control, done) : done;
  }

  /** Answers and records a call with an invalid name or invalid options. */
  #refuse(from: RefusedCall, issue: Issue): Promise<ToolResult> {
    const as = from.parent ? undefined : NOBODY;
    const call = newCall({ ...from, toolName: '', as }, this.#newCallDeps);
    return this.#record(call, async () =>
      failed(call, 'VALIDATION_ERROR', { message: issueSentence(issue), issues: [issue] }),
    );
  }

  #callTool: CallTool = (parent, ...[toolName, rawInput, inner]) => {
    const fault = requestFault(toolName, undefined);
    if (fault) return this.#refuse({ rawInput, parent }, fault);
    const from: CallInput = { toolName, rawInput, as: undefined, parent, inner };
    const call = newCall(from, this.#newCallDeps);
    const signal = inner?.signal;
    if (signal?.aborted) call.control.abort('CANCELLED');
    if (parent.notes.stopped || parent.notes.ended) {
      return this.#record(call, async () => failed(call, parent.control.reason ?? 'CANCELLED'));
    }
    parent.control.onAbort(() => call.control.abort(parent.control.reason ?? 'CANCELLED'));
    const done = noteOutcome(parent, this.#run(call));
    followInner(parent, call, done);
    return signal ? this.#followers.follow(signal, call.control, done) : done;
  };

  #makeContexts(): Contexts {
    const { store, working } = this.#deps;
    return createContexts({
      ...this.#deps,
      memory: { persistent: store.memory, working },
      budgeting: this.shared.budgeting,
      exec: this.#execSettings(),
      files: (call) => this.#filesFor(call),
      callTool: this.#callTool,
    });
  }

  #execSettings(): ExecSettings {
    const { guard, settings, sandboxes } = this.#deps;
    const { allowedCommands: allow, tasks = [], extraRoots } = settings;
    const workingFolder = approvedFolder(guard);
    const assertApproved = approvedPrograms(guard);
    const programs = { root: guard.root, allow, tasks };
    return { ...programs, extraRoots, sandboxes, workingFolder, assertApproved };
  }

  #stageDeps(): StageDeps {
    return stageDeps(this.#deps, this.shared, {
      contexts: this.#contexts,
      refusedProgram: createProgramCheck(this.#execSettings()),
      callTool: this.#callTool,
      undo: (executionId, caller) => this.undo(executionId, caller),
    });
  }

  #filesFor(call: Call<'ready'>): FileAccess {
    const { guard, events } = this.#deps;
    const hooks = fileHooks(call, { ...this.shared, events });
    const { needs } = call.ready.tool;
    return createFileAccess({
      guard,
      needs,
      hooks,
      assertApproved: approvedPlaces(call, guard.rootOf),
    });
  }
}

/** Notes the outcome of an inner call, so that a composed call that runs out of time can report it. */
const noteOutcome = (parent: CallRequest, done: Promise<ToolResult>): Promise<ToolResult> => {
  if (!evidenceOf(parent).ready?.tool.composition) return done;
  return done.then((result) => {
    const { success, status, data, error, metadata } = result;
    const { toolName: tool, executionId } = metadata;
    parent.notes.innerOutcomes ??= [];
    const value = success ? { data } : { error };
    parent.notes.innerOutcomes.push({
      tool,
      executionId,
      success,
      status,
      ...value,
    } as InnerOutcome);
    return result;
  });
};

/** The caller of a request whose own caller cannot be read: it has no permission. */
const NOBODY: Caller = Object.freeze({
  ...LOCAL_CALLER,
  userId: 'unknown',
  agentId: 'unknown',
  roles: [],
  permissions: [],
});
