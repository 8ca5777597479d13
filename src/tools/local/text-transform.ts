/**
 * `text_transform`: counts, edits, keywords, feelings, entities and summaries, all offline; and
 * translation, which needs a language model.
 */
import type { ToolContext } from '../../contract/context.ts';
import { type Capability, defineTool, type Tool, type ToolExample } from '../../contract/tool.ts';
import { askModel, assertModel } from './text/ask-model.ts';
import { countText } from './text/count-text.ts';
import { EDITS, isEdit } from './text/edit-text.ts';
import {
  createLanguageReader,
  type LanguageReader,
  type Sentence,
} from './text/language-reader.ts';
import { listPlaces, nameEntities } from './text/name-entities.ts';
import { rankKeywords } from './text/rank-keywords.ts';
import { summarizeSentences } from './text/summarize-sentences.ts';
import { type Input, input, OPERATIONS, type Output, output } from './text/transform-schema.ts';

const DEFAULT_KEYWORDS = 10;
const DEFAULT_SENTENCES = 3;
const NO_LIMIT = 1_000_000;
/** Below this a score says nothing. */
const NEUTRAL = 0.05;

/** The text as English sentences; warns when it hardly can be English. */
const readEnglish = (
  { text }: Input,
  reader: LanguageReader,
  context: ToolContext,
): Promise<readonly Sentence[]> => {
  const sample = text.slice(0, 2_000);
  const letters = sample.match(/\p{L}/gu)?.length ?? 0;
  const latin = sample.match(/[A-Za-z]/g)?.length ?? 0;
  if (latin * 2 < letters)
    context.warn('This operation knows English only; the text looks otherwise.');
  return reader.read(text, {
    signal: context.signal,
    progress: (fraction) => context.progress(fraction),
  });
};

const keywords = async (asked: Input, reader: LanguageReader, context: ToolContext) => ({
  keywords: [
    ...rankKeywords(
      await readEnglish(asked, reader, context),
      asked.options.count ?? DEFAULT_KEYWORDS,
    ),
  ],
});

/** The mean of the sentences that feel anything: a long neutral report does not water it down. */
const sentiment = async (asked: Input, reader: LanguageReader, context: ToolContext) => {
  const all = (await readEnglish(asked, reader, context)).map(({ feeling }) => feeling);
  const felt = all.filter((feeling) => feeling !== 0);
  const sum = felt.reduce((total, feeling) => total + feeling, 0);
  const score = felt.length === 0 ? 0 : Math.round((sum / felt.length) * 1000) / 1000;
  const label = score > NEUTRAL ? 'positive' : score < -NEUTRAL ? 'negative' : 'neutral';
  const positive = felt.filter((feeling) => feeling > 0).length;
  const negative = felt.length - positive;
  const sentences = { positive, negative, neutral: all.length - felt.length };
  return { sentiment: { score, label, sentences } } as const;
};

const entities = async (asked: Input, reader: LanguageReader, context: ToolContext) => {
  const found = nameEntities(await readEnglish(asked, reader, context), listPlaces());
  return { entities: found.slice(0, asked.options.count ?? found.length) };
};

const summarizeByModel = async ({ text, options }: Input, context: ToolContext) => {
  assertModel(context, 'A summary with useModel');
  const { maxSentences = DEFAULT_SENTENCES, maxLength } = options;
  const length = maxLength === undefined ? '' : ` and ${maxLength} characters`;
  const task = `Summarize the text in at most ${maxSentences} sentences${length}, in its own language.`;
  const reply = await askModel(task, text, context);
  return { text: reply.text, method: 'model', model: reply.model } as const;
};

const summarize = async (asked: Input, reader: LanguageReader, context: ToolContext) => {
  if (asked.options.useModel) return summarizeByModel(asked, context);
  const { maxSentences = DEFAULT_SENTENCES, maxLength = NO_LIMIT } = asked.options;
  const sentences = await readEnglish(asked, reader, context);
  const { text } = summarizeSentences(sentences, { maxSentences, maxLength });
  return { text, method: 'extractive' } as const;
};

