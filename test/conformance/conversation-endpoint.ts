/**
 * Endpoints on this machine that stream the conversations of the vendors: they say the steps they were
 * told, one a request, and refuse with 400 a history that the vendors would refuse.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { API_KEY, type Body } from './model-endpoint.ts';

export interface SpokenStep {
  /** Sent piece by piece. */
  readonly text?: readonly string[];
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[];
  readonly input?: number;
  readonly output?: number;
  readonly finish?: 'stop' | 'length';
  /** Instead of an answer. */
  readonly status?: number;
  /** Stays silent after the text. */
  readonly hang?: boolean;
}

export interface ConversationEndpoint {
  readonly url: string;
  readonly seen: readonly Body[];
  /** What is said next, in this order; after the last one, `Done.` */
  say(...steps: readonly SpokenStep[]): void;
  close(): Promise<void>;
}

interface Vendor {
  readonly path: string;
  fault(body: Body): string | undefined;
  events(body: Body, step: SpokenStep, id: string): readonly string[];
  end(body: Body, step: SpokenStep): readonly string[];
}

const list = (value: unknown): readonly Body[] => (Array.isArray(value) ? (value as Body[]) : []);
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (type: string, value: object): string =>
  `event: ${type}\n${data({ type, ...value })}`;

/** Every call has an answer in what comes next, and no answer is without its call. */
const unanswered = (asked: readonly string[], answered: readonly string[]): string | undefined =>
  asked.toSorted().join() === answered.toSorted().join() ? undefined : 'calls without answers';

const openaiFault = (body: Body): string | undefined => {
  if (body.stream !== true) return 'stream';
  const tools = list(body.tools);
  if (!tools.every((tool) => (tool.function as Body | undefined)?.parameters !== undefined)) {
    return 'tools';
  }
  const messages = list(body.messages);
  const asked = messages.flatMap(({ tool_calls }) => list(tool_calls).map(({ id }) => String(id)));
  const answered = messages
    .filter(({ role }) => role === 'tool')
    .map(({ tool_call_id }) => String(tool_call_id));
  return messages.length === 0 ? 'messages' : unanswered(asked, answered);
};

const chunk = ({ model }: Body, delta: object, more: object = {}): string =>
  data({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: `${String(model)}-0613`,
    choices: [{ index: 0, delta, finish_reason: null, ...more }],
  });

export const OPENAI_TALK: Vendor = {
  path: '/v1/chat/completions',
  fault: openaiFault,
  events: (body, { text = [], calls = [] }, id) => [
    chunk(body, { role: 'assistant', content: '' }),
    ...text.map((content) => chunk(body, { content })),
    ...calls.map(({ name, arguments: given }, index) =>
      chunk(body, {
        tool_calls: [
          { index, id: `${id}_${index}`, type: 'function', function: { name, arguments: given } },
        ],
      }),
    ),
  ],
  end: (body, { calls = [], finish = 'stop', input = 11, output = 7 }) => [
    chunk(body, {}, { finish_reason: calls.length > 0 ? 'tool_calls' : finish }),
    data({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1_700_000_000,
      model: `${String(body.model)}-0613`,
      choices: [],
      ...((body.stream_options as Body | undefined)?.include_usage === true && {
        usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      }),
    }),
    'data: [DONE]\n\n',
  ],
};

const blocksOf = (body: Body): readonly Body[] =>
  list(body.messages).flatMap(({ content }) => list(content));

const anthropicFault = (body: Body): string | undefined => {
  if (body.stream !== true) return 'stream';
  if (!Number.isInteger(body.max_tokens)) return 'max_tokens is required';
  const roles = list(body.messages).map(({ role }) => role);
  if (roles[0] !== 'user' || roles.some((role, at) => role === roles[at + 1])) return 'roles';
  const idsOf = (type: string, key: string): readonly string[] =>
    blocksOf(body)
      .filter((block) => block.type === type)
      .map((block) => String(block[key]));
  return unanswered(idsOf('tool_use', 'id'), idsOf('tool_result', 'tool_use_id'));
};

export const ANTHROPIC_TALK: Vendor = {
  path: '/v1/messages',
  fault: anthropicFault,
  events: (body, { text = [], calls = [], input = 11 }, id) => [
    named('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: `${String(body.model)}-0613`,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: input, output_tokens: 1 },
      },
    }),
    ...(text.length === 0
      ? []
      : [
          named('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
          ...text.map((piece) =>
            named('content_block_delta', { index: 0, delta: { type: 'text_delta', text: piece } }),
          ),
          named('content_block_stop', { index: 0 }),
        ]),
    ...calls.flatMap(({ name, arguments: partial_json }, at) => {
      const index = at + 1;
      const content_block = { type: 'tool_use', id: `${id}_${at}`, name, input: {} };
      return [
        named('content_block_start', { index, content_block }),
        named('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }),
        named('content_block_stop', { index }),
      ];
    }),
  ],
  end: (_, { calls = [], finish = 'stop', output = 7 }) => [
    named('message_delta', {
      delta: {
        stop_reason:
          calls.length > 0 ? 'tool_use' : finish === 'length' ? 'max_tokens' : 'end_turn',
        stop_sequence: null,
      },
      usage: { output_tokens: output },
    }),
    named('message_stop', {}),
  ],
};

const readBody = async (request: IncomingMessage): Promise<Body> => {
  const chunks: Buffer[] = [];
  for await (const piece of request) chunks.push(piece as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as Body;
};

const isKeyed = ({ headers }: IncomingMessage): boolean =>
  headers['x-api-key'] === API_KEY || headers.authorization === `Bearer ${API_KEY}`;

const refuse = (response: ServerResponse, status: number, message: string): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ type: 'error', error: { type: 'api_error', message } }));
};

const speak = (
  response: ServerResponse,
  vendor: Vendor,
  { body, step, id }: { readonly body: Body; readonly step: SpokenStep; readonly id: string },
): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of vendor.events(body, step, id)) response.write(event);
  if (step.hang) return;
  for (const event of vendor.end(body, step)) response.write(event);
  response.end();
};

export const startConversationEndpoint = async (vendor: Vendor): Promise<ConversationEndpoint> => {
  const seen: Body[] = [];
  const steps: SpokenStep[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    seen.push(body);
    if (request.url !== vendor.path) return refuse(response, 404, 'no such path');
    if (!isKeyed(request)) return refuse(response, 401, 'who are you?');
    const fault = vendor.fault(body);
    if (fault !== undefined) return refuse(response, 400, fault);
    const step = steps.shift() ?? { text: ['Done.'] };
    if (step.status !== undefined) return refuse(response, step.status, `no: ${API_KEY}`);
    speak(response, vendor, { body, step, id: `call_${seen.length}` });
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    seen,
    say: (...next) => void steps.push(...next),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};
