/** A failure in the words that a model reads. */
import { ERRORS, isErrorCode, type ToolError } from '../../contract/errors.ts';

const MAX_PARTIAL = 4000;

const partialLines = ({ partial }: ToolError): readonly string[] => {
  if (partial === undefined) return [];
  const text = JSON.stringify(partial) ?? '';
  const shown = text.length > MAX_PARTIAL ? `${text.slice(0, MAX_PARTIAL)}…` : text;
  return [`What was done before it failed: ${shown}`];
};

/** Writes an error as lines: the code, what it means, what is wrong with the input, and what to do next. */
export const errorText = (error: ToolError): string => {
  const sentence = isErrorCode(error.code) ? ERRORS[error.code].sentence : error.message;
  const issues = (error.issues ?? []).map(
    ({ path, message }) => `- ${path.length === 0 ? 'input' : path.join('.')}: ${message}`,
  );
  return [
    `${error.code}: ${error.message}`,
    ...(error.message === sentence ? [] : [sentence]),
    ...issues,
    ...(error.retryAfterMs === undefined
      ? []
      : [`Wait ${Math.ceil(error.retryAfterMs / 1000)} s before the next try.`]),
    ...error.suggestions.map((suggestion) => `- ${suggestion}`),
    ...partialLines(error),
  ].join('\n');
};
