/** `search_api`: the TypeScript declarations of the tools that fit a task, for code that `run_code` runs. */
import { z } from 'zod';
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { Tool } from '../../contract/tool.ts';
import { type ApiTool, apiTools } from './api-tools.ts';
import { type CodeModeDeps, sessionOf } from './code-mode-deps.ts';
import { COMMON_DECLARATIONS } from './declare-tools.ts';

const input = () =>
  z.strictObject({
    query: z
      .string()
      .max(500)
      .default('')
      .describe(
        'What the code should do, e.g. "read a file and query a database". Empty lists all.',
      ),
    limit: z.int().min(1).max(50).default(8).describe('How many tools to declare at most.'),
  });

const output = () =>
  z.strictObject({
    declarations: z.string().describe('TypeScript declarations of tools, results and console.'),
    tools: z
      .array(z.strictObject({ name: z.string(), description: z.string() }))
      .describe('The tools declared, by the name that code uses.'),
    total: z.int().describe('How many tools code can call in all.'),
  });

type Input = z.infer<ReturnType<typeof input>>;
type Output = z.infer<ReturnType<typeof output>>;

const MAX_DESCRIPTION = 120;

const toolsFor = ({ query, limit }: Input, { catalog }: CodeModeDeps, all: readonly ApiTool[]) => {
  if (query.trim() === '') return all.slice(0, limit);
  const byName = new Map(all.map((each) => [each.tool.name, each]));
  return catalog
    .search({ text: query, limit: limit * 2, filter: { enabled: true } })
    .flatMap(({ entry }) => byName.get(entry.tool.name) ?? [])
    .slice(0, limit);
};

const search = async (
  request: Input,
  context: ToolContext,
  deps: CodeModeDeps,
): Promise<Output> => {
  const all = apiTools(deps.catalog);
  const chosen = toolsFor(request, deps, all);
  const answer = {
    declarations: `${deps.declareTools(chosen)}\n${COMMON_DECLARATIONS}`,
    tools: chosen.map(({ identifier: name, tool }) => ({
      name,
      description: tool.description.slice(0, MAX_DESCRIPTION),
    })),
    total: all.length,
  };
  await deps.receipts.add(sessionOf(context), [request, answer]);
  return answer;
};

export const defineSearchApi = (deps: CodeModeDeps): Tool<Input, Output> =>
  defineTool({
    name: 'search_api',
    description:
      'Finds the tools that fit a task and returns their TypeScript declarations, to be used in code that run_code runs.',
    source: 'builtin',
    category: 'search',
    tier: 'read_only',
    idempotent: true,
    capabilities: [{ action: 'search', description: 'Look tools up.', tier: 'read_only' }],
    permissions: ['tool:search_api'],
    cost: { model: 'free' },
    timeoutMs: 30_000,
    tags: ['code', 'api', 'typescript', 'declarations', 'tools'],
    examples: [{ title: 'What can read files', input: { query: 'read a file', limit: 3 } }],
    input,
    output,
    run: (request, context) => search(request, context, deps),
  });
