/** Checks inputs by rules beyond the schema: those of the tool and those of the program. */
import type { CallControl } from '../contract/call.ts';
import type { Issue } from '../contract/errors.ts';
import type { Runtime } from '../contract/runtime.ts';
import type { Tool, Validator, ValidatorFacts } from '../contract/tool.ts';
import { ownCopy } from '../governance/own-copy.ts';

/** By the name of the tool; `*` holds for every tool. */
export type RulesByTool = Readonly<Record<string, readonly Validator[]>>;

/** A rule that has not answered by then counts as broken. */
const ANSWER_MS = 10_000;
const MAX_ANSWER_LENGTH = 500;

const rulesNamed = (rules: RulesByTool | undefined, name: string): readonly Validator[] =>
  (rules && Object.hasOwn(rules, name) && rules[name]) || [];

/** Collects the rules for a tool; `undefined` when there are none. */
export const rulesFor = (
  tool: Tool,
  outside: RulesByTool | undefined,
): readonly Validator[] | undefined => {
  const rules = [
    ...(tool.validators ?? []),
    ...rulesNamed(outside, '*'),
    ...rulesNamed(outside, tool.name),
  ];
  return rules.length > 0 ? rules : undefined;
};

export interface RuleQuestion {
  readonly input: unknown;
  readonly facts: ValidatorFacts;
  /** That of the call: once it is aborted, no answer is waited for. */
  readonly control?: Pick<CallControl, 'aborted' | 'onAbort'>;
}

const LATE = Symbol('late');

const inTime = async (
  answer: Promise<unknown>,
  control: RuleQuestion['control'],
  runtime: Pick<Runtime, 'after'>,
) => {
  let timer: { cancel(): void } | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = runtime.after(ANSWER_MS, () => resolve(LATE));
    control?.onAbort(() => resolve(LATE));
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    timer?.cancel();
  }
};

const faultOf = (rule: Validator, answer: unknown): string | undefined => {
  if (answer === LATE) return `The rule ${rule.name} did not answer in time.`;
  if (typeof answer === 'string' && answer !== '') return answer.slice(0, MAX_ANSWER_LENGTH);
  return answer ? `The rule ${rule.name} refuses this input.` : undefined;
};

/** Lists what the rules object to. A rule that throws, or returns anything truthy but text, refuses, too. */
export const brokenRules = async (
  rules: readonly Validator[],
  { input, facts, control }: RuleQuestion,
  runtime: Pick<Runtime, 'after'>,
): Promise<readonly Issue[]> => {
  const issues: Issue[] = [];
  for (const rule of rules) {
    if (control?.aborted) break;
    try {
      // A copy for each: a rule judges the input and does not change it.
      const answer: unknown = rule.check(ownCopy(input), facts);
      const settled = answer instanceof Promise ? await inTime(answer, control, runtime) : answer;
      const fault = faultOf(rule, settled);
      if (fault !== undefined) issues.push({ path: [], message: fault });
    } catch {
      issues.push({ path: [], message: `The rule ${rule.name} could not be checked.` });
    }
  }
  return issues;
};
