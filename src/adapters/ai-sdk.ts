/**
 * Tools for the AI SDK: `generateText({ tools: await forAiSdk(crib) })`. Approvals are asked for in
 * the pipeline, where they are bound to the call and used once. The SDK's own answer is a line in a
 * history that the client sends; with `approvalParts` it decides the question in the store, in the name
 * of the person whom the program has authenticated, and never runs anything by itself.
 */
import type { Crib } from '../contract/crib.ts';
import type {
  AiSdkOptions,
  AiSdkTool,
  AiSdkTools,
  RunningCall,
  ToolReply,
} from '../contract/tool-sets.ts';
import { answersIn } from './approval-parts.ts';
import { loadFramework } from './load-framework.ts';
import { isReply, modelOutputOf } from './model-output.ts';
import { openAiSdkSet, type ShownTool, type ToolSet, type WantedCall } from './tool-set.ts';

/** Yields the latest progress of a call as often as it is asked for, and its reply in the end. */
async function* streamCall(
  set: ToolSet,
  wanted: WantedCall,
): AsyncGenerator<ToolReply | RunningCall, void> {
  let latest: RunningCall | undefined;
  let isOver = false;
  let wake: () => void = () => undefined;
  const reply = set.call({
    ...wanted,
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
    const wanted = { name, input, callId: toolCallId, signal: abortSignal };
    return options.streamProgress === true ? streamCall(set, wanted) : set.call(wanted);
  },
  ...(options.approvalParts && {
    needsApproval: (input: unknown, { toolCallId }: { readonly toolCallId: string }) =>
      set.asksPerson({ name, input, callId: toolCallId, signal: undefined }),
  }),
  // Frameworks that take tools of the AI SDK hand over the output itself.
  toModelOutput: (given) => modelOutputOf(isReply(given) ? given : given.output),
});

const decideByParts = async (set: ToolSet, { approvalParts }: AiSdkOptions): Promise<void> => {
  if (!approvalParts?.messages) return;
  for (const { name, input, approve } of answersIn(approvalParts.messages)) {
    await set.decide({ name, input }, { approve, by: approvalParts.decidedBy });
  }
};

/** Fails with DEPENDENCY_MISSING without the library, TOOL_NOT_FOUND for a name that does not exist. */
export const forAiSdk = async (crib: Crib, options: AiSdkOptions = {}): Promise<AiSdkTools> => {
  const set = openAiSdkSet(crib, options);
  const { jsonSchema } = await loadFramework('ai', () => import('ai'));
  await decideByParts(set, options);
  // Without a validator of its own: what is wrong with an input is judged, and recorded, in one place.
  return Object.fromEntries(
    set.shown.map((shown) => [
      shown.name,
      toolOf(set, shown, { inputSchema: jsonSchema(shown.schema), options }),
    ]),
  );
};
