/**
 * Copies and parses the input: all later stages work with what was parsed, never with what was sent, and
 * the caller has no reference to it.
 */
import type { Call, Next } from '../../contract/call.ts';
import type { Issue } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Runtime } from '../../contract/runtime.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Validator } from '../../contract/tool.ts';
import { loadStripper } from '../../governance/inspection/strip-markup.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { didYouMean } from '../../kit/text/did-you-mean.ts';
import { issuesText } from '../../kit/text/issues-text.ts';
import { type ShapeLimits, takeShape } from '../../registry/schema/guard-shape.ts';
import { brokenRules, type RulesByTool, rulesFor } from '../business-rules.ts';
import { failed } from '../outcome.ts';
import { perTool } from '../per-tool.ts';
import { prove } from '../pipeline.ts';

export interface ValidateInputDeps {
  readonly shape: ShapeLimits;
  readonly runtime: Pick<Runtime, 'now' | 'after'>;
  /** Rules from outside, by the name of the tool; `*` for every tool. */
  readonly validators?: RulesByTool | undefined;
}

type Onward = Next<Call<'ready' | 'input'>>;

const UNKNOWN_FIELD = 'is not a known field';

/** Adds to a top-level field that is not known which one may be meant. */
const withHints = (call: Call<'ready'>, issues: readonly Issue[]): readonly Issue[] => {
  if (!issues.some(({ message }) => message === UNKNOWN_FIELD)) return issues;
  const { properties } = call.ready.input.json;
  const names = isRecord(properties) ? Object.keys(properties) : [];
  return issues.map((issue) =>
    issue.path.length === 1 && issue.message === UNKNOWN_FIELD
      ? { ...issue, message: `${UNKNOWN_FIELD}${didYouMean(String(issue.path[0]), names)}` }
      : issue,
  );
};

const refuse = (call: Call<'ready'>, plainIssues: readonly Issue[]): Promise<ToolResult> => {
  const issues = withHints(call, plainIssues);
  return Promise.resolve(
    failed(call, 'VALIDATION_ERROR', {
      message: issuesText(issues),
      issues,
      // A model has no shell; it has the schema in its prompt, or a tool that shows it.
      suggestions:
        call.options.audience === 'model'
          ? []
          : [`See the schema with: toolcrib tools info ${call.ready.tool.name}`],
    }),
  );
};

const noteStripped = (call: Call<'ready'>, warnings: readonly string[]): void => {
  if (warnings.length === 0) return;
  call.notes.warnings ??= [];
  call.notes.warnings.push(...warnings);
};

export const validateInput = (deps: ValidateInputDeps): Stage<'ready', 'input'> => {
  const rulesOf = perTool((tool) => rulesFor(tool, deps.validators));
  const stripper = lazyAsync(loadStripper);

  const checkRules = async (
    call: Call<'ready'>,
    { input, rules }: { readonly input: unknown; readonly rules: readonly Validator[] },
    next: Onward,
  ): Promise<ToolResult> => {
    const facts = { caller: call.caller, now: deps.runtime.now() };
    const { control } = call;
    const issues = await brokenRules(rules, { input, facts, control }, deps.runtime);
    if (control.reason) return failed(call, control.reason);
    return issues.length > 0 ? refuse(call, issues) : next(prove(call, 'input', input));
  };

  const parse = (call: Call<'ready'>, raw: unknown, next: Onward): Promise<ToolResult> => {
    const { ready } = call;
    const parsed = ready.input.validate(raw);
    if (!parsed.ok) return refuse(call, parsed.issues);
    const rules = rulesOf(ready.tool);
    return rules
      ? checkRules(call, { input: parsed.value, rules }, next)
      : next(prove(call, 'input', parsed.value));
  };

  /** Strips markup before parsing: schema, rules and policy all judge what the tool will get. */
  const strip = async (call: Call<'ready'>, raw: unknown, next: Onward): Promise<ToolResult> => {
    const stripped = (await stripper())(raw);
    if ('fault' in stripped) return refuse(call, [{ path: [], message: stripped.fault }]);
    noteStripped(call, stripped.taken);
    return parse(call, stripped.value, next);
  };

  return function validateInput(call, next) {
    const { fault, value } = takeShape(call.rawInput, deps.shape);
    if (fault) return refuse(call, [fault]);
    if (call.ready.tool.sanitize === 'strip') return strip(call, value, next);
    return parse(call, value, next);
  };
};
