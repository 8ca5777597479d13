/** Reads a body up to a limit, and only of the expected type. */
import { isUtf8 } from 'node:buffer';
import { ToolFailure } from '../../contract/errors.ts';
import { withoutByteOrderMark } from '../../kit/text/byte-order-mark.ts';
import type { JsonFlaw } from '../../kit/text/json-scan.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import { JSON_TYPE } from './answer.ts';
import type { HttpRequest } from './http-request.ts';

/** Why a body is refused. Each surface words it in its own protocol. */
export interface BodyFault {
  readonly status: 400 | 413 | 415;
  readonly message: string;
  readonly suggestion: string;
  /** Where the text is not the JSON that it should be. */
  readonly flaw?: JsonFlaw;
}

export type BodyRead = { readonly value: unknown } | { readonly fault: BodyFault };

export interface BodyOptions {
  readonly maxBytes: number;
  /** The body is an HTML form, not JSON. */
  readonly form?: boolean;
}

const faulty = (status: BodyFault['status'], message: string, suggestion: string): BodyRead => ({
  fault: { status, message, suggestion },
});

const tooLarge = (): BodyRead =>
  faulty(413, 'The body of the request is too large.', 'Send less at once.');

const isOfType = (request: HttpRequest, type: string): boolean => {
  const sent = request.header('content-type') ?? '';
  return sent === type || sent.split(';', 1)[0]?.trim().toLowerCase() === type;
};

/** Throws CANCELLED: the client has gone or was too slow, so there is no reader for an answer. */
const lost = (): never => {
  throw new ToolFailure('CANCELLED', 'The body of the request did not arrive.');
};

/** Decodes UTF-8; nothing for other bytes, which decoding would silently change. */
const toText = (bytes: Uint8Array): string | undefined => {
  if (!isUtf8(bytes)) return undefined;
  return withoutByteOrderMark(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(),
  );
};

const readForm = (text: string): BodyRead => {
  const fields = [...new URLSearchParams(text)];
  const value = Object.fromEntries(fields);
  return Object.keys(value).length === fields.length
    ? { value }
    : faulty(400, 'The form gives a field twice.', 'Give each field once.');
};

const parse = (text: string, { form = false }: BodyOptions): BodyRead => {
  if (form) return readForm(text);
  if (text === '') return { value: undefined };
  const json = parseStrictJson(text);
  if ('value' in json) return json;
  const { flaw } = json;
  const reason = flaw.kind === 'syntax' ? 'is not valid JSON' : 'is refused';
  const message = `The body ${reason}: at character ${flaw.offset + 1}, ${flaw.message}.`;
  return { fault: { status: 400, message, suggestion: 'Check the JSON of the body.', flaw } };
};

/** Refuses a body before it is read: too large, compressed (a zip bomb) or of another type. */
const refusedByHeaders = (
  request: HttpRequest,
  { maxBytes, form = false }: BodyOptions,
): BodyRead | undefined => {
  if (Number(request.header('content-length') ?? 0) > maxBytes) return tooLarge();
  if ((request.header('content-encoding') ?? 'identity') !== 'identity') {
    return faulty(415, 'The body must not be compressed.', 'Leave Content-Encoding out.');
  }
  const type = form ? 'application/x-www-form-urlencoded' : JSON_TYPE;
  if (request.hasBody() && !isOfType(request, type)) {
    return faulty(415, `The body must be ${type}.`, `Set Content-Type: ${type}.`);
  }
  return undefined;
};

const parseBytes = (bytes: Uint8Array | undefined, options: BodyOptions): BodyRead => {
  if (!bytes) return tooLarge();
  const text = toText(bytes);
  if (text === undefined) return faulty(400, 'The body is not UTF-8.', 'Send it in UTF-8.');
  return parse(text, options);
};

/** Reads and parses the body; fails with CANCELLED when it does not arrive. */
export const readBody = (
  request: HttpRequest,
  options: BodyOptions,
): Promise<BodyRead> | BodyRead =>
  refusedByHeaders(request, options) ??
  request.bytes(options.maxBytes).then((bytes) => parseBytes(bytes, options), lost);
