/** File content as text: exact, with its byte order mark and line ends, or not at all. */
import { ToolFailure } from '../../contract/errors.ts';

/** `undefined` for bytes that are no UTF-8 text. */
export const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Throws for a file that cannot be worked on as text. */
export const assertText = (bytes: Uint8Array, suggestion: string): string => {
  const text = textOf(bytes);
  if (text === undefined) {
    throw new ToolFailure('VALIDATION_ERROR', 'The file is binary, not UTF-8 text.', {
      suggestions: [suggestion],
    });
  }
  return text;
};
