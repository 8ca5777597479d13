/**
 * Guesses what is at an address: an OpenAPI document, an MCP server, a GraphQL endpoint, the catalog of a team
 * or an n8n server. Sends only requests that change nothing, through the egress guard. Answers may be
 * hostile: only their shape is examined, and nothing is added before the user confirms the guess.
 */
import { resolve } from 'node:path';
import type { Config } from '../../config/schema.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { EgressInit } from '../../governance/egress/create-egress.ts';
import { isObject } from '../../kit/data/is-record.ts';
import { readRegularFile } from '../../kit/file/read-regular-file.ts';
import { localHosts } from '../../kit/http/loopback.ts';
import { decodeText, parseJson, readBytes } from '../../kit/http/read-reply.ts';
import { openEgress, scopeOf } from './open-egress.ts';
import { hostOf } from './open-sources.ts';

export interface KindGuess {
  readonly kind: string;
  /** What the guess is based on, for people. */
  readonly why: string;
}

/** Why there is no guess. */
export interface NoGuess {
  readonly kind?: undefined;
  /** What is there instead, for people. */
  readonly seen: string;
  /** A command that takes it. */
  readonly command?: string;
}

export interface GuessDeps {
  readonly config: Pick<Config, 'egress'>;
  /** Paths start here. */
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Large documents exist: Microsoft Graph has 35 MB. Their first keys are enough. */
const MAX_BYTES = 64_000_000;
/** How much of a page is searched for a name. */
const MAX_PAGE = 100_000;
const PROTOCOL = '2025-11-25';

/** Top-level keys of YAML and JSON, without parsing a whole document. */
const OPENAPI_LINE =
  /^[ \t]*(?:\{\s{0,100})?["']?(openapi|swagger)["']?[ \t]{0,100}:[ \t]{0,100}["']?(\d[\w.]{0,20})/m;

/** A line of a file that describes gRPC services. */
const PROTO_LINE = /^\s*(?:syntax|edition|package|service|message|import)\b/m;

const guessOfText = (text: string): KindGuess | undefined => {
  const json = parseJson(text)?.value;
  if (isObject(json)) {
    for (const key of ['openapi', 'swagger'] as const) {
      const version = Object.hasOwn(json, key) ? json[key] : undefined;
      if (typeof version === 'string') {
        return { kind: 'openapi', why: `the document says ${key}: ${version.slice(0, 20)}` };
      }
    }
    const schema = isObject(json.data) ? json.data.__schema : json.__schema;
    if (isObject(schema))
      return { kind: 'graphql', why: 'it holds the answer to an introspection' };
    return undefined;
  }
  const line = OPENAPI_LINE.exec(text);
  if (line) return { kind: 'openapi', why: `the document says ${line[1]}: ${line[2]}` };
  return undefined;
};

/** Describes a text of no known kind. */
const seenIn = (text: string): NoGuess => {
  if (text.trim() === '') return { seen: 'it is empty' };
  if (/^\s*<(?:!doctype html|html|head|body)\b/i.test(text)) return { seen: 'it is a web page' };
  return { seen: 'it has no "openapi", "swagger" or "__schema" field' };
};

/** Recognises the answer of an MCP server: JSON, or an event stream whose data is JSON. */
const isInitializeAnswer = (text: string): boolean => {
  const lines = text.split('\n', 50).map((line) => line.replace(/^data:\s*/, ''));
  return [text, ...lines].some((part) => {
    const answer = parseJson(part)?.value;
    return isObject(answer) && answer.jsonrpc === '2.0' && isObject(answer.result)
      ? typeof answer.result.protocolVersion === 'string'
      : false;
  });
};

const isGraphqlAnswer = (text: string): boolean => {
  const answer = parseJson(text)?.value;
  if (!isObject(answer)) return false;
  if (isObject(answer.data) && typeof answer.data.__typename === 'string') return true;
  const { errors } = answer;
  return Array.isArray(errors) && errors.some((error) => isObject(error) && 'message' in error);
};

interface Question {
  readonly kind: string;
  readonly why: string;
  readonly accept: string;
  readonly body: unknown;
  recognises(answer: string): boolean;
}

const QUESTIONS: readonly Question[] = [
  {
    kind: 'mcp',
    why: 'it answers `initialize` as an MCP server',
    accept: 'application/json, text/event-stream',
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: PROTOCOL,
        capabilities: {},
        clientInfo: { name: 'toolcrib', version: '0' },
      },
    },
    recognises: isInitializeAnswer,
  },
  {
    kind: 'graphql',
    why: 'it answers a GraphQL query',
    accept: 'application/graphql-response+json, application/json',
    body: { query: '{ __typename }' },
    recognises: isGraphqlAnswer,
  },
];

