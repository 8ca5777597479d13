/** The body of a REST request: checks it with the rest of the input, and encodes it. */
import type { z } from 'zod';
import { isRecord } from '../../kit/data/is-record.ts';

export type Scalar = string | number | boolean;

export interface BodyInput {
  readonly method: string;
  readonly body?: unknown;
  readonly bodyType: 'json' | 'form' | 'text';
}

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const isForm = (body: unknown): body is Record<string, Scalar | readonly Scalar[]> =>
  isRecord(body) &&
  Object.values(body).every(
    (item) => isScalar(item) || (Array.isArray(item) && item.every(isScalar)),
  );

const BODYLESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

const faultOf = ({ method, body, bodyType }: BodyInput): string | undefined => {
  if (body === undefined) return undefined;
  if (BODYLESS.has(method)) return `A ${method} request has no body; use query instead.`;
  if (bodyType === 'text' && typeof body !== 'string') return 'With bodyType text, a string.';
  if (bodyType === 'form' && !isForm(body)) {
    return 'With bodyType form, an object of strings, numbers, booleans or lists of them.';
  }
  return undefined;
};

/** Checks the body fields, as a `superRefine` of the input. */
export const checkBody = (input: BodyInput, context: z.RefinementCtx): void => {
  const message = faultOf(input);
  if (message !== undefined) context.addIssue({ code: 'custom', path: ['body'], message });
};

/** Appends fields; a list is appended as the same name several times. */
export const appendAll = (
  into: URLSearchParams,
  fields: Readonly<Record<string, Scalar | readonly Scalar[]>>,
): URLSearchParams => {
  for (const [name, value] of Object.entries(fields)) {
    for (const item of isScalar(value) ? [value] : value) into.append(name, String(item));
  }
  return into;
};

const TYPES = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded;charset=UTF-8',
  text: 'text/plain;charset=UTF-8',
} as const;

/** Encodes the body; returns `undefined` when there is none. */
export const encodeBody = ({
  body,
  bodyType,
}: BodyInput): { readonly text: string; readonly type: string } | undefined => {
  if (body === undefined) return undefined;
  const type = TYPES[bodyType];
  if (bodyType === 'form') {
    return {
      text: appendAll(new URLSearchParams(), body as Record<string, Scalar>).toString(),
      type,
    };
  }
  return { text: bodyType === 'text' ? String(body) : JSON.stringify(body), type };
};
