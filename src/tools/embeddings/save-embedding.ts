/** `save_embedding`: makes a vector of a text and stores it for the caller's user. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import type { VectorItem } from '../../contract/vectors.ts';
import {
  type EmbeddingToolDeps,
  embedText,
  idField,
  kindField,
  maxCostOf,
  textField,
} from './embed-text.ts';

export interface SaveEmbeddingDeps extends Omit<EmbeddingToolDeps, 'vectors'> {
  keep(item: VectorItem): Promise<void>;
}

const input = () =>
  z.strictObject({
    type: kindField(),
    id: idField(),
    content: textField('The text. It is not kept, only its vector.'),
  });

const output = () =>
  z.strictObject({
    type: kindField(),
    id: z.string(),
    model: z.string().describe('The model that made the vector.'),
    vectorDimensions: z.int().describe('How many numbers the vector has.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const save = async (
  { type, id, content }: Input,
  context: ToolContext,
  { keep, now }: SaveEmbeddingDeps,
): Promise<Output> => {
  const { vector, model } = await embedText(content, context);
  context.signal.throwIfAborted();
  await keep({ userId: context.userId, kind: type, id, model, vector, storedAt: now() });
  return { type, id, model, vectorDimensions: vector.length };
};

export const defineSaveEmbedding = (deps: SaveEmbeddingDeps): Tool<Input, Output> => {
  const maxCost = maxCostOf(deps.price);
  return defineTool({
    name: 'save_embedding',
    description:
      'Makes a vector of a text, so that search_embeddings finds the text by its meaning.',
    source: 'builtin',
    category: 'search',
    tier: 'write',
    // The same text gives the same vector, stored in the same place.
    idempotent: true,
    tags: ['embedding', 'vector', 'memory', 'knowledge'],
    permissions: ['tool:embeddings'],
    capabilities: [{ action: 'embed', description: 'Keep the vector of a text.' }],
    ...(deps.price !== undefined && { estimate: ({ content }: Input) => maxCost(content) }),
    cost: { model: 'usage_based' },
    timeoutMs: 60_000,
    input,
    output,
    run: (request, context) => save(request, context, deps),
  });
};
