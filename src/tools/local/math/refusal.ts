/** The failures of an expression: it is wrong at a position, or takes too long. */
import { ToolFailure } from '../../../contract/errors.ts';

const EXAMPLES = 'Write it like "sqrt(16) + 2^3", "5 km to mile" or "inv([1, 2; 3, 4])".';

/**
 * Makes the failure of a wrong expression. `position` counts characters from 1; the message never repeats
 * the expression.
 */
export const wrongExpression = (
  what: string,
  options: {
    readonly position?: number | undefined;
    readonly suggestions?: readonly string[];
  } = {},
): ToolFailure => {
  const { position, suggestions = [EXAMPLES] } = options;
  const where = position === undefined ? '' : ` at character ${position}`;
  const message = `The expression cannot be evaluated${where}: ${what}.`;
  return new ToolFailure('VALIDATION_ERROR', message, {
    suggestions,
    issues: [{ path: ['expression'], message: `${what}${where}` }],
  });
};

export const tooMuch = (what: string): ToolFailure =>
  wrongExpression(what, {
    suggestions: ['Ask for a smaller calculation, or split it into several.'],
  });
