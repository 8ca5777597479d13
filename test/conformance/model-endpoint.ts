/**
 * Endpoints on this machine that speak the protocols of the vendors, and refuse with 400 whatever
 * the vendors would refuse: tests of the drivers talk to these over HTTP.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Body = Readonly<Record<string, unknown>>;

/** What the endpoint says next. */
export interface Script {
  readonly text?: string;
  /** The number of tokens it reports. */
  readonly input?: number;
  readonly output?: number;
  readonly finish?: 'stop' | 'length';
  /** Instead of an answer. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly raw?: string;
  readonly hang?: boolean;
  readonly drop?: boolean;
}

export interface ModelEndpoint {
  readonly url: string;
  readonly seen: readonly Body[];
  say(script: Script): void;
  close(): Promise<void>;
}

interface Protocol {
  readonly path: string;
  /** What is wrong with a request; `undefined` when the vendor would take it. */
  fault(request: IncomingMessage, body: Body): string | undefined;
  answer(body: Body, script: Script): unknown;
  error(status: number): unknown;
}

export const API_KEY = 'key-of-the-endpoint-0123456789';
/** One that takes a temperature, and gives objects by a tool. */
export const MODEL = 'claude-3-haiku-20240307';

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isRecord = (value: unknown): value is Body =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const onlyKeys = (body: Body, keys: readonly string[]): string | undefined => {
  const extra = Object.keys(body).find((key) => !keys.includes(key));
  return extra === undefined ? undefined : `unknown field ${extra}`;
};

const formatFault = (format: unknown): string | undefined => {
  if (format === undefined) return undefined;
  if (!isRecord(format)) return 'response_format is no object';
  if (format.type === 'json_object') return undefined;
  if (format.type !== 'json_schema' || !isRecord(format.json_schema)) return 'response_format';
  const { name, schema, strict } = format.json_schema;
  if (!isText(name) || !isRecord(schema)) return 'json_schema needs name and schema';
  if (schema.type !== 'object') return 'schema of no object';
  // OpenAI refuses a strict schema that leaves other keys open.
  return strict === true && schema.additionalProperties !== false ? 'schema not strict' : undefined;
};

export const OPENAI: Protocol = {
  path: '/v1/chat/completions',
  fault: ({ headers }, body) => {
    if (headers['content-type'] !== 'application/json') return 'content-type';
    if (!isText(body.model)) return 'model';
    const { messages } = body;
    if (!Array.isArray(messages) || messages.length === 0) return 'messages';
    const good = messages.every(
      (message: Body) =>
        ['system', 'user', 'assistant'].includes(String(message.role)) && isText(message.content),
    );
    if (!good) return 'a message';
    const keys = ['model', 'messages', 'max_tokens', 'temperature', 'response_format'];
    return onlyKeys(body, keys) ?? formatFault(body.response_format);
  },
  answer: ({ model }, { text = '', input = 11, output = 7, finish = 'stop' }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: `${String(model)}-0613`,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: finish }],
    usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
  }),
  error: (status) => ({
    error: { message: `no: ${API_KEY}`, type: 'api_error', param: null, code: String(status) },
  }),
};

const isKeyed = ({ headers }: IncomingMessage): boolean =>
  headers['x-api-key'] === API_KEY || headers.authorization === `Bearer ${API_KEY}`;

/** The embeddings API of OpenAI: the numbers of the vector are the text of the script, as JSON. */
export const EMBEDDINGS: Protocol = {
  path: '/v1/embeddings',
  fault: ({ headers }, body) => {
    if (headers['content-type'] !== 'application/json') return 'content-type';
    if (!isText(body.model)) return 'model';
    if (!Array.isArray(body.input) || !body.input.every(isText)) return 'input';
    return onlyKeys(body, ['model', 'input', 'encoding_format', 'dimensions', 'user']);
  },
  answer: ({ model, input: texts }, { text = '[1,0]', input = 11 }) => ({
    object: 'list',
    model,
    data: (texts as readonly string[]).map((_, index) => ({
      object: 'embedding',
      index,
      embedding: JSON.parse(text),
    })),
    usage: { prompt_tokens: input, total_tokens: input },
  }),
  error: (status) => ({ error: { message: `no (${status}): ${API_KEY}`, type: 'error' } }),
};

export const ANTHROPIC: Protocol = {
  path: '/v1/messages',
  fault: ({ headers }, body) => {
    if (headers['content-type'] !== 'application/json') return 'content-type';
    if (headers['anthropic-version'] !== '2023-06-01') return 'anthropic-version';
    if (headers['x-api-key'] === undefined) return 'x-api-key';
    if (!isText(body.model)) return 'model';
    if (!Number.isInteger(body.max_tokens)) return 'max_tokens is required';
    const { messages, tools } = body;
    if (!Array.isArray(messages) || !messages.every((message: Body) => message.role === 'user')) {
      return 'messages';
    }
    if (tools !== undefined && !(Array.isArray(tools) && tools.every(isToolOfAnthropic))) {
      return 'tools';
    }
    return onlyKeys(body, [
      'model',
      'max_tokens',
      'messages',
      'system',
      'temperature',
      'tools',
      'tool_choice',
      'output_config',
    ]);
  },
  answer: ({ model, tools }, { text = '', input = 11, output = 7, finish = 'stop' }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: `${String(model)}-0613`,
    ...said(text, { tools, finish }),
    stop_sequence: null,
    usage: { input_tokens: input, output_tokens: output },
  }),
  error: () => ({ type: 'error', error: { type: 'api_error', message: `no: ${API_KEY}` } }),
};

const isToolOfAnthropic = (tool: unknown): boolean =>
  isRecord(tool) &&
  isText(tool.name) &&
  isRecord(tool.input_schema) &&
  tool.input_schema.type === 'object';

/** With a tool to use, JSON is its input; other text is an answer in words. */
const said = (text: string, { tools, finish }: { tools: unknown; finish: string }): Body => {
  const words = { content: [{ type: 'text', text }], stop_reason: 'end_turn' };
  if (finish === 'length') return { ...words, stop_reason: 'max_tokens' };
  if (tools === undefined) return words;
  try {
    const input: unknown = JSON.parse(text);
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'json', input }];
    return { content, stop_reason: 'tool_use' };
  } catch {
    return words;
  }
};

const readBody = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
};

const reply = (response: ServerResponse, status: number, value: unknown, headers: object = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
};

/** One that wants a key unless `open`; it says the same until it is told to say something else. */
export const startModelEndpoint = async (
  protocol: Protocol,
  { open = false }: { readonly open?: boolean } = {},
): Promise<ModelEndpoint> => {
  const seen: Body[] = [];
  let script: Script = { text: 'Hello.' };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    seen.push(body);
    if (script.hang) return;
    if (script.drop) {
      response.destroy();
      return;
    }
    if (request.method !== 'POST' || request.url !== protocol.path) {
      return reply(response, 404, protocol.error(404));
    }
    if (!open && !isKeyed(request)) return reply(response, 401, protocol.error(401));
    const fault = protocol.fault(request, body);
    if (fault !== undefined) return reply(response, 400, { error: { message: fault } });
    if (script.raw !== undefined) return reply(response, script.status ?? 200, script.raw);
    if (script.status !== undefined) {
      return reply(response, script.status, protocol.error(script.status), script.headers);
    }
    reply(response, 200, protocol.answer(body, script));
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    say: (next) => {
      script = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
