/** `delete_embeddings`: deletes the vector of a text of the caller's user, or all of one type. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import { type EmbeddingToolDeps, idField, kindField } from './embed-text.ts';

const input = () =>
  z
    .strictObject({
      type: kindField(),
      id: idField().optional(),
      all: z.literal(true).optional().describe('Forgets all texts of the type.'),
    })
    .refine(({ id, all }) => (id === undefined) !== (all === undefined), {
      error: 'Give either id or all: true.',
    });

const output = () => z.strictObject({ deleted: z.int().describe('How many vectors are gone.') });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const remove = async (
  { type: kind, id }: Input,
  { userId }: ToolContext,
  { vectors }: EmbeddingToolDeps,
): Promise<Output> => {
  const store = await vectors();
  if (id === undefined) return { deleted: await store.clear(userId, kind) };
  return { deleted: Number(await store.delete({ userId, kind, id })) };
};

export const defineDeleteEmbeddings = (deps: EmbeddingToolDeps): Tool<Input, Output> =>
  defineTool({
    name: 'delete_embeddings',
    description: 'Forgets saved texts, so that search_embeddings does not find them any more.',
    source: 'builtin',
    category: 'search',
    tier: 'write',
    idempotent: true,
    tags: ['embedding', 'vector', 'memory', 'knowledge', 'delete'],
    permissions: ['tool:embeddings'],
    capabilities: [{ action: 'delete', description: 'Forget saved texts.', destructive: true }],
    cost: { model: 'free' },
    input,
    output,
    run: (request, context) => remove(request, context, deps),
  });
