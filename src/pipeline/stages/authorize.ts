/**
 * Refuses every call that no rule allows. Silence, an unknown answer and a throw are refusals. A
 * standing grant can replace a permission or a person's answer; it never overrides a deny.
 */
import type { Admission, ApprovedPath, Call, Next, ReadyTool } from '../../contract/call.ts';
import type { Events } from '../../contract/events.ts';
import type {
  FlowState,
  Policy,
  PolicyQuestion,
  ShadowFinding,
  Verdict,
} from '../../contract/policy.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Capability, Tool } from '../../contract/tool.ts';
import { isWithinPattern } from '../../governance/approvals/approved-paths.ts';
import type { ResolvedTargets } from '../../governance/approvals/call-targets.ts';
import type { SessionLabels } from '../../governance/labels/session-labels.ts';
import { capabilityInUse, isSink, tierInUse } from '../../governance/policy/capability.ts';
import { isListed, missingPermissions } from '../../governance/policy/rights.ts';
import { plainObjects } from '../../kit/data/plain-objects.ts';
import type { StandingGrants } from '../approval/standing-grants.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';

export interface AuthorizeDeps {
  readonly policy: Policy;
  readonly standingGrants: Pick<StandingGrants, 'forCall'>;
  readonly labels: SessionLabels;
  readonly events: Events;
  /** Computes the digest of the tool's definition: grants lapse with it. */
  definitionOf(ready: ReadyTool): string;
  /** Resolves what the input leads to. */
  resolveTargets(tool: Tool, input: unknown): Promise<ResolvedTargets>;
}

type Inspected = Call<'ready' | 'input' | 'inspected'>;
type Onward = Next<Call<'ready' | 'input' | 'inspected' | 'grant'>>;

/** Asks the policy; anything but a clear allow or ask is a deny. */
export const judge = (policy: Policy, question: PolicyQuestion): Verdict => {
  try {
    const verdict = policy.judge(question);
    if (verdict.effect === 'allow' || verdict.effect === 'ask') return verdict;
    return { ...verdict, effect: 'deny' };
  } catch {
    return { effect: 'deny', rule: 'policy-error', reason: 'The policy could not be judged.' };
  }
};

export const questionOf = (call: Call<'ready' | 'input'>, flow: FlowState): PolicyQuestion => {
  const { tool } = call.ready;
  const capability = capabilityInUse(tool, call.input);
  const tier = tierInUse(tool, capability);
  const { input, caller, startedAt: now } = call;
  return { tool, tier, capability, input, caller, now, flow };
};

const isExternal = ({ tier }: Capability): boolean => tier === 'external_api';

/** Tells whether the tool, or any of its capabilities, can send data out. */
const canBeSink = (tool: Tool): boolean =>
  isSink(tool, tool.tier) || tool.capabilities.some(isExternal);

/** Reads the session's labels anew where they matter to the verdict: other processes may have added some. */
export const flowOf = (
  call: Call<'ready' | 'input'>,
  { policy, labels }: Pick<AuthorizeDeps, 'policy' | 'labels'>,
): FlowState | Promise<FlowState> =>
  policy.readsFlow || canBeSink(call.ready.tool)
    ? labels.fresh(call.caller)
    : labels.known(call.caller);

const refuse = (call: Inspected, { reason, rule }: Pick<Verdict, 'reason' | 'rule'>): ToolResult =>
  failed(call, 'PERMISSION_DENIED', { message: `${reason} (rule ${rule})` });

const report = (
  call: Inspected,
  findings: readonly ShadowFinding[],
  { events }: AuthorizeDeps,
): void => {
  call.notes.decision = { ...call.notes.decision, shadow: findings };
  const { executionId } = call;
  events.emit('policy.shadowed', { executionId, tool: call.ready.tool.name, findings });
};

/** The refusal of a tool that is not on the caller's list. No grant and no role overrides it. */
export const NOT_LISTED = Object.freeze({
  effect: 'deny',
  rule: 'tool-not-listed',
  reason: 'The caller may not call this tool: it is not on its list.',
}) satisfies Verdict;

/**
 * Tells whether the call's tool is missing from the caller's list. An internal tool, such as undo, is looked
 * up as its `listedAs`; one without it checks the caller itself.
 */
