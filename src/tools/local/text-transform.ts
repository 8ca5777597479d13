/**
 * `text_transform`: counts, keywords, sentiment, entities, summaries and everyday conversions of a
 * text. All of it works offline but translations, and summaries that ask for the model.
 */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/tool.ts';
import { runDataWork } from '../data-work.ts';
import { EXAMPLES } from './text/transform-examples.ts';
import {
  OPERATIONS,
  type TransformInput,
  type TransformOutput,
  transformInput,
  transformOutput,
} from './text/transform-schema.ts';
import type { Transformed, TransformJob } from './text/transform-work.ts';

const MAX_INLINE_CHARS = 20_000;
/** These load a reader of English, which takes longer than this process may be held. */
const READS_ENGLISH: readonly string[] = [
  'keywords',
  'sentiment',
  'entities',
  'extract_entities',
  'summarize',
];

const WORK = {
  what: 'text',
  // Long texts take long, but no longer than their length: the limit is for machines that are busy.
  maxMs: 50_000,
  file: 'text/transform-work',
  from: import.meta.url,
  load: () => import('./text/transform-work.ts'),
  isSmall: ({ text, operation }: TransformJob) =>
    text.length <= MAX_INLINE_CHARS && !READS_ENGLISH.includes(operation),
};

const transform = async (
  { operation, text, options = {} }: TransformInput,
  context: ToolContext,
): Promise<Omit<TransformOutput, 'operation'>> => {
  if (operation === 'translate' || options.useModel) {
    const { summarizeByModel, translate } = await import('./text/model-text.ts');
    if (operation === 'translate') return translate(text, options.targetLanguage ?? '', context);
    if (operation === 'summarize') return summarizeByModel(text, options, context);
  }
  const job = { operation, text, options } as TransformJob;
  const { outcome, warnings } = await runDataWork<TransformJob, Transformed>(
    WORK,
    job,
    context.signal,
  );
  for (const warning of warnings) context.warn(warning);
  return outcome;
};

export const textTransform = defineTool<TransformInput, TransformOutput>({
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
  run: async (asked, context) => ({
    operation: asked.operation,
    ...(await transform(asked, context)),
  }),
});
