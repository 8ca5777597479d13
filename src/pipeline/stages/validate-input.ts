/** Parses the input: from here on everybody works with what was parsed, never with what was sent. */
import type { Call, Next } from '../../contract/call.ts';
import type { Issue } from '../../contract/errors.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import type { Validator } from '../../contract/tool.ts';
import { guardShape, type ShapeLimits } from '../../registry/guard-shape.ts';
import { failed } from '../outcome.ts';
import { prove } from '../pipeline.ts';

const refuse = (call: Call<'ready'>, issues: readonly Issue[]): Promise<ToolResult> =>
  Promise.resolve(
    failed(call, 'VALIDATION_ERROR', {
      message: describe(issues),
      issues,
      suggestions: [`See the schema with: toolcrib tools info ${call.ready.tool.name}`],
    }),
  );

const describe = (issues: readonly Issue[]): string =>
  issues
    .slice(0, 10)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ');

/** A rule that throws refuses, like one that finds fault. */
const brokenRules = async (
  validators: readonly Validator[],
  input: unknown,
): Promise<readonly Issue[]> => {
  const issues: Issue[] = [];
  for (const validator of validators) {
    try {
      const fault = await validator.check(input);
      if (fault !== undefined) issues.push({ path: [], message: fault });
    } catch {
      issues.push({ path: [], message: `The rule ${validator.name} could not be checked.` });
    }
  }
  return issues;
};

export const validateInput = (limits: ShapeLimits): Stage<'ready', 'input'> => {
  const checkRules = async (
    call: Call<'ready'>,
    input: unknown,
    next: Next<Call<'ready' | 'input'>>,
  ): Promise<ToolResult> => {
    const issues = await brokenRules(call.ready.tool.validators ?? [], input);
    return issues.length > 0 ? refuse(call, issues) : next(prove(call, 'input', input));
  };

  return function validateInput(call, next) {
    const { ready, rawInput } = call;
    const fault = guardShape(rawInput, limits);
    if (fault) return refuse(call, [fault]);
    const parsed = ready.input.validate(rawInput);
    if (!parsed.ok) return refuse(call, parsed.issues);
    if (ready.tool.validators) return checkRules(call, parsed.value, next);
    return next(prove(call, 'input', parsed.value));
  };
};
