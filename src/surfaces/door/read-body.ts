/** Reads a body, but no more of it than allowed, and only of the kind that is expected. */
import { isUtf8 } from 'node:buffer';
import { ToolFailure } from '../../contract/errors.ts';
import type { JsonFlaw } from '../../kit/text/json-scan.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import { JSON_TYPE } from './answer.ts';
import type { HttpRequest } from './http-request.ts';

/** What is wrong with a body; each surface tells its clients in the words of its protocol. */
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
  const given = request.header('content-type') ?? '';
  return given === type || given.split(';', 1)[0]?.trim().toLowerCase() === type;
};

/** Throws, because the client has gone or its time is over: nobody reads the answer. */
const lost = (): never => {
  throw new ToolFailure('CANCELLED', 'The body of the request did not arrive.');
};

const BOM = '\uFEFF';

/** Returns nothing for what is not UTF-8: repaired bytes would be others than those that were sent. */
const toText = (bytes: Uint8Array): string | undefined => {
  if (!isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return text.startsWith(BOM) ? text.slice(1) : text;
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

/** Refuses what need not be read: nobody may compress a bomb, and an announced length is believed. */
const refusedUnread = (
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

const understood = (bytes: Uint8Array | undefined, options: BodyOptions): BodyRead => {
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
  refusedUnread(request, options) ??
  request.bytes(options.maxBytes).then((bytes) => understood(bytes, options), lost);
