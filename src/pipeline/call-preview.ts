/** Says what would become of a call, without making it. Nothing is recorded, counted or run. */
import type { Call, CallRequest } from '../contract/call.ts';
import type { CallAs } from '../contract/call-options.ts';
import { type Issue, ToolFailure } from '../contract/errors.ts';
import type { Explanation, Verdict } from '../contract/policy.ts';
import { explainCall, explainRights } from './explain-call.ts';
import { callerOf, type NewCallDeps, newCall } from './new-call.ts';
import { prove } from './pipeline.ts';
import { createRehearsal, type Rehearsal } from './rehearse.ts';
import type { EngineDeps, SharedServices } from './shared-services.ts';
import type { StageDeps } from './stage-deps.ts';

/** What the approval of a plan is bound to for one call. */
export interface PlannedFacts {
  readonly verdict: Verdict;
  /** As the tool will get it. */
  readonly input: unknown;
  readonly targets: readonly string[];
  readonly definition: string;
}

export interface CallPreviewDeps extends Pick<EngineDeps, 'policy' | 'registry' | 'runtime'> {
  readonly shared: SharedServices;
  readonly newCall: NewCallDeps;
  readonly stages: StageDeps;
}

const invalidInput = (issues: readonly Issue[]): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', 'The input does not match the schema of the tool.', {
    issues,
  });

export class CallPreview {
  readonly #deps: CallPreviewDeps;
  readonly #rehearse: (call: CallRequest) => Promise<Rehearsal>;

  constructor(deps: CallPreviewDeps) {
    this.#deps = deps;
    this.#rehearse = createRehearsal(deps.stages);
  }

  /** Explains which rule decides about a call, and why. Rejects with the refusal of an earlier gate. */
  async explain(toolName: string, rawInput: unknown, as?: CallAs): Promise<Explanation> {
    return this.#explain(await this.#parsed(toolName, rawInput, as));
  }

  /** Says what the caller lacks for any call of a tool; nothing where that depends on the input. */
  async lacks(toolName: string, as: CallAs): Promise<string | undefined> {
    const ready = await this.#deps.registry.ready(toolName, as.version);
    const { policy, runtime } = this.#deps;
    const deps = { ...this.#deps.shared, policy, now: runtime.now() };
    return ready && (await explainRights(ready.tool, callerOf(as), deps))?.reason;
  }

  /** Takes a call through the gates without making it: nothing is recorded, counted or run. */
  rehearse(toolName: string, rawInput: unknown, as: CallAs): Promise<Rehearsal> {
    const from = { toolName, rawInput, as: { ...as, dryRun: true }, parent: undefined };
    return this.#rehearse(newCall(from, this.#deps.newCall));
  }

  /** Returns what the approval of a plan is bound to for one call. Rejects like `explain`. */
  async planned(toolName: string, rawInput: unknown, as?: CallAs): Promise<PlannedFacts> {
    const call = await this.#parsed(toolName, rawInput, as);
    const { verdict } = await this.#explain(call);
    const { ready, input } = call;
    // Only a call that a person is asked about is bound to its targets.
    const isAsked = verdict.effect === 'ask';
    const { targets } = isAsked
      ? await this.#deps.shared.resolveTargets(ready.tool, input)
      : { targets: [] };
    return { verdict, input, targets, definition: this.#deps.shared.definitionOf(ready) };
  }

  /** Returns the digest of a tool's definition and code; `undefined` when there is no such tool. */
  async definition(toolName: string, version: string | undefined): Promise<string | undefined> {
    const ready = await this.#deps.registry.ready(toolName, version);
    return ready && this.#deps.shared.definitionOf(ready);
  }

  async #parsed(
    toolName: string,
    rawInput: unknown,
    as: CallAs | undefined,
  ): Promise<Call<'ready' | 'input'>> {
    const ready = await this.#deps.registry.ready(toolName, as?.version);
    if (!ready) throw new ToolFailure('TOOL_NOT_FOUND');
    const parsed = ready.input.validate(rawInput);
    if (!parsed.ok) throw invalidInput(parsed.issues);
    const from = { toolName, rawInput, as, parent: undefined };
    const call = prove(newCall(from, this.#deps.newCall), 'ready', ready);
    return prove(call, 'input', parsed.value);
  }

  async #explain(call: Call<'ready' | 'input'>): Promise<Explanation> {
    const flow = await this.#deps.shared.labels.fresh(call.caller);
    return explainCall(call, flow, { policy: this.#deps.policy, ...this.#deps.shared });
  }
}
