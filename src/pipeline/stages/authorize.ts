/** Refuses every call that no rule allows. Silence, an unknown answer and a throw are refusals. */
import type { Policy, PolicyQuestion, Verdict } from '../../contract/policy.ts';
import type { Stage } from '../../contract/stage.ts';
import { capabilityInUse, tierInUse } from '../../governance/capability.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';

/** Asks the policy; whatever is not a clear yes or ask is a no. */
export const judge = (policy: Policy, question: PolicyQuestion): Verdict => {
  try {
    const verdict = policy.judge(question);
    if (verdict.effect === 'allow' || verdict.effect === 'ask') return verdict;
    return { ...verdict, effect: 'deny' };
  } catch {
    return { effect: 'deny', rule: 'policy-error', reason: 'The policy could not be judged.' };
  }
};

export const authorize = (policy: Policy): Stage<'ready' | 'input' | 'inspected', 'grant'> =>
  function authorize(call, next) {
    const { tool } = call.ready;
    const capability = capabilityInUse(tool, call.input);
    const tier = tierInUse(tool, capability);
    const { input, caller } = call;
    const verdict = judge(policy, { tool, tier, capability, input, caller });
    if (verdict.effect === 'deny') {
      return Promise.resolve(
        failed(call, 'PERMISSION_DENIED', { message: `${verdict.reason} (rule ${verdict.rule})` }),
      );
    }
    const ask = verdict.effect === 'ask';
    const { rule, reason } = verdict;
    return next(prove(call, 'grant', { rule, reason, ask, tier, capability }));
  };
