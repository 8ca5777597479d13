/** Reads the answer of a GraphQL service: its data, its errors, and the error code that they stand for. */
import { z } from 'zod';
import { type ErrorCode, ToolFailure } from '../../contract/errors.ts';
import { lazy } from '../data/lazy.ts';
import { decodeText, parseJson, retryAfterMs } from '../http/read-reply.ts';
import { codeForStatus } from '../http/status-code.ts';
import { visibleText } from '../text/visible-text.ts';

export const graphqlError = () =>
  z.object({
    message: z.string(),
    path: z.array(z.union([z.string(), z.int()])).optional(),
    locations: z.array(z.object({ line: z.int(), column: z.int() })).optional(),
    /** GitHub and others name the kind of an error here. */
    type: z.string().optional(),
    extensions: z.record(z.string(), z.unknown()).optional(),
  });

export type GraphqlError = z.infer<ReturnType<typeof graphqlError>>;

const reply = lazy(() =>
  z
    .object({
      data: z.record(z.string(), z.unknown()).nullish(),
      errors: z.array(graphqlError()).optional(),
      extensions: z.record(z.string(), z.unknown()).optional(),
    })
    .refine(({ data, errors }) => data !== undefined || errors !== undefined),
);

export interface GraphqlReply {
  readonly data: Readonly<Record<string, unknown>> | undefined;
  readonly errors: readonly GraphqlError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

const MAX_SHOWN = 5;
const MAX_MESSAGE = 300;

/** What Apollo, GitHub, Hasura and others call the kinds of errors that have a code of their own. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  UNAUTHENTICATED: 'AUTH_MISSING',
  UNAUTHORIZED: 'AUTH_MISSING',
  FORBIDDEN: 'AUTH_MISSING',
  INSUFFICIENT_SCOPES: 'AUTH_MISSING',
  RATE_LIMITED: 'RATE_LIMITED',
  THROTTLED: 'RATE_LIMITED',
  TOO_MANY_REQUESTS: 'RATE_LIMITED',
  NOT_FOUND: 'NOT_FOUND',
  CONFLICT: 'CONFLICT',
  GRAPHQL_VALIDATION_FAILED: 'VALIDATION_ERROR',
  GRAPHQL_PARSE_FAILED: 'VALIDATION_ERROR',
  BAD_USER_INPUT: 'VALIDATION_ERROR',
  INTERNAL_SERVER_ERROR: 'EXECUTION_FAILED',
};

/** The order in which codes of several errors count. */
const PRECEDENCE: readonly ErrorCode[] = [
  'AUTH_MISSING',
  'RATE_LIMITED',
  'VALIDATION_ERROR',
  'NOT_FOUND',
  'CONFLICT',
];

const codeOf = ({ extensions, type }: GraphqlError): ErrorCode => {
  const name = extensions?.code ?? type;
  return typeof name === 'string' && Object.hasOwn(CODES, name)
    ? (CODES[name] ?? 'EXECUTION_FAILED')
    : 'EXECUTION_FAILED';
};

/** Gives the words of the first errors, safe to look at. */
export const errorTexts = (errors: readonly GraphqlError[]): readonly string[] =>
  errors.slice(0, MAX_SHOWN).map(({ message }) => visibleText(message.slice(0, MAX_MESSAGE)));

/** Makes the failure of an answer without data. `field` names the input that a faulty query came from. */
export const graphqlFailure = (errors: readonly GraphqlError[], field: string): ToolFailure => {
  const codes = new Set(errors.map(codeOf));
  const shown = errorTexts(errors);
  const message = `The service answered with errors: ${shown.join('; ')}`;
  const code = PRECEDENCE.find((each) => codes.has(each)) ?? 'EXECUTION_FAILED';
  if (code === 'VALIDATION_ERROR') {
    const issues = shown.map((each) => ({ path: field === '' ? [] : [field], message: each }));
    return new ToolFailure(code, message, { issues });
  }
  return new ToolFailure(code, message, {
    ...(code === 'EXECUTION_FAILED' && {
      suggestions: ['Correct the query or its variables.'],
    }),
  });
};

const statusFailure = ({ status, headers }: Response): ToolFailure => {
  const wait = retryAfterMs(headers);
  return new ToolFailure(codeForStatus(status), `The service answered with status ${status}.`, {
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
};

/**
 * Reads an answer. A well-formed one counts whatever its status: that is what the GraphQL over HTTP
 * draft says. Fails with the code of the status for anything else.
 */
export const readGraphqlReply = (response: Response, bytes: Uint8Array): GraphqlReply => {
  if (response.status === 429 || response.status >= 500) throw statusFailure(response);
  const parsed = reply().safeParse(parseJson(decodeText(bytes))?.value);
  if (!parsed.success) {
    if (!response.ok) throw statusFailure(response);
    throw new ToolFailure('EXECUTION_FAILED', 'The answer is no GraphQL response.', {
      suggestions: ['Check that the endpoint is that of a GraphQL service.'],
    });
  }
  const { data, errors = [], extensions } = parsed.data;
  if (data == null && !response.ok) {
    const failure = graphqlFailure(errors, '');
    // Many services say by the status alone that the credential is missing.
    if (failure.code === 'EXECUTION_FAILED') {
      throw new ToolFailure(codeForStatus(response.status), failure.message);
    }
  }
  return { data: data ?? undefined, errors, ...(extensions && { extensions }) };
};