export const isOffList = ({ internal, caller, ready }: Call<'ready'>): boolean => {
  const name = internal === undefined ? ready.tool.name : internal.listedAs;
  return name !== undefined && !isListed(caller, name);
};

/**
 * Turns a call that the rules allow into a question that no grant can answer. The reason shown is the tool's
 * description: the reason of the rule would say why the call is allowed.
 */
const askingAlways = (verdict: Verdict, { description }: Tool): Verdict =>
  verdict.effect === 'deny'
    ? verdict
    : { ...verdict, reason: description, effect: 'ask', everyTime: true };

interface Judged {
  readonly question: PolicyQuestion;
  readonly verdict: Verdict;
  readonly missing: readonly string[];
  /** Where the paths of the call lead, when a standing grant answers. */
  readonly paths?: readonly ApprovedPath[];
}

const Admitted = plainObjects<Admission, [PolicyQuestion, Verdict]>(function (question, verdict) {
  this.rule = verdict.rule;
  this.reason = verdict.reason;
  this.ask = verdict.effect === 'ask';
  this.everyTime = verdict.everyTime ?? false;
  this.tier = question.tier;
  this.capability = question.capability;
});

const pass = (call: Inspected, next: Onward, judged: Judged): Promise<ToolResult> => {
  const { question, verdict, paths } = judged;
  if (call.ready.neverAsks && verdict.effect === 'ask') {
    const message = `${verdict.reason} (rule ${verdict.rule}). Nobody is asked about such a call.`;
    return Promise.resolve(failed(call, 'APPROVAL_REQUIRED', { message }));
  }
  const admitted = new Admitted(question, verdict);
  return next(prove(call, 'grant', paths ? { ...admitted, paths } : admitted));
};

/** Looks for grants: for each permission that is missing, and for the question to a person. */
const withGrants = async (
  call: Inspected,
  judged: Judged,
  { deps, next }: { readonly deps: AuthorizeDeps; readonly next: Onward },
): Promise<ToolResult> => {
  const { question, verdict, missing } = judged;
  const grantFor = await deps.standingGrants.forCall(question, deps.definitionOf(call.ready));
  const lacking = missing.find((permission) => !grantFor(permission));
  if (lacking !== undefined) {
    const reason = `The caller does not hold the permission ${lacking}.`;
    return refuse(call, { reason, rule: 'permission-missing' });
  }
  if (verdict.effect !== 'ask' || verdict.everyTime) return pass(call, next, judged);
  const grant = grantFor(`tool:${question.tool.name}`, true);
  if (!grant) return pass(call, next, judged);
  const resolved = await deps.resolveTargets(question.tool, call.input);
  if (grant.targets && !isWithinPattern(grant.targets, resolved)) {
    return pass(call, next, judged);
  }
  call.notes.decision = { ...call.notes.decision, grantId: grant.id };
  const reason = `A standing grant answers for a person: ${verdict.reason}`;
  const allowed: Verdict = { effect: 'allow', rule: verdict.rule, reason };
  return pass(call, next, { ...judged, verdict: allowed, paths: resolved.paths });
};

export const authorize = (deps: AuthorizeDeps): Stage<'ready' | 'input' | 'inspected', 'grant'> => {
  const { policy } = deps;
  const decide = (call: Inspected, next: Onward, flow: FlowState): Promise<ToolResult> => {
    const question = questionOf(call, flow);
    const judged = judge(policy, question);
    const verdict = call.ready.alwaysAsks ? askingAlways(judged, question.tool) : judged;
    if (verdict.shadow) report(call, verdict.shadow, deps);
    if (verdict.effect === 'deny') return Promise.resolve(refuse(call, verdict));
    const { tool } = question;
    const missing = missingPermissions(tool, policy.rightsOf?.(call.caller) ?? call.caller);
    if (missing.length === 0 && verdict.effect === 'allow') {
      return next(prove(call, 'grant', new Admitted(question, verdict)));
    }
    return withGrants(call, { question, verdict, missing }, { deps, next });
  };
  const decideLater = async (
    call: Inspected,
    next: Onward,
    flow: Promise<FlowState>,
  ): Promise<ToolResult> => decide(call, next, await flow);

  return function authorize(call, next) {
    if (isOffList(call)) return Promise.resolve(refuse(call, NOT_LISTED));
    const flow = flowOf(call, deps);
    return flow instanceof Promise ? decideLater(call, next, flow) : decide(call, next, flow);
  };
};
