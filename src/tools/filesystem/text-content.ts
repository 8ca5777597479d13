/** File content as exact text, with its byte order mark and line ends; binary content is refused. */
import { ToolFailure } from '../../contract/errors.ts';

/** Decodes UTF-8; `undefined` for other bytes. */
export const textOf = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

/** Decodes UTF-8. Throws for a file that is not text. */
export const assertText = (bytes: Uint8Array, suggestion: string): string => {
  const text = textOf(bytes);
  if (text === undefined) {
    throw new ToolFailure('VALIDATION_ERROR', 'The file is binary, not UTF-8 text.', {
      suggestions: [suggestion],
    });
  }
  return text;
};
