/** Reads a body, but no more of it than allowed, and only of the kind that the route takes. */
import { isUtf8 } from 'node:buffer';
import { ToolFailure } from '../../contract/errors.ts';
import { withoutByteOrderMark } from '../../kit/text/byte-order-mark.ts';
import { parseStrictJson } from '../../kit/text/strict-json.ts';
import type { Refusal } from './error-reply.ts';
import type { HttpRequest } from './http-request.ts';

export type BodyRead = { readonly value: unknown } | { readonly refused: Refusal };

export interface BodyRules {
  readonly most: number;
  readonly form: boolean;
}

const refused = (status: number, message: string, suggestion: string): BodyRead => ({
  refused: { code: 'VALIDATION_ERROR', message, status, extras: { suggestions: [suggestion] } },
});

const tooLarge = (): BodyRead =>
  refused(413, 'The body of the request is too large.', 'Send less at once.');

const isOfType = (request: HttpRequest, wanted: string): boolean => {
  const given = request.header('content-type') ?? '';
  return given === wanted || given.split(';', 1)[0]?.trim().toLowerCase() === wanted;
};

/** The client has gone, or its time is over: nobody hears the answer. */
const lost = (): never => {
  throw new ToolFailure('CANCELLED', 'The body of the request did not arrive.');
};

/** Undefined when it is not UTF-8: repaired bytes would be others than those that were sent. */
const toText = (bytes: Uint8Array): string | undefined => {
  if (!isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return withoutByteOrderMark(text);
};

const readForm = (text: string): BodyRead => {
  const fields = [...new URLSearchParams(text)];
  const value = Object.fromEntries(fields);
  return Object.keys(value).length === fields.length
    ? { value }
    : refused(400, 'The form gives a field twice.', 'Give each field once.');
};

const parse = (text: string, { form }: BodyRules): BodyRead => {
  if (form) return readForm(text);
  if (text === '') return { value: undefined };
  const json = parseStrictJson(text);
  if ('value' in json) return json;
  const { kind, message, offset } = json.flaw;
  const fault = kind === 'syntax' ? 'is not valid JSON' : 'is refused';
  return refused(
    400,
    `The body ${fault}: at character ${offset + 1}, ${message}.`,
    'Check the JSON of the body.',
  );
};

/** Nobody may compress a bomb, and a length that is announced is believed before anything is read. */
const refusedUnread = (request: HttpRequest, { most, form }: BodyRules): BodyRead | undefined => {
  if (Number(request.header('content-length') ?? 0) > most) return tooLarge();
  if ((request.header('content-encoding') ?? 'identity') !== 'identity') {
    return refused(415, 'The body must not be compressed.', 'Leave Content-Encoding out.');
  }
  const wanted = form ? 'application/x-www-form-urlencoded' : 'application/json';
  if (request.hasBody() && !isOfType(request, wanted)) {
    return refused(415, `The body must be ${wanted}.`, `Set Content-Type: ${wanted}.`);
  }
  return undefined;
};

const understood = (bytes: Uint8Array | undefined, rules: BodyRules): BodyRead => {
  if (!bytes) return tooLarge();
  const text = toText(bytes);
  if (text === undefined) return refused(400, 'The body is not UTF-8.', 'Send it in UTF-8.');
  return parse(text, rules);
};

export const readBody = (request: HttpRequest, rules: BodyRules): Promise<BodyRead> | BodyRead =>
  refusedUnread(request, rules) ??
  request.bytes(rules.most).then((bytes) => understood(bytes, rules), lost);
