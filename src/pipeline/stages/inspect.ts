/** Refuses input that looks like an attack; notes what is merely odd. */
import type { Call, Next } from '../../contract/call.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { Stage } from '../../contract/stage.ts';
import { createInspectors } from '../../governance/inspection/create-inspectors.ts';
import { isSerious, type Violation } from '../../governance/inspection/violation.ts';
import type { PathGuard } from '../../governance/paths/path-guard.ts';
import type { Redactor } from '../../governance/redaction/redaction.ts';
import { failed } from '../outcome.ts';
import { perTool } from '../per-tool.ts';
import { prove } from '../pipeline.ts';

export interface InspectDeps {
  readonly redactor: Redactor;
  readonly guard: Pick<PathGuard, 'isInside'>;
  /** For tools that do not say themselves. */
  readonly sanitize: 'flag' | 'off';
}

type Inspectable = Call<'ready' | 'input'>;
type Onward = Next<Call<'ready' | 'input' | 'inspected'>>;

const NOTHING: readonly string[] = Object.freeze([]);

const noteOf = ({ type, severity, description, at }: Violation): string =>
  `${type} (${severity}) at ${at || '/'}: ${description}`;

const refuse = (call: Call, serious: readonly Violation[]): Promise<ToolResult> =>
  Promise.resolve(
    failed(call, 'SECURITY_VIOLATION', {
      message: serious.map(noteOf).join(' '),
      suggestions: [...new Set(serious.map(({ remedy }) => remedy))],
    }),
  );

/** Finds text with the value of a known secret, not only with the shape of one. */
const secretsIn = (redactor: Redactor): ((text: string) => boolean) => {
  const byShape = redactor.withoutValues();
  return (text) => redactor.text(text) !== byShape.text(text);
};

export const inspect = (deps: InspectDeps): Stage<'ready' | 'input', 'inspected'> => {
  const inspectorOf = perTool(
    createInspectors({
      sanitize: deps.sanitize,
      looksSecret: secretsIn(deps.redactor),
      isInside: (path) => deps.guard.isInside(path),
    }),
  );
  const conclude = (
    call: Inspectable,
    violations: readonly Violation[],
    next: Onward,
  ): Promise<ToolResult> => {
    if (violations.length === 0) return next(prove(call, 'inspected', NOTHING));
    // Also for a refusal: the trail says what the inspection found.
    const noted = prove(call, 'inspected', violations.map(noteOf));
    const serious = violations.filter(isSerious);
    return serious.length > 0 ? refuse(call, serious) : next(noted);
  };
  const concludeLater = async (
    call: Inspectable,
    violations: Promise<readonly Violation[]>,
    next: Onward,
  ): Promise<ToolResult> => conclude(call, await violations, next);

  return function inspect(call, next) {
    const violations = inspectorOf(call.ready.tool)(call.input);
    return violations instanceof Promise
      ? concludeLater(call, violations, next)
      : conclude(call, violations, next);
  };
};
