/** Reads the answer of a service: its data, or its refusal as a code of the table. */
import { type ErrorCode, ToolFailure } from '../contract/errors.ts';
import type { AuthRequirement } from '../contract/tool.ts';
import { isObject } from '../kit/data/is-record.ts';
import { decodeText, parseJson, readBytes, retryAfterMs } from '../kit/http/read-reply.ts';
import { codeForStatus } from '../kit/http/status-code.ts';

export interface Vendor {
  /** The name shown to people. */
  readonly name: string;
  /** The key of the credential. */
  readonly secret: string;
  readonly setupUrl: string;
  /** Finds the message in an error body; `undefined` when there is none. */
  explain(body: unknown): string | undefined;
}

/** Statuses after which the service may have done its work, or may still do it. */
const IN_DOUBT: ReadonlySet<number> = new Set([408, 409, 425]);

/** Tells whether the status says that the service did nothing. */
export const isRefusal = ({ status }: Response): boolean =>
  status >= 400 && status < 500 && !IN_DOUBT.has(status);

const MAX_ERROR_BYTES = 100_000;
const MAX_EXPLANATION = 300;

const suggestionsFor = (
  status: number,
  code: ErrorCode,
  { name, secret, setupUrl }: Vendor,
): readonly string[] => {
  if (status === 403) return [`Give the credential the right it lacks at ${setupUrl}`];
  switch (code) {
    case 'AUTH_MISSING':
      return [`Keep a valid one with: toolcrib secrets set ${secret}`, `Get one at ${setupUrl}`];
    case 'VALIDATION_ERROR':
      return ['Correct the input as the message says, and call again.'];
    case 'RATE_LIMITED':
      return [`Wait until ${name} takes calls again.`];
    default:
      return [];
  }
};

const explanation = async (response: Response, vendor: Vendor): Promise<string> => {
  const bytes = await readBytes(response, MAX_ERROR_BYTES).catch(() => new Uint8Array());
  const body = parseJson(decodeText(bytes));
  const message = body && vendor.explain(body.value);
  return message === undefined ? '' : ` ${message.slice(0, MAX_EXPLANATION)}`;
};

/** Makes the failure of a bad status, with the service's own message. */
export const vendorFailure = async (response: Response, vendor: Vendor): Promise<ToolFailure> => {
  const { status, headers } = response;
  const code = codeForStatus(status);
  const wait = retryAfterMs(headers);
  const detail = await explanation(response, vendor);
  const what =
    status === 401
      ? `${vendor.name} did not accept the credential ${vendor.secret}.`
      : `${vendor.name} answered with status ${status}.`;
  return new ToolFailure(code, `${what}${detail}`, {
    suggestions: suggestionsFor(status, code, vendor),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
};

/** The part of a Zod schema that is needed to read an answer. */
export interface Shape<T> {
  safeParse(value: unknown): { readonly success: boolean; readonly data?: T };
}

const MAX_BYTES = 5_000_000;

/**
 * Reads the data of an answer. Throws the failure of a refusal, and EXECUTION_FAILED for data that does
 * not fit.
 */
export const vendorData = async <T>(
  response: Response,
  vendor: Vendor,
  shape: Shape<T>,
): Promise<T> => {
  if (!response.ok) throw await vendorFailure(response, vendor);
  const body = parseJson(decodeText(await readBytes(response, MAX_BYTES)));
  const { data } = shape.safeParse(body?.value);
  if (data !== undefined) return data;
  throw new ToolFailure(
    'EXECUTION_FAILED',
    `${vendor.name} answered with something that is not as documented.`,
  );
};

/** Declares the credential that the service needs. */
export const authOf = (
  { secret, setupUrl }: Vendor,
  type: AuthRequirement['type'],
): AuthRequirement => ({ type, required: true, configKey: secret, setupUrl });

/** Reads the text at a path of own fields, for error bodies. */
export const textAt = (
  value: unknown,
  ...path: readonly (string | number)[]
): string | undefined => {
  let at = value;
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined;
    at = at[key];
  }
  return typeof at === 'string' ? at : undefined;
};
