/**
 * One step of a conversation, streamed. The calls of the model are handed back as it wrote them, also
 * those of unknown tools and with broken arguments: the pipeline judges all of them.
 */
import type {
  CallableTool,
  ConversationMessage,
  ConverseRequest,
  ModelCall,
} from '../contract/model.ts';
import type { VendorModel } from './model-settings.ts';
import { objectShape } from './object-shape.ts';
import { silentModel } from './silent-model.ts';

type Library = typeof import('ai');
type LibraryMessage = import('ai').ModelMessage;
type LibraryTools = import('ai').ToolSet;

export interface Step {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly truncated: boolean;
  readonly modelId: string | undefined;
  readonly usage: {
    readonly inputTokens: number | undefined;
    readonly outputTokens: number | undefined;
  };
}

const messageOf = (message: ConversationMessage): LibraryMessage => {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') {
    return {
      role: 'tool',
      content: message.results.map(({ id, name, text, failed }) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: name,
        output: { type: failed ? 'error-text' : 'text', value: text },
      })),
    };
  }
  const texts = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
  const calls = message.calls.map(({ id, name, input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input,
  }));
  return { role: 'assistant', content: [...texts, ...calls] };
};

/** Declares tools without `execute`, so that the library hands the calls over instead of running them. */
const toolsOf = (library: Library, tools: readonly CallableTool[]): LibraryTools =>
  Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      library.tool({
        description,
        inputSchema: library.jsonSchema<unknown>(objectShape(inputSchema).schema),
      }),
    ]),
  );

const start = (library: Library, model: VendorModel, request: ConverseRequest) => {
  const { messages, system, tools = [], maxTokens, signal } = request;
  return library.streamText({
    model: silentModel(library, model),
    messages: messages.map(messageOf),
    maxRetries: 0,
    // Errors come with the stream; by default they are printed as well.
    onError: () => undefined,
    ...(tools.length > 0 && { tools: toolsOf(library, tools) }),
    ...(system !== undefined && { system }),
    ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
    ...(signal && { abortSignal: signal }),
  });
};

/** Runs one step. Throws what the library or the endpoint threw. */
export const converseStep = async (
  library: Library,
  model: VendorModel,
  request: ConverseRequest,
): Promise<Step> => {
  const result = start(library, model, request);
  const calls: ModelCall[] = [];
  let text = '';
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') {
      text += part.text;
      request.onText?.(part.text);
    } else if (part.type === 'tool-call') {
      calls.push({ id: part.toolCallId, name: part.toolName, input: part.input });
    }
  }
  // A stream that was cut off just ends.
  request.signal?.throwIfAborted();
  const [usage, response, finish] = await Promise.all([
    result.usage,
    result.response,
    result.finishReason,
  ]);
  return { text, calls, usage, modelId: response.modelId, truncated: finish === 'length' };
};
