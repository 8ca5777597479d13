/**
 * Makes the context that a tool is handed. Members are made when first used, because most tools use one
 * or two of them; each checks the tool's declared needs before it does anything.
 */
import type { Call, CallRequest } from '../../contract/call.ts';
import type { CallerNames, Isolation } from '../../contract/caller.ts';
import type { FileAccess, ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Events } from '../../contract/events.ts';
import type { Memory } from '../../contract/memory.ts';
import type { Model } from '../../contract/model.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Logger, Runtime } from '../../contract/runtime.ts';
import type { SandboxUsage } from '../../contract/sandbox.ts';
import type { Secrets } from '../../contract/secrets.ts';
import type { MemoryStore } from '../../contract/store.ts';
import type { TraceContext } from '../../contract/telemetry.ts';
import type { Tool } from '../../contract/tool.ts';
import type { Egress } from '../../governance/egress/create-egress.ts';
import { spendingOf } from '../../governance/ledger/most-cost.ts';
import { CallMemory } from '../../governance/memory.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { traceOf } from '../call-span.ts';
import type { PipelineControl } from '../new-call.ts';
import { assertRunning } from './assert-running.ts';
import { brokeredExec, type ExecSettings } from './brokered-exec.ts';
import { brokeredFetch, egressScope } from './brokered-fetch.ts';
import { brokeredModel, type ModelBudget } from './brokered-model.ts';
import {
  assertInnerCallOptions,
  assertNoOptions,
  assertUsage,
  checkedFiles,
} from './context-checks.ts';
import { droppable, droppableMethods } from './droppable.ts';
import { askerOf, keepTouching } from './elicit-of.ts';
import { noteUsage } from './note-usage.ts';
import { callLogger, noteWarning, tellProgress } from './tool-messages.ts';
import { workSignal } from './work-signal.ts';

type InnerCall = Parameters<ToolContext['call']>;

/** Makes a call on behalf of another one. */
export type CallTool = (parent: CallRequest, ...call: InnerCall) => Promise<ToolResult>;

export interface ContextDeps {
  readonly runtime: Runtime;
  readonly events: Events;
  readonly redactor: Redactor;
  readonly secrets: Secrets;
  readonly model: Model;
  readonly memory: { readonly persistent: MemoryStore; readonly working: MemoryStore };
  readonly egress: Egress;
  readonly budgeting: ModelBudget;
  readonly exec: ExecSettings;
  files(call: Call<'ready'>): FileAccess;
  readonly callTool: CallTool;
}

export class CallContext implements ToolContext {
  readonly #call: Call<'ready'>;
  readonly #deps: ContextDeps;
  #model: Model | undefined = undefined;
  #memory: Memory | undefined = undefined;
  #fs: FileAccess | undefined = undefined;
  #fetch: typeof globalThis.fetch | undefined = undefined;
  #logger: Logger | undefined = undefined;

  constructor(call: Call<'ready'>, deps: ContextDeps) {
    this.#call = call;
    this.#deps = deps;
  }

