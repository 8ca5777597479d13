/** Refuses input that looks like an attack; notes what is merely odd. */
import type { Stage } from '../../contract/stage.ts';
import { inspectorFor, type Violation } from '../../governance/inspect-input.ts';
import { failed } from '../outcome.ts';
import { perTool } from '../per-tool.ts';
import { prove } from '../pipeline.ts';

const NOTHING: readonly string[] = Object.freeze([]);

const isSerious = ({ severity }: Violation): boolean =>
  severity === 'high' || severity === 'critical';

export const inspect = (): Stage<'ready' | 'input', 'inspected'> => {
  const inspectorOf = perTool(inspectorFor);
  return function inspect(call, next) {
    const violations = inspectorOf(call.ready.tool)(call.input);
    if (violations.length === 0) return next(prove(call, 'inspected', NOTHING));
    const serious = violations.filter(isSerious);
    if (serious.length > 0) {
      return Promise.resolve(
        failed(call, 'SECURITY_VIOLATION', {
          message: serious.map(({ type, description }) => `${type}: ${description}`).join(' '),
          suggestions: serious.map(({ remedy }) => remedy),
        }),
      );
    }
    return next(
      prove(
        call,
        'inspected',
        violations.map(({ description }) => description),
      ),
    );
  };
};
