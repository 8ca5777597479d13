/** What readers see of an error whose run or job is withheld from them. */
import { type ToolError, toolError } from '../../contract/errors.ts';

/**
 * Keeps what kind of error it is and says it in the words of the table: its own message and its issues name
 * parts of the input, and a partial result is content.
 */
export const withheldError = ({ code, retryable, inDoubt }: ToolError): ToolError => ({
  ...toolError(code),
  retryable,
  ...(inDoubt !== undefined && { inDoubt }),
});
