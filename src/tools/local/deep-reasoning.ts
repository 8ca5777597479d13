/** `deep_reasoning`: lets the configured model solve a problem step by step. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import { ToolFailure } from '../../contract/errors.ts';
import type { ModelReply } from '../../contract/model.ts';
import type { MostCost } from '../../contract/tool-cost.ts';
import { lazy } from '../../kit/data/lazy.ts';

/** By depth: the steps requested, the length of the answer, and whether it is reviewed. */
const DEPTHS = {
  quick: { steps: 3, maxTokens: 2_000, review: false },
  standard: { steps: 8, maxTokens: 8_000, review: false },
  deep: { steps: 20, maxTokens: 16_000, review: true },
} as const;

/** The most tokens that vendors count besides those of the texts. */
const MAX_FRAME_TOKENS = 256;

type Depth = keyof typeof DEPTHS;

const input = () =>
  z.strictObject({
    problem: z.string().trim().min(1).max(100_000).describe('The problem to analyze.'),
    context: z.string().max(200_000).optional().describe('Additional context or constraints.'),
    depth: z
      .enum(['quick', 'standard', 'deep'])
      .default('standard')
      .describe('How thoroughly; deep has the answer checked by a second question.'),
    steps: z
      .int()
      .min(1)
      .max(50)
      .optional()
      .describe('The most steps to take; by depth when absent.'),
  });

const output = () =>
  z.strictObject({
    answer: z.string().describe('The final answer.'),
    steps: z.array(z.string()).describe('The steps that led to it.'),
    reasoning: z.string().describe('The same steps as one text.'),
    reviewed: z.boolean().describe('Whether the answer was checked by a second question.'),
    model: z.string().describe('The model that answered.'),
    tokensUsed: z.int().describe('Tokens of all questions and answers together.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const SHAPE = {
  type: 'object',
  properties: {
    steps: { type: 'array', items: { type: 'string' }, description: 'One thought each, in order.' },
    answer: { type: 'string', description: 'The final answer, complete in itself.' },
  },
  required: ['steps', 'answer'],
  additionalProperties: false,
};

const shape = lazy(() =>
  z.object({ steps: z.array(z.string()), answer: z.string().trim().min(1) }),
);

const SYSTEM =
  'You are a reasoning specialist. Think step by step, say what you assume, check your arithmetic, and state the final answer clearly.';

const REVIEW =
  'You check the reasoning of somebody else. Look for wrong steps, missed cases and answers that do not follow. Answer with the corrected steps and the corrected answer; repeat what is right.';

interface Thought {
  readonly steps: readonly string[];
  readonly answer: string;
}

interface Question {
  readonly system: string;
  readonly prompt: string;
  readonly depth: Depth;
}

/** Reads prose, from models that cannot return objects: its last paragraph is the answer. */
const fromProse = (text: string): Thought | undefined => {
  const parts = text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const answer = parts.pop();
  return answer === undefined ? undefined : { steps: parts, answer };
};

const thoughtOf = (reply: ModelReply): Thought | undefined => {
  const parsed = shape().safeParse(reply.object);
  return parsed.success ? parsed.data : fromProse(reply.text);
};

const promptOf = ({ problem, context, steps }: Input, maxSteps: number): string =>
  [
    ...(context === undefined || context.trim() === '' ? [] : [`CONTEXT:\n${context}`]),
    `PROBLEM:\n${problem}`,
    `Take at most ${steps ?? maxSteps} steps, then give the final answer.`,
  ].join('\n\n');

/** Asks the model, and charges for the reply even when it is not usable. */
const think = async (
  { system, prompt, depth }: Question,
  context: ToolContext,
): Promise<{ readonly reply: ModelReply; readonly thought: Thought | undefined }> => {
  const { maxTokens } = DEPTHS[depth];
  const { signal } = context;
  const reply = await context.model.generate({ system, prompt, maxTokens, signal, schema: SHAPE });
  const tokens = reply.inputTokens + reply.outputTokens;
  context.charge({ tokens, ...(reply.costUsd !== undefined && { cost: reply.costUsd }) });
  return { reply, thought: thoughtOf(reply) };
};

/** Estimates the highest cost of all questions of a call; the second one contains the first answer. */
const maxCostOf = (request: Input): MostCost => {
  const { steps, maxTokens, review } = DEPTHS[request.depth];
  const prompt = promptOf(request, steps);
  const question =
    Buffer.byteLength(`${SYSTEM}${REVIEW}${prompt}${JSON.stringify(SHAPE)}`) + MAX_FRAME_TOKENS;
  return review
    ? { model: { inputTokens: 2 * question + 4 * maxTokens, outputTokens: 2 * maxTokens } }
    : { model: { inputTokens: question, outputTokens: maxTokens } };
};

const assertConfigured = ({ model }: ToolContext): void => {
  if (model.configured) return;
  throw new ToolFailure('MODEL_NOT_CONFIGURED', undefined, {
    suggestions: [
      'Add a section "model:" with provider, model and apiKeyRef to your configuration.',
      'Keep the key under the name in apiKeyRef: toolcrib secrets set <name>',
    ],
  });
};

const run = async (request: Input, context: ToolContext): Promise<Output> => {
  assertConfigured(context);
  const { depth } = request;
  const { steps: maxSteps, review } = DEPTHS[depth];
  const prompt = promptOf(request, maxSteps);
  const first = await think({ system: SYSTEM, prompt, depth }, context);
  if (!first.thought) {
    throw new ToolFailure('SERVER_ERROR', 'The model gave an empty answer.', {
      suggestions: ['Try again, or put the problem in other words.'],
    });
  }
  const replies = [first.reply];
  let { thought } = first;
  let reviewed = false;
  if (review) {
    context.progress(0.5, 'checking the answer');
    const draft = `${prompt}\n\nREASONING TO CHECK:\n${JSON.stringify(thought)}`;
    const second = await think({ system: REVIEW, prompt: draft, depth }, context);
    replies.push(second.reply);
    // An empty review leaves the answer unchanged and not reviewed.
    reviewed = second.thought !== undefined;
    thought = second.thought ?? thought;
    if (!reviewed) context.warn('The model did not check its answer.');
  }
  return {
    answer: thought.answer,
    steps: [...thought.steps],
    reasoning: thought.steps.join('\n'),
    reviewed,
    model: first.reply.model,
    tokensUsed: replies.reduce((sum, reply) => sum + reply.inputTokens + reply.outputTokens, 0),
  };
};

export const deepReasoning = defineTool({
  name: 'deep_reasoning',
  version: '1.0.0',
  description:
    'Use advanced reasoning for complex problems. Good for math, logic, code analysis, planning.',
  source: 'builtin',
  category: 'development',
  tier: 'read_only',
  tags: ['reasoning', 'model', 'logic', 'planning'],
  author: 'Toolcrib',
  license: 'MIT',
  aliases: ['reasoning:deep'],
  permissions: ['tool:deep_reasoning'],
  capabilities: [{ action: 'reason', description: 'Have the model think a problem through.' }],
  cost: {
    model: 'usage_based',
    perUnit: { unit: 'token', price: 0.000_000_14, inputField: 'problem' },
  },
  estimate: maxCostOf,
  timeoutMs: 300_000,
  examples: [
    {
      title: 'A small proof',
      input: { problem: 'Is the sum of two odd numbers always even? Why?', depth: 'quick' },
    },
    {
      title: 'With constraints, checked by a second question',
      input: {
        problem: 'In which order should the three services be migrated?',
        context: 'B calls A. C calls B and A. One service a week.',
        depth: 'deep',
      },
    },
  ],
  input,
  output,
  run,
});
