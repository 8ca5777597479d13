/**
 * `text_transform`: counts, keywords, sentiment, entities, summaries and everyday conversions of a
 * text. All of it works offline but translations, and summaries that ask for the model.
 */
import { defineTool, type Tool } from '../../contract/tool.ts';
import { lazyAsync } from '../../kit/data/lazy.ts';
import { EXAMPLES } from './text/transform-examples.ts';
import {
  OPERATIONS,
  type Operation,
  type TransformInput,
  type TransformOutput,
  transformInput,
  transformOutput,
} from './text/transform-schema.ts';
import type { Step } from './text/transform-steps.ts';

type Steps = Readonly<Record<Operation, Step>>;

const defineTextTransform = (): Tool<TransformInput, TransformOutput> => {
  const loadSteps = lazyAsync(async (): Promise<Steps> => {
    const { createSteps } = await import('./text/transform-steps.ts');
    return createSteps();
  });
  return defineTool<TransformInput, TransformOutput>({
    name: 'text_transform',
    description:
      'Works on a text: counts words, finds keywords, entities and sentiment, summarizes, translates, changes case, sorts lines, encodes, decodes and hashes.',
    source: 'builtin',
    category: 'development',
    tier: 'read_only',
    idempotent: true,
    actionField: 'operation',
    capabilities: Object.entries(OPERATIONS).map(([action, description]) => ({
      action,
      description,
    })),
    permissions: ['tool:text_transform'],
    cost: { model: 'free' },
    aliases: ['text:transform'],
    tags: ['text', 'nlp', 'summary', 'keywords', 'translate', 'entities', 'encode', 'hash'],
    author: 'Toolcrib',
    license: 'MIT',
    timeoutMs: 60_000,
    examples: EXAMPLES,
    input: transformInput,
    output: transformOutput,
    run: async (asked, context) => {
      const steps = await loadSteps();
      const { operation } = asked;
      return { operation, ...(await steps[operation](asked, context)) };
    },
  });
};

/** Loads its reader of English with the first text that needs it and keeps it for the next. */
export const textTransform = defineTextTransform();
