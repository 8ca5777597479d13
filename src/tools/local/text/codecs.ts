/** Converts text to base64, URL encoding and digests, and back. What cannot be decoded exactly is refused. */
import { ToolFailure } from '../../../contract/errors.ts';

/** Loads the module on first use: it would slow down the start of every command. */
const crypto = () => process.getBuiltinModule('node:crypto');

const refusal = (message: string, suggestion: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', message, {
    issues: [{ path: ['text'], message }],
    suggestions: [suggestion],
  });

/** Refuses half a surrogate pair, which UTF-8 cannot encode; writing U+FFFD instead would change the text. */
const assertWellFormed = (text: string): void => {
  if (!/\p{Surrogate}/u.test(text)) return;
  throw refusal(
    'The text holds half of a surrogate pair, which UTF-8 cannot write.',
    'Take care not to cut the text inside an emoji.',
  );
};

export const encodeBase64 = (text: string): string => {
  assertWellFormed(text);
  return Buffer.from(text, 'utf8').toString('base64');
};

export const decodeBase64 = (text: string): string => {
  const bytes = Buffer.from(text, 'base64');
  // Node skips characters that are not base64, so the result is encoded again and compared.
  if (bytes.toString('base64') !== text) {
    throw refusal(
      'The text is not base64.',
      'Send the standard alphabet (A-Z a-z 0-9 + /) with "=" padding and no spaces or line breaks.',
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw refusal(
      'The base64 holds bytes that are not UTF-8 text.',
      'Keep binary data in base64; this operation returns text only.',
    );
  }
};

export const encodeUrl = (text: string): string => {
  assertWellFormed(text);
  return encodeURIComponent(text);
};

export const decodeUrl = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refusal(
      'The text is not URL-encoded: a "%" is not followed by two hexadecimal digits of valid UTF-8.',
      'Write "%25" for a percent sign that stands for itself.',
    );
  }
};

/** Computes SHA-256 in hexadecimal digits. */
export const digest = (text: string): string => {
  assertWellFormed(text);
  return crypto().createHash('sha256').update(text, 'utf8').digest('hex');
};
