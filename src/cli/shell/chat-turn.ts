/**
 * Handles one message of the person and all steps of the model that follow. It ends with an answer, at a
 * limit, or when it is cancelled. The history stays valid for the vendor's API.
 */
import type {
  CallableTool,
  ConversationMessage,
  ConverseReply,
  ConverseRequest,
  ModelCall,
  ModelCallResult,
} from '../../contract/model.ts';
import type { ToolResult } from '../../contract/result.ts';
import type { ChatView, TurnReport } from './chat-view.ts';

export interface ChatBounds {
  /** How often the model is asked for one message. */
  readonly maxSteps: number;
  /** US dollars for one message, those of the calls included. */
  readonly maxCostUsd: number;
}

export interface CallOutcome {
  readonly text: string;
  readonly failed: boolean;
  readonly result: ToolResult | undefined;
}

export interface TurnDeps {
  readonly messages: ConversationMessage[];
  readonly tools: readonly CallableTool[];
  readonly system: string;
  readonly bounds: ChatBounds;
  readonly view: ChatView;
  readonly signal: AbortSignal;
  /** Asks the model for its next step, through the pipeline. */
  ask(
    request: Omit<ConverseRequest, 'signal'>,
    step: number,
  ): Promise<{ readonly result: ToolResult; readonly reply: ConverseReply | undefined }>;
  /** Makes a call of the model; `id` is unique in the conversation. */
  call(call: ModelCall, id: string): Promise<CallOutcome>;
}

type Sum = { -readonly [K in keyof TurnReport]: TurnReport[K] } & { calls: TurnReport['calls'] };

const CANCELLED = 'CANCELLED: the person stopped this before it ran.';

/** Runs calls one after the other, because each may ask the person something. */
const runCalls = async (
  { view, signal, call }: TurnDeps,
  calls: readonly ModelCall[],
  sum: Sum,
): Promise<readonly ModelCallResult[]> => {
  const results: ModelCallResult[] = [];
  for (const [at, modelCall] of calls.entries()) {
    const { id, name } = modelCall;
    if (signal.aborted) {
      results.push({ id, name, text: CANCELLED, failed: true });
      continue;
    }
    view.callStarted(modelCall);
    const { text, failed, result } = await call(modelCall, `${sum.steps}.${at}`);
    view.callEnded(modelCall, { failed, result });
    sum.costUsd += result?.metadata.cost ?? 0;
    sum.calls = [
      ...sum.calls,
      {
        tool: result?.metadata.toolName ?? name,
        failed,
        executionId: result?.metadata.executionId,
      },
    ];
    results.push({ id, name, text, failed });
  }
  return results;
};

const addReply = (sum: Sum, reply: ConverseReply): void => {
  sum.text += sum.text === '' || reply.text === '' ? reply.text : `\n${reply.text}`;
  sum.inputTokens += reply.inputTokens;
  sum.outputTokens += reply.outputTokens;
  sum.costUsd += reply.costUsd ?? 0;
  sum.priced = reply.costUsd !== undefined;
  sum.truncated = reply.truncated;
};

const stoppedBy = ({ steps, costUsd }: Sum, bounds: ChatBounds): TurnReport['stopped'] => {
  if (costUsd >= bounds.maxCostUsd) return 'cost';
  return steps >= bounds.maxSteps ? 'steps' : undefined;
};

const emptySum = (): Sum => ({
  text: '',
  calls: [],
  steps: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  priced: true,
  truncated: false,
});

/** Takes one turn. Throws only when the crib is closed; what was done stays in the history even then. */
export const takeTurn = async (deps: TurnDeps, text: string): Promise<TurnReport> => {
  const { messages, tools, system, view, bounds, signal } = deps;
  messages.push({ role: 'user', text });
  const sum = emptySum();
  for (;;) {
    sum.steps += 1;
    const request = { messages: [...messages], tools, system, onText: view.text };
    const { result, reply } = await deps.ask(request, sum.steps);
    view.endText();
    if (!reply) return { ...sum, failure: result };
    addReply(sum, reply);
    messages.push({ role: 'assistant', text: reply.text, calls: reply.calls });
    if (reply.calls.length === 0) return sum;
    messages.push({ role: 'tool', results: await runCalls(deps, reply.calls, sum) });
    const stopped = stoppedBy(sum, bounds);
    if (stopped && !signal.aborted) return { ...sum, stopped };
    if (signal.aborted) return sum;
  }
};