/** A path on the same server whose answer identifies the service. */
interface Landmark {
  readonly kind: string;
  readonly why: string;
  readonly path: string;
  /** Tells whether the answer at the given address leaves it possible. */
  isPossible(url: URL, page: string): boolean;
  recognises(response: Response, text: string): boolean;
}

const LANDMARKS: readonly Landmark[] = [
  {
    kind: 'team',
    path: '/v1/catalog/key',
    why: 'it is a server of Toolcrib, and those have catalogs',
    isPossible: ({ pathname }) => pathname === '/',
    recognises({ ok, status, headers }, text) {
      // Only members get the key, but the refusal names Toolcrib as well.
      if (status === 401) return /realm="toolcrib"/.test(headers.get('www-authenticate') ?? '');
      const answer = ok ? parseJson(text)?.value : undefined;
      return isObject(answer) && typeof answer.org === 'string' && 'fingerprint' in answer;
    },
  },
  {
    kind: 'n8n',
    path: '/healthz',
    why: 'its page names n8n, and it answers /healthz as n8n',
    // Many services answer /healthz in this way.
    isPossible: (_url, page) => /\bn8n\b/i.test(page.slice(0, MAX_PAGE)),
    recognises({ ok }, text) {
      const answer = ok ? parseJson(text)?.value : undefined;
      return isObject(answer) && answer.status === 'ok';
    },
  },
];

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

const textOf = async (response: Response, maxBytes: number): Promise<string> =>
  decodeText(await readBytes(response, maxBytes));

/** Reads the first event of a stream: an MCP server may keep it open. */
const firstText = async (response: Response): Promise<string> => {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  if (!isStream || response.body === null) return textOf(response, 1_000_000);
  let text = '';
  for await (const piece of response.body) {
    text += decodeText(piece);
    if (/^data:.*\n/m.test(text) || text.length > 1_000_000) break;
  }
  return text;
};

const ask = async (fetch: Fetch, url: string, question: Question): Promise<boolean> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: question.accept },
    body: JSON.stringify(question.body),
  });
  return question.recognises(await firstText(response));
};

const guessByLandmark = async (
  url: URL,
  page: string,
  fetch: Fetch,
): Promise<KindGuess | undefined> => {
  for (const { kind, why, path, isPossible, recognises } of LANDMARKS) {
    if (!isPossible(url, page)) continue;
    const isIt = await fetch(new URL(path, url).href, { redirect: 'manual' })
      .then(async (response) => recognises(response, await textOf(response, 1_000_000)))
      .catch(() => false);
    if (isIt) return { kind, why };
  }
  return undefined;
};

/** Tries the document first, because a GET changes nothing. A failed request counts as no. */
const guessByRequest = async (url: string, fetch: Fetch): Promise<KindGuess | NoGuess> => {
  const response = await fetch(url, { headers: { accept: 'application/json, */*;q=0.5' } });
  const text = response.ok ? await textOf(response, MAX_BYTES) : '';
  if (!response.ok) await response.body?.cancel();
  const document = guessOfText(text);
  if (document) return document;
  for (const question of QUESTIONS) {
    const isIt = await ask(fetch, url, question).catch(() => false);
    if (isIt) return { kind: question.kind, why: question.why };
  }
  const byLandmark = await guessByLandmark(new URL(url), text, fetch);
  if (byLandmark) return byLandmark;
  return response.ok ? seenIn(text) : { seen: `it answers with HTTP ${response.status}` };
};

const isHttp = (address: string): boolean => /^https?:\/\//i.test(address);

const guessByAddress = async (
  address: string,
  { config, signal }: GuessDeps,
): Promise<KindGuess | NoGuess> => {
  const at = hostOf(address);
  // The user typed the address, so a host on this machine is meant.
  const egress = await openEgress(config, at ? localHosts(at) : []);
  const scope = scopeOf(['*'], signal);
  try {
    return await guessByRequest(address, (url, init) =>
      egress.fetch(url, { ...init, scope } as EgressInit),
    );
  } finally {
    await egress.close();
  }
};

/**
 * Guesses what is at an address or in a file. Rejects when an address cannot be reached. Makes no guess
 * for a missing file.
 */
export const guessKind = async (address: string, deps: GuessDeps): Promise<KindGuess | NoGuess> => {
  if (isHttp(address)) return guessByAddress(address, deps);
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(address) ?? [];
  if (scheme !== undefined) return { seen: `${scheme} says nothing` };
  try {
    const bytes = await readRegularFile(resolve(deps.cwd, address), { maxBytes: MAX_BYTES });
    const text = decodeText(bytes);
    if (/\.proto$/i.test(address) && PROTO_LINE.test(text)) {
      const command = `toolcrib add grpc <host:port> --proto ${address}`;
      return { seen: 'it is a proto file, which does not say where its server is', command };
    }
    return guessOfText(text) ?? seenIn(text);
  } catch (error) {
    return { seen: error instanceof ToolFailure ? error.message : 'there is no such file' };
  }
};
