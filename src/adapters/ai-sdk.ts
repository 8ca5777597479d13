/**
 * Tools for the AI SDK: `generateText({ tools: await forAiSdk(crib) })`. The pipeline asks for
 * approvals, binds them to the call and uses them once. The SDK keeps an answer as a part of the
 * history that the client sends. With `approvalParts` such an answer decides the question in the
 * store, in the name of the person whom the program has authenticated; it runs nothing by itself.
 */
import type { Crib } from '../contract/crib.ts';
import type {
  AiSdkMessage,
  AiSdkOptions,
  AiSdkTool,
  AiSdkTools,
  CallInProgress,
  ToolReply,
} from '../contract/tool-sets.ts';
import { loadFramework } from './load-framework.ts';
import { isReply, modelOutputOf } from './replies.ts';
import type { ShownTool } from './shown-tools.ts';
import { type ModelCall, openAiSdkSet, type ToolSet } from './tool-set.ts';

/** Yields the latest progress of a call each time the SDK asks, and its reply in the end. */
async function* streamCall(
  set: ToolSet,
  call: ModelCall,
): AsyncGenerator<ToolReply | CallInProgress, void> {
  let latest: CallInProgress | undefined;
  let isOver = false;
  let wake: () => void = () => undefined;
  const reply = set.call({
    ...call,
    onProgress(fraction, note) {
      latest = { status: 'running', progress: { fraction, ...(note !== undefined && { note }) } };
      wake();
    },
  });
  const over = (): void => {
    isOver = true;
    wake();
  };
  reply.then(over, over);
  while (!isOver || latest) {
    const step = latest;
    latest = undefined;
    if (step) yield step;
    else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  yield await reply;
}

const toolOf = (
  set: ToolSet,
  { name, description }: ShownTool,
  { inputSchema, options }: { readonly inputSchema: unknown; readonly options: AiSdkOptions },
): AiSdkTool => ({
  description,
  inputSchema: inputSchema as never,
  execute(input, { toolCallId, abortSignal }) {
    const call = { name, input, callId: toolCallId, signal: abortSignal };
    return options.streamProgress === true ? streamCall(set, call) : set.call(call);
  },
  ...(options.approvalParts && {
    needsApproval: (input: unknown, { toolCallId }: { readonly toolCallId: string }) =>
      set.asksPerson({ name, input, callId: toolCallId, signal: undefined }),
  }),
  // Frameworks that take tools of the AI SDK pass the output itself.
  toModelOutput: (options) => modelOutputOf(isReply(options) ? options : options.output),
});

interface PartAnswer {
  readonly name: string;
  readonly input: unknown;
  readonly approve: boolean;
}

type Part = Readonly<Record<string, unknown>>;

const partsIn = ({ content }: AiSdkMessage): readonly Part[] =>
  Array.isArray(content)
    ? content.filter((part): part is Part => typeof part === 'object' && part !== null)
    : [];

/**
 * Returns the answers of the last message, each with its call. Messages come from a client: no more
 * is read here than which call a person was asked about and what they said. The store decides
 * whether such a call waits.
 */
const answersIn = (messages: readonly AiSdkMessage[]): readonly PartAnswer[] => {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [];
  const parts = messages.filter(({ role }) => role === 'assistant').flatMap(partsIn);
  const calls = new Map(
    parts.filter(({ type }) => type === 'tool-call').map((part) => [part.toolCallId, part]),
  );
  const requests = new Map(
    parts
      .filter(({ type }) => type === 'tool-approval-request')
      .map((part) => [part.approvalId, part.toolCallId]),
  );
  return partsIn(last).flatMap(({ type, approvalId, approved }) => {
    const call = calls.get(requests.get(approvalId));
    if (type !== 'tool-approval-response' || typeof approved !== 'boolean' || !call) return [];
    return [{ name: String(call.toolName), input: call.input, approve: approved }];
  });
};

/** Decides the questions that the messages of the program answer. */
const decideByParts = async (set: ToolSet, { approvalParts }: AiSdkOptions): Promise<void> => {
  if (!approvalParts?.messages) return;
  for (const { name, input, approve } of answersIn(approvalParts.messages)) {
    await set.decide({ name, input }, { approve, by: approvalParts.decidedBy });
  }
};

/**
 * Fails with DEPENDENCY_MISSING without the library, TOOL_NOT_FOUND for a name that does not exist.
 *
 * @example
 * import { forAiSdk } from 'toolcrib/adapters/ai-sdk';
 *
 * const tools = await forAiSdk(crib, { caller: { userId: 'ada' }, streamProgress: true });
 * console.log(Object.keys(tools)); // for generateText({ model, prompt, tools })
 */
export const forAiSdk = async (crib: Crib, options: AiSdkOptions = {}): Promise<AiSdkTools> => {
  const set = openAiSdkSet(crib, options);
  const { jsonSchema } = await loadFramework('ai', () => import('ai'));
  await decideByParts(set, options);
  // Without a validator of its own: the pipeline judges the input and records what is wrong with it.
  return Object.fromEntries(
    set.shown.map((shown) => [
      shown.name,
      toolOf(set, shown, { inputSchema: jsonSchema(shown.schema), options }),
    ]),
  );
};
