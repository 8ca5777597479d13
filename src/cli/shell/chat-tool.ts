/**
 * The model's own steps as a tool of the shell's crib, so that they take the way of every call: they are
 * on record, count against the budgets and can be cancelled. The words stay out of the record.
 */
import { z } from 'zod';
import { ToolFailure } from '../../contract/errors.ts';
import type { ConverseReply, ConverseRequest } from '../../contract/model.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import { defineTool, type Tool } from '../../contract/tool.ts';

/** The name under which the model's own steps go through the pipeline, and onto the record. */
export const CHAT_TOOL = 'shell:chat';

/** What the next step is about, and where its answer goes. */
export interface ChatStep {
  readonly request: Omit<ConverseRequest, 'signal'>;
  answer(reply: ConverseReply): void;
}

const TIMEOUT_MS = 600_000;

const input = () =>
  z.strictObject({
    turn: z.int().min(1).describe('Which message of the person this belongs to.'),
    step: z.int().min(1).describe('How often the model was asked for it.'),
  });

/** `take` hands a step out once: a call that nobody prepared finds none. */
export const defineChatTool = (take: () => ChatStep | undefined): Tool =>
  defineTool<z.infer<ReturnType<typeof input>>, unknown>({
    name: CHAT_TOOL,
    version: '1.0.0',
    description: 'One step of the conversation in the shell; the shell calls it itself.',
    source: 'builtin',
    category: 'development',
    tier: 'read_only',
    capabilities: [{ action: 'converse', description: 'Have the model take its next step.' }],
    cost: { model: 'usage_based' },
    permissions: [`tool:${CHAT_TOOL}`],
    timeoutMs: TIMEOUT_MS,
    // Half an answer may be on the screen already.
    retry: RetryPolicies.NONE,
    input,
    run: async (_, { model, signal, charge, progress }) => {
      const step = take();
      if (!step) throw new ToolFailure('VALIDATION_ERROR', 'Only the shell takes these steps.');
      if (!model.converse) throw new ToolFailure('MODEL_NOT_CONFIGURED');
      const { onText } = step.request;
      const reply = await model.converse({
        ...step.request,
        signal,
        onText: (piece) => {
          progress(0.5);
          onText?.(piece);
        },
      });
      const { inputTokens, outputTokens, costUsd, calls } = reply;
      charge({
        tokens: inputTokens + outputTokens,
        ...(costUsd !== undefined && { cost: costUsd }),
      });
      step.answer(reply);
      return { model: reply.model, inputTokens, outputTokens, calls: calls.length };
    },
  }) as Tool;
