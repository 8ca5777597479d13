/**
 * Binds approvals to calls: to the input, to what it leads to, to the definition of the tool and to the
 * rules. Before an approved call runs, it is compared with what was approved.
 */
import type { ApprovalRecord, EditedInput } from '../../contract/approver.ts';
import type { Call, ReadyTool } from '../../contract/call.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Policy } from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Tool } from '../../contract/tool.ts';
import {
  type Binding,
  type BoundApproval,
  bindingOf,
  type Difference,
  differenceOf,
} from '../../governance/approvals/binding.ts';
import { type ResolvedTargets, statesOf } from '../../governance/approvals/call-targets.ts';
import { ownCopy } from '../../governance/own-copy.ts';
import { failed } from '../outcome.ts';

export type JudgedCall = Call<'ready' | 'input' | 'grant'>;

/** A person's yes, and what it is bound to. `edited` is there when it was given for another input. */
export interface Approved {
  readonly approvalId: string;
  readonly by: string;
  readonly binding: BoundApproval;
  readonly edited?: EditedInput;
  /** When the answer was given: what an edited input leads to was resolved then. */
  readonly decidedAt?: number | undefined;
}

/** Where the paths of the call lead and when that was looked up, or the result that ends the call. */
export type Confirmed =
  | { readonly resolved: ResolvedTargets; readonly askedAt: number | undefined }
  | { readonly result: ToolResult };

export interface CallBindingDeps {
  readonly policy: Policy;
  /** Computes the digest of a tool's definition. */
  definitionOf(ready: ReadyTool): string;
  /** Resolves what the input leads to. */
  resolveTargets(tool: Tool, input: unknown): Promise<ResolvedTargets>;
  /** Gives the tool as it is registered now. */
  readyTool(name: string, version: string): ReadyTool | Promise<ReadyTool> | undefined;
}

const CHANGES: Readonly<Record<Difference, string>> = {
  targets: 'The call leads elsewhere than when it was approved.',
  states: 'A file or folder that the call names was exchanged or changed since it was approved.',
  definition: 'The tool is not the one that was approved: its definition has changed.',
  policyVersion: 'The rules have changed since the call was approved.',
  call: 'The call is not the one that was approved.',
};

const changed = (call: JudgedCall, difference: Difference): { readonly result: ToolResult } => ({
  result: failed(call, 'APPROVAL_EXPIRED', {
    message: CHANGES[difference],
    suggestions: ['Ask again: the person has to see the call as it is now.'],
  }),
});

/** Differs from every list of targets that a call can have. */
const NO_TARGETS: readonly string[] = ['none'];

/** Returns the approval with the input that the approver gave, as it was resolved at that time. */
const bindingOfEdited = (
  binding: BoundApproval,
  { inputDigest }: Binding,
  { targets = NO_TARGETS, states = [], decidedAt }: EditedInput & Pick<Approved, 'decidedAt'>,
): BoundApproval => ({ ...binding, inputDigest, targets, states, createdAt: decidedAt });

export class CallBindings {
  readonly #deps: CallBindingDeps;

  constructor(deps: CallBindingDeps) {
    this.#deps = deps;
  }

  /** Returns what an approval of the call is bound to. */
  async of(call: JudgedCall): Promise<Binding> {
    const { input, ready } = call;
    const resolved = await this.#deps.resolveTargets(ready.tool, input);
    return this.#bindingOf(call, resolved, this.#deps.definitionOf(ready));
  }

  /** Takes a copy of an edited input, and resolves what it leads to at this moment. */
  async ofEdited(record: ApprovalRecord, editedInput: unknown): Promise<EditedInput> {
    const input = ownCopy(editedInput);
    const ready = await this.#deps.readyTool(record.tool, record.version);
    if (!ready) throw new ToolFailure('TOOL_NOT_FOUND');
    const parsed = ready.input.validate(ownCopy(input));
    // An input that does not fit the schema has no targets; it is refused before it would run.
    if (!parsed.ok) return { input, targets: [] };
    const resolved = await this.#deps.resolveTargets(ready.tool, parsed.value);
    return { input, targets: resolved.targets, states: statesOf(resolved) };
  }

  /**
   * Compares the call that is about to run with the one that was approved. Returns where its paths
   * lead, for the file access to hold them there, or the refusal.
   */
  async confirm(call: JudgedCall, { binding, edited, decidedAt }: Approved): Promise<Confirmed> {
    const { ready, input } = call;
    const { name, version } = ready.tool;
    const current = call.internal ?? (await this.#deps.readyTool(name, version));
    if (!current) return changed(call, 'definition');
    if (!current.enabled) {
      const code = current.quarantined ? 'TOOL_QUARANTINED' : 'TOOL_DISABLED';
      return { result: failed(call, code) };
    }
    const resolved = await this.#deps.resolveTargets(ready.tool, input);
    const now = this.#bindingOf(call, resolved, this.#deps.definitionOf(current));
    const approved = edited ? bindingOfEdited(binding, now, { ...edited, decidedAt }) : binding;
    const difference = differenceOf(approved, now);
    if (difference !== undefined) return changed(call, difference);
    return { resolved, askedAt: approved.createdAt };
  }

  #bindingOf(
    { caller, input, ready }: JudgedCall,
    resolved: ResolvedTargets,
    definition: string,
  ): Binding {
    const { version: policyVersion } = this.#deps.policy;
    const leadsTo = { targets: resolved.targets, states: statesOf(resolved) };
    return bindingOf({ tool: ready.tool, caller, input, definition, ...leadsTo, policyVersion });
  }
}
