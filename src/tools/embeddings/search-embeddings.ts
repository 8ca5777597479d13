/** `search_embeddings`: finds texts of the caller's user by their meaning. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import {
  type EmbeddingToolDeps,
  embedText,
  kindField,
  maxCostOf,
  textField,
} from './embed-text.ts';

const input = () =>
  z.strictObject({
    query: textField('What the texts should be about.'),
    type: kindField().optional(),
    limit: z.int().min(1).max(100).default(10).describe('The most matches.'),
    minScore: z.number().min(-1).max(1).optional().describe('Leave out matches below this score.'),
  });

const output = () =>
  z.strictObject({
    matches: z
      .array(
        z.strictObject({
          type: kindField(),
          id: z.string(),
          score: z.number().describe('From -1 to 1; 1 is the same meaning.'),
        }),
      )
      .describe('The nearest texts, nearest first.'),
    model: z.string().describe('The model whose vectors were compared.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const search = async (
  { query, type, limit, minScore }: Input,
  context: ToolContext,
  { vectors }: EmbeddingToolDeps,
): Promise<Output> => {
  const { vector, model } = await embedText(query, context);
  const matches = await (await vectors()).search({
    userId: context.userId,
    model,
    vector,
    limit,
    ...(type !== undefined && { kind: type }),
    ...(minScore !== undefined && { minScore }),
  });
  return { matches: matches.map(({ kind, id, score }) => ({ type: kind, id, score })), model };
};

export const defineSearchEmbeddings = (deps: EmbeddingToolDeps): Tool<Input, Output> => {
  const maxCost = maxCostOf(deps.price);
  return defineTool({
    name: 'search_embeddings',
    description: 'Finds saved texts by their meaning: gives the ids of the nearest, nearest first.',
    source: 'builtin',
    category: 'search',
    tier: 'read_only',
    tags: ['embedding', 'vector', 'memory', 'knowledge', 'search'],
    permissions: ['tool:embeddings'],
    capabilities: [{ action: 'search', description: 'Search by meaning.' }],
    ...(deps.price !== undefined && { estimate: ({ query }: Input) => maxCost(query) }),
    cost: { model: 'usage_based' },
    timeoutMs: 60_000,
    input,
    output,
    run: (request, context) => search(request, context, deps),
  });
};
