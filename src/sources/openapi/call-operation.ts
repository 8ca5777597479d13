/** Calls one operation: writes the request, adds the credentials, reads and checks the answer. */
import type { ToolContext } from '../../contract/context.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { Runtime } from '../../contract/runtime.ts';
import { lazy } from '../../kit/data/lazy.ts';
import { charsetOf, decodeText, parseJson, readBytes } from '../../kit/http/read-reply.ts';
import type { Credentials } from './auth/credentials.ts';
import type { Method, Operation } from './operations/list-operations.ts';
import type { Server } from './operations/servers.ts';
import { nextPageFinder } from './reply/next-page.ts';
import { replyFailure } from './reply/reply-failure.ts';
import type { Compile, Responses } from './reply/responses.ts';
import { hasRoundedNumber } from './reply/rounded-numbers.ts';
import { type Draft, draftWriter } from './request/draft.ts';
import { isIdempotencyKey } from './request/parameter.ts';
import type { RequestPlan } from './request/plan-request.ts';

/** What a call answers with. */
export interface OperationReply {
  readonly status: number;
  readonly body?: unknown;
  /** Fields of the input that lead to the next page. */
  readonly nextPage?: Readonly<Record<string, unknown>>;
}

export interface CallDeps {
  readonly operation: Operation;
  readonly server: Server;
  readonly credentials: Credentials;
  readonly responses: Responses;
  readonly runtime: Runtime;
  readonly maxOutputBytes: number;
  /** Absent where answers are not checked here. */
  readonly compile: Compile | undefined;
  plan(): RequestPlan;
}

const SAFE: ReadonlySet<Method> = new Set(['get', 'head', 'options', 'trace', 'query']);
const REPEATABLE: ReadonlySet<Method> = new Set([...SAFE, 'put', 'delete']);

/** Says whether a call only reads, by the method. */
export const isSafe = (method: Method): boolean => SAFE.has(method);

/** Returns the name of the header by which the API tells repeated requests. */
const idempotencyHeader = (plan: RequestPlan): string | undefined =>
  plan.parameters.find(({ parameter }) => isIdempotencyKey(parameter))?.parameter.name;

/** Says whether the same request may be sent twice, by the method. */
export const isRepeatable = (method: Method): boolean => REPEATABLE.has(method);

const addressOf = ({ url, host }: Server, { path, query }: Draft): string => {
  const text = `${url}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  // No value of the input can lead to another host.
  if (!URL.canParse(text) || new URL(text).host !== host) {
    throw new ToolFailure(
      'SECURITY_VIOLATION',
      'The address of the request is not that of the API.',
    );
  }
  return text;
};

/** Says what to do where the guard refused a server on this machine. */
const localRefusal = (error: unknown, { url, host, isForeignLocal }: Server): unknown => {
  const isRefusal = error instanceof ToolFailure && error.code !== 'NETWORK';
  if (!isForeignLocal || !isRefusal) return error;
  const message = `${error.message} The document names ${host}, which is this machine, and the configuration does not.`;
  return new ToolFailure(error.code, message, {
    ...error.extras,
    suggestions: [
      `If that is your API, set "baseUrl" of the source to ${url}, or add it with --base-url ${url}.`,
    ],
  });
};

const initOf = (
  { method }: Operation,
  { headers, cookies, body }: Draft,
  signal: AbortSignal,
): RequestInit => {
  if (body) headers['content-type'] = body.contentType;
  if (cookies.length > 0) headers.cookie = cookies.join('; ');
  return {
    method: method.toUpperCase(),
    headers,
    ...(body && { body: body.bytes }),
    // A request that changes something is not sent again to another address.
    redirect: isSafe(method) ? 'follow' : 'manual',
    signal,
  };
};

const JSON_TYPE = /^[^/;]+\/(?:[^/;]+\+)?json\b/i;
const TEXT_TYPE =
  /^(?:text\/|[^/;]+\/(?:[^/;]+\+)?(?:xml|yaml|x-yaml|javascript|graphql|x-ndjson|ndjson|csv|x-www-form-urlencoded)\b)/i;

const ROUNDED = 'Numbers of the answer have more digits than can be kept; they are rounded.';

interface ReadBody {
  /** `undefined` where there is none. */
  readonly value: unknown;
  readonly isJson: boolean;
  /** Whether a number of it is not the one that was sent. */
  readonly isRounded?: boolean;
}

/** Reads the body of an answer: JSON as data, text as text, anything else as base64. */
const readBody = async (response: Response, maxBytes: number): Promise<ReadBody> => {
  const bytes = await readBytes(response, maxBytes);
  if (bytes.byteLength === 0) return { value: undefined, isJson: false };
  const type = response.headers.get('content-type') ?? '';
  if (JSON_TYPE.test(type) || type === '') {
    const text = decodeText(bytes);
    const parsed = parseJson(text);
    if (parsed) return { value: parsed.value, isJson: true, isRounded: hasRoundedNumber(text) };
    return { value: text, isJson: false };
  }
  if (TEXT_TYPE.test(type)) return { value: decodeText(bytes, charsetOf(type)), isJson: false };
  const base64 = Buffer.from(bytes).toString('base64');
  return { value: { contentType: type.slice(0, 100), base64 }, isJson: false };
};

/** Makes the function that runs the tool; what does not depend on the input is prepared once. */
export const operationCaller = (
  deps: CallDeps,
): ((
  input: Readonly<Record<string, unknown>>,
  context: ToolContext,
) => Promise<OperationReply>) => {
  const { operation, server, credentials, responses, runtime, maxOutputBytes, compile } = deps;
  const prepared = lazy(() => {
    const plan = deps.plan();
    return {
      write: draftWriter(plan, operation, runtime),
      accept: responses.accept,
      findNextPage: nextPageFinder(plan),
      keyHeader: idempotencyHeader(plan)?.toLowerCase(),
    };
  });

  const send = async (input: Readonly<Record<string, unknown>>, context: ToolContext) => {
    const { write, accept, keyHeader } = prepared();
    const draft = write(input);
    draft.headers.accept ??= accept;
    if (keyHeader !== undefined) draft.headers[keyHeader] ??= context.idempotencyKey;
    await credentials.apply(draft, context);
    const url = addressOf(server, draft);
    const response = await context
      .fetch(url, initOf(operation, draft, context.signal))
      .catch((error: unknown) => Promise.reject(localRefusal(error, server)));
    return { response, url, isKeyed: keyHeader !== undefined };
  };

  return async (input, context) => {
    let sent = await send(input, context);
    // A 401 says that nothing was done: a token may have expired.
    if (sent.response.status === 401 && (await credentials.refused())) {
      await sent.response.body?.cancel();
      sent = await send(input, context);
    }
    const { response, url, isKeyed } = sent;
    const { status, headers, ok } = response;
    const body = await readBody(response, maxOutputBytes);
    if (!ok) {
      const isIdempotent = isKeyed || isRepeatable(operation.method);
      throw replyFailure({ status, headers, body: body.value, isIdempotent });
    }
    if (body.isRounded) context.warn(ROUNDED);
    if (compile && body.isJson) {
      const fault = await responses.fault(status, body.value, compile);
      if (fault !== undefined) context.warn(`The answer does not fit the document: ${fault}`);
    }
    const next = prepared().findNextPage(headers, url, body.isJson ? body.value : undefined);
    return {
      status,
      ...(body.value !== undefined && { body: body.value }),
      ...(next && { nextPage: next }),
    };
  };
};
