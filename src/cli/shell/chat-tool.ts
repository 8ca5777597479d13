/**
 * Makes the steps of the model a tool of the shell's crib, so that they pass the pipeline like every
 * call: they are recorded, count against budgets and can be cancelled. Their texts are not recorded.
 */
import { z } from 'zod';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ConverseReply, ConverseRequest } from '../../contract/model.ts';
import { RetryPolicies } from '../../contract/retry.ts';
import type { Tool } from '../../contract/tool.ts';

/** The name of the model's steps in the pipeline and in the audit trail. */
export const CHAT_TOOL = 'shell:chat';

/** One step: the request, and the receiver of its answer. */
export interface ChatStep {
  readonly request: Omit<ConverseRequest, 'signal'>;
  answer(reply: ConverseReply): void;
}

const TIMEOUT_MS = 600_000;

const input = () =>
  z.strictObject({
    turn: z
      .int()
      .min(1)
      .describe('The message of the person that this belongs to, counted from 1.'),
    step: z.int().min(1).describe('The step for that message, counted from 1.'),
  });

/** Defines the tool. `take` returns each step once: a call that the shell did not prepare gets none. */
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
    // No retry: part of an answer may already be on the screen.
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
