/** Files as callers give them: text or base64, with a name and a media type. */
import { ToolFailure } from '../../../contract/errors.ts';
import type { JsonSchema } from '../../../contract/schema.ts';
import { isRecord } from '../../../kit/data/is-record.ts';

/** What a caller gives for a file or for bytes. */
export const FILE_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'A file: its content as text or base64.',
  properties: {
    text: { type: 'string' },
    base64: { type: 'string' },
    fileName: { type: 'string', maxLength: 200 },
    contentType: { type: 'string', maxLength: 100 },
  },
  additionalProperties: false,
};

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** Tells whether a text is base64. One letter after whole groups of four is refused: it stands for no byte. */
const isBase64 = (text: string): boolean =>
  BASE64.test(text) && text.replace(/=+$/, '').length % 4 !== 1;

/** A media type that can be sent: one, without stars. */
export const CONTENT_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w.-]+)*$/;

const badFile = (message: string): ToolFailure =>
  new ToolFailure('VALIDATION_ERROR', `A file of the request cannot be sent: ${message}.`, {
    suggestions: ['Give { "text": "…" } or { "base64": "…" }, with "fileName" if it has one.'],
  });

interface FileInput {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
}

/** Reads the file that a caller gives. Throws VALIDATION_ERROR. */
export const fileOf = (value: unknown): FileInput => {
  const { text, base64, fileName, contentType } = isRecord(value) ? value : { text: value };
  if ((typeof text === 'string') === (typeof base64 === 'string')) {
    throw badFile('it needs either text or base64');
  }
  if (typeof base64 === 'string' && !isBase64(base64)) throw badFile('its base64 is not valid');
  if (contentType !== undefined && !CONTENT_TYPE.test(String(contentType))) {
    throw badFile('its content type is not valid');
  }
  return {
    bytes:
      typeof text === 'string'
        ? new TextEncoder().encode(text)
        : new Uint8Array(Buffer.from(String(base64), 'base64')),
    fileName: typeof fileName === 'string' ? fileName : undefined,
    contentType: typeof contentType === 'string' ? contentType : undefined,
  };
};
