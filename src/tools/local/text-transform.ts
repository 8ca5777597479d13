/**
 * `text_transform`: counts, keywords, sentiment, entities, summaries and everyday conversions of a text.
 * All of it works offline except translations, and summaries by the model.
 */
import type { ToolContext } from '../../contract/context.ts';
import { defineTool } from '../../contract/define-tool.ts';
import type { ToolExample } from '../../contract/tool.ts';
import { runDataWork } from '../../kit/work/data-work.ts';
import {
  OPERATIONS,
  type TransformInput,
  type TransformOutput,
  transformInput,
  transformOutput,
} from './text/transform-schema.ts';
import type { Transformed, TransformJob } from './text/transform-work.ts';

const MAX_INLINE_CHARS = 20_000;
/** These load a language model for English, which would block this process for too long. */
const READS_ENGLISH: readonly string[] = [
  'keywords',
  'sentiment',
  'entities',
  'extract_entities',
  'summarize',
];

const WORK = {
  what: 'text',
  // The time grows with the text only; the limit leaves room for busy machines.
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

const REPORT =
  'The city council approved the new tram line on Monday. The tram line will connect the harbour with the university. Some shops sell ice cream. Construction of the tram line starts in May and the council expects the first tram in 2028.';

const EXAMPLES: readonly ToolExample[] = [
  {
    title: 'Count the words',
    input: { text: 'Hello, world! 你好 👋🏽', operation: 'word_count' },
    output: { characters: 19, graphemes: 18, words: 3, paragraphs: 1, lines: 1 },
  },
  {
    title: 'What a text is about',
    input: { text: REPORT, operation: 'keywords', options: { count: 1 } },
    output: { keywords: [{ keyword: 'tram line', score: 1, count: 3 }] },
  },
  {
    title: 'How a text sounds',
    input: { text: 'I love this library, it is wonderful!', operation: 'sentiment' },
    output: { label: 'positive' },
  },
  {
    title: 'Names, dates, money and addresses',
    input: {
      text: 'Ada Lovelace paid $500 to charles@example.com on 5 June 2024 (see https://example.com/pay).',
      operation: 'entities',
    },
    output: {
      entities: [
        { type: 'EMAIL', value: 'charles@example.com', count: 1 },
        { type: 'URL', value: 'https://example.com/pay', count: 1 },
        { type: 'MONEY', value: '$500', count: 1 },
        { type: 'DATE', value: '5 June 2024', count: 1 },
        { type: 'NAME', value: 'Ada Lovelace', count: 1 },
      ],
    },
  },
  {
    title: 'The sentence that matters most',
    input: { text: REPORT, operation: 'summarize', options: { maxSentences: 1 } },
    output: {
      text: 'The city council approved the new tram line on Monday.',
    },
  },
  {
    title: 'A name for a URL',
    input: { text: "L'été à Straße 7!", operation: 'slugify' },
    output: { text: 'lete-a-strasse-7' },
  },
  {
    title: 'Sort lines',
    input: { text: 'pear\nApple\nélan\nbanana\n', operation: 'sort_lines' },
    output: { text: 'Apple\nbanana\nélan\npear\n' },
  },
  {
    title: 'Decode base64',
    input: { text: 'aGVsbG8=', operation: 'base64_decode' },
    output: { text: 'hello' },
  },
  {
    title: 'A digest',
    input: { text: 'abc', operation: 'hash' },
    output: { text: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  },
];

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
  run: async (request, context) => ({
    operation: request.operation,
    ...(await transform(request, context)),
  }),
});