const translate = async ({ text, options }: Input, context: ToolContext) => {
  assertModel(context, 'A translation');
  const from = options.sourceLanguage === undefined ? '' : ` from ${options.sourceLanguage}`;
  const task = `Translate the text${from} to ${options.targetLanguage}. Keep its form.`;
  const reply = await askModel(task, text, context);
  return { text: reply.text, method: 'model', model: reply.model } as const;
};

const transform = async (
  asked: Input,
  reader: LanguageReader,
  context: ToolContext,
): Promise<Omit<Output, 'operation'>> => {
  const { operation, text, options } = asked;
  if (isEdit(operation)) return { text: EDITS[operation](text, options) };
  switch (operation) {
    case 'word_count':
      return { counts: countText(text) };
    case 'keywords':
      return keywords(asked, reader, context);
    case 'sentiment':
      return sentiment(asked, reader, context);
    case 'entities':
    case 'extract_entities':
      return entities(asked, reader, context);
    case 'summarize':
      return summarize(asked, reader, context);
    case 'translate':
      return translate(asked, context);
  }
};

const CAPABILITIES: readonly Capability[] = Object.entries(OPERATIONS).map(
  ([action, description]) => ({ action, description }),
);

const STORY =
  'Solar panels turn sunlight into power. Solar panels are cheap now. The weather was nice on Monday. Cheap solar panels change how Kenya buys power.';

const EXAMPLES: readonly ToolExample[] = [
  {
    title: 'Count words',
    input: { operation: 'word_count', text: 'Hello, world! Как дела? 👋🏽' },
    output: { counts: { characters: 25, words: 4, sentences: 2 } },
  },
  {
    title: 'Find keywords',
    input: { operation: 'keywords', text: STORY, options: { count: 1 } },
    output: { keywords: [{ keyword: 'solar panels' }] },
  },
  {
    title: 'Tell the sentiment',
    input: { operation: 'sentiment', text: 'The staff was wonderful. I love this place!' },
    output: { sentiment: { label: 'positive' } },
  },
  {
    title: 'Find entities',
    input: { operation: 'entities', text: 'Dr. Ada Jones paid $20 in Nairobi.' },
    output: {
      entities: [
        { text: 'Dr. Ada Jones', type: 'PERSON' },
        { text: 'Nairobi', type: 'PLACE' },
        { text: '$20', type: 'MONEY' },
      ],
    },
  },
  {
    title: 'Summarize in one sentence',
    input: { operation: 'summarize', text: STORY, options: { maxSentences: 1 } },
    output: { text: 'Cheap solar panels change how Kenya buys power.', method: 'extractive' },
  },
  {
    title: 'Make a slug',
    input: { operation: 'slugify', text: 'Crème brûlée & Straßencafé!' },
    output: { text: 'creme-brulee-strassencafe' },
  },
  {
    title: 'Hash a text',
    input: { operation: 'hash', text: 'abc' },
    output: { text: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
  },
];

const defineTextTransform = (): Tool<Input, Output> => {
  const reader = createLanguageReader();
  return defineTool<Input, Output>({
    name: 'text_transform',
    description:
      'Counts, keywords, sentiment, entities and summaries of a text, edits such as case, slug, sorting, base64, URL encoding and hashing, all offline; translation by a language model.',
    source: 'builtin',
    category: 'development',
    tier: 'read_only',
    idempotent: true,
    capabilities: CAPABILITIES,
    actionField: 'operation',
    permissions: ['tool:text_transform'],
    cost: { model: 'free' },
    tags: ['text', 'nlp', 'summarize', 'translate', 'keywords', 'sentiment', 'encode', 'hash'],
    author: 'Toolcrib',
    license: 'MIT',
    timeoutMs: 120_000,
    examples: EXAMPLES,
    input,
    output,
    run: async (asked, context) => ({
      operation: asked.operation,
      ...(await transform(asked, reader, context)),
    }),
  });
};

/** Loads its language library with the first text that needs it, and keeps it. */
export const textTransform = defineTextTransform();