  /** Notes what a sandboxed run took for the call of a context; not for tools, so no member of it. */
  static noteUsage(context: ToolContext, usage: SandboxUsage): void {
    if (context instanceof CallContext) noteUsage(context.#call, usage);
  }

  get executionId(): string {
    return this.#call.executionId;
  }
  get traceId(): string {
    return this.#call.traceId;
  }
  get sessionId(): string {
    return this.#call.caller.sessionId;
  }
  get loopId(): string {
    return this.#call.caller.loopId;
  }
  get agentId(): string {
    return this.#call.caller.agentId;
  }
  get userId(): string {
    return this.#call.caller.userId;
  }
  get authenticated(): CallerNames | undefined {
    return this.#call.caller.authenticated;
  }
  get isolation(): Isolation {
    return this.#call.caller.isolation;
  }
  get trace(): TraceContext | undefined {
    return traceOf(this.#call);
  }
  get startSpan(): ToolContext['startSpan'] {
    const { span } = this.#call;
    return span?.isRecorded ? (name, start) => span.child(name, start) : undefined;
  }
  get sendsTraceTo(): ToolContext['sendsTraceTo'] {
    const { telemetry } = this.#deps.runtime;
    return (host, port) => telemetry?.sendsTraceTo?.(host, port) === true;
  }
  get idempotencyKey(): string {
    return this.#call.options.idempotencyKey ?? this.#call.executionId;
  }
  get degraded(): boolean {
    return this.#call.notes.degraded;
  }
  get signal(): AbortSignal {
    return this.#call.control.signal;
  }
  get model(): Model {
    this.#model ??= droppableMethods(
      brokeredModel(this.#call, this.#deps.model, this.#deps.budgeting),
      ['generate', 'converse', 'embed'],
    );
    return this.#model;
  }

  get usedMemory(): boolean {
    return this.#memory !== undefined;
  }

  get memory(): Memory {
    this.#memory ??= droppableMethods<Memory>(
      new CallMemory(this.#call, this.#deps.memory, this.#deps.runtime),
      ['read', 'write', 'writeFor', 'update', 'delete'],
    );
    return this.#memory;
  }

  get fs(): FileAccess {
    const names = ['resolve', 'read', 'write', 'remove', 'makeDirectory', 'list', 'stat'] as const;
    this.#fs ??= droppableMethods(checkedFiles(this.#deps.files(this.#call)), names);
    return this.#fs;
  }

  get fetch(): typeof globalThis.fetch {
    if (!this.#fetch) {
      const send = brokeredFetch(this.#call, this.#deps.egress, this.#deps.runtime.telemetry);
      this.#fetch = (...request) => droppable(send(...request));
    }
    return this.#fetch;
  }

  get resolveHost(): ToolContext['resolveHost'] {
    const resolve: ToolContext['resolveHost'] = async (host, port) =>
      this.#deps.egress.resolve({ host, port }, egressScope(this.#call));
    return (...address) => droppable(resolve(...address));
  }

  get logger(): Logger {
    this.#logger ??= callLogger(this.#call, this.#deps);
    return this.#logger;
  }

  // Getters that hand out closures, so that a tool may take its context apart: `({ progress, call })`.

  get progress(): ToolContext['progress'] {
    return (...step) => tellProgress(this.#call, step, this.#deps);
  }

  get elicit(): ToolContext['elicit'] {
    const ask = askerOf(this.#call, 'elicit');
    return ask && ((question) => droppable(this.#keepAwake((signal) => ask(question, signal))));
  }

  get elicitUrl(): ToolContext['elicitUrl'] {
    const ask = askerOf(this.#call, 'elicitUrl');
    return ask && ((question) => droppable(this.#keepAwake((signal) => ask(question, signal))));
  }

  get sample(): ToolContext['sample'] {
    const ask = askerOf(this.#call, 'sample');
    return ask && ((request) => droppable(this.#keepAwake((signal) => ask(request, signal))));
  }

  /** Keeps the idle timeout away meanwhile: a person or a model takes longer than a tool may be silent. */
  async #keepAwake<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
    assertRunning(this.#call);
    const { control } = this.#call;
    const signal = workSignal(this.#call);
    const touch = () => (control as PipelineControl).touch?.();
    const touching = keepTouching(this.#deps.runtime, touch);
    // Whoever is asked may never answer, whatever the signal says.
    signal.addEventListener('abort', touching.stop, { once: true });
    try {
      return await ask(signal);
    } finally {
      signal.removeEventListener('abort', touching.stop);
      touching.stop();
    }
  }

  get secret(): ToolContext['secret'] {
    return (key) => droppable(this.#secret(key));
  }

  get charge(): ToolContext['charge'] {
    return (usage) => {
      assertUsage(usage);
      this.#deps.budgeting.purse(this.#call).charge(spendingOf(usage, this.#call.ready.tool));
    };
  }

  get keepForUndo(): ToolContext['keepForUndo'] {
    return (data) => {
      this.#call.notes.undoData = data;
    };
  }

  get warn(): ToolContext['warn'] {
    return (message) => noteWarning(this.#call, message, this.#deps);
  }

  get exec(): ToolContext['exec'] {
    const exec = brokeredExec(this.#call, this.#deps.exec);
    return (...command) => droppable(exec(...command));
  }

  get call(): ToolContext['call'] {
    const call = async (...[tool, input, options, ...surplus]: [...InnerCall, ...unknown[]]) => {
      assertNoOptions('call', surplus);
      if (options !== undefined) assertInnerCallOptions(options);
      return this.#deps.callTool(this.#call, tool, input, options);
    };
    return (...inner) => droppable(call(...inner));
  }

  async #secret(key: string): Promise<string> {
    assertRunning(this.#call);
    if (!declaresSecret(this.#call.ready.tool, key)) {
      throw new ToolFailure('PERMISSION_DENIED', 'The tool did not declare this secret.', {
        suggestions: ['Add the key to needs.secrets of the tool.'],
      });
    }
    const value = await this.#deps.secrets.get(key);
    if (value === undefined) {
      throw new ToolFailure('AUTH_MISSING', `The secret ${key} is not configured.`, {
        suggestions: [`Keep it with: toolcrib secrets set ${key}`],
      });
    }
    this.#deps.redactor.learn(value);
    return value;
  }
}

const declaresSecret = (tool: Tool, key: string): boolean =>
  tool.auth?.configKey === key || (tool.needs?.secrets?.includes(key) ?? false);

export interface Contexts {
  of(call: Call<'ready'>): ToolContext;
  usedMemory(call: CallRequest): boolean;
}

/** A call with the field for its context, which is far cheaper than a map of contexts. */
interface CallWithContext {
  context: CallContext | undefined;
}

/** Makes one context per call, shared by preconditions, the run and the effects. */
export const createContexts = (deps: ContextDeps): Contexts => ({
  of: (call) => {
    const own = call as unknown as CallWithContext;
    own.context ??= new CallContext(call, deps);
    return own.context;
  },
  usedMemory: (call) => (call as unknown as CallWithContext).context?.usedMemory ?? false,
});
