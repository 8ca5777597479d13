/** The operations that understand the text: keywords, sentiment, entities, summaries. */
import type { ToolContext } from '../../../contract/context.ts';
import { askModel } from './ask-model.ts';
import type { ReadEnglish, Reading } from './english.ts';
import { type Entity, findEntities } from './find-entities.ts';
import { type Keyword, rankPhrases, rankWords } from './rank-keywords.ts';
import { createSegmenter, wordsOf } from './segments.ts';
import { type Sentence, shorten, summarize } from './summarize.ts';
import { takeBeginning, takeSample } from './take-sample.ts';

export type Label = 'positive' | 'negative' | 'neutral';

export interface SummaryOptions {
  readonly maxSentences?: number | undefined;
  readonly maxLength?: number | undefined;
}

export interface Analyst {
  keywords(text: string, count: number, context: ToolContext): Promise<readonly Keyword[]>;
  sentiment(text: string, context: ToolContext): Promise<{ score: number; label: Label }>;
  entities(text: string, context: ToolContext): Promise<readonly Entity[]>;
  summary(text: string, options: SummaryOptions, context: ToolContext): Promise<string>;
}

const MAX_ENTITIES = 1_000;
const MAX_SENTENCES = 1_000;
const DEFAULT_SENTENCES = 3;
const NEUTRAL = 0.1;

const labelOf = (score: number): Label => {
  if (Math.abs(score) < NEUTRAL) return 'neutral';
  return score > 0 ? 'positive' : 'negative';
};

/** The context is an object with methods: taken off it, they lose what they belong to. */
const warningTo =
  (context: ToolContext) =>
  (message: string): void =>
    context.warn(message);

const firstOf = <T>(items: readonly T[], most: number, warn: (dropped: number) => void) => {
  if (items.length > most) warn(items.length - most);
  return items.slice(0, most);
};

/** Words that say what a sentence is about: not the stop words the reader marked. */
const sentencesOf = (texts: readonly string[], reading?: Reading): readonly Sentence[] => {
  const segments = createSegmenter('word');
  const stops = new Set<string>();
  for (const { stop, text } of reading?.tokens ?? []) if (stop) stops.add(text.toLowerCase());
  return texts
    .map((text) => text.trim().replaceAll(/\s+/gu, ' '))
    .filter((text) => text !== '')
    .map((text) => {
      const words = wordsOf(text, segments).map((word) => word.toLowerCase());
      return { text, words: new Set(words.filter((word) => !stops.has(word))) };
    });
};

const unknownSentences = (text: string): readonly string[] =>
  [...createSegmenter('sentence')(text)].map(({ text: sentence }) => sentence);

export const createAnalyst = (read: ReadEnglish): Analyst => {
  /** The text as sent to the reader; nothing was read when it is not in Latin letters. */
  const sampleOf = async (whole: string, context: ToolContext) => {
    const { text, latin } = takeSample(whole, warningTo(context));
    return latin ? { text, reading: await read(text) } : { text };
  };
  const englishOnly = (what: string, context: ToolContext) =>
    context.warn(`The offline reader knows English only, so ${what}.`);

  return {
    keywords: async (whole, count, context) => {
      const { text, reading } = await sampleOf(whole, context);
      if (reading) return rankPhrases(reading.tokens, count);
      englishOnly('single words were ranked and common ones are not left out', context);
      return rankWords(wordsOf(text, createSegmenter('word')), count);
    },
    sentiment: async (whole, context) => {
      const { reading } = await sampleOf(whole, context);
      if (!reading) englishOnly('the sentiment of this text is not known and given as 0', context);
      const score = Math.round(Math.max(-1, Math.min(1, reading?.sentiment ?? 0)) * 1e3) / 1e3;
      return { score: score === 0 ? 0 : score, label: labelOf(score) };
    },
    entities: async (whole, context) => {
      const found = await findEntities(takeBeginning(whole, warningTo(context)), async (rest) => {
        const { reading } = await sampleOf(rest, context);
        if (!reading) englishOnly('only addresses were looked for', context);
        return reading;
      });
      return firstOf(found, MAX_ENTITIES, (dropped) =>
        context.warn(`${dropped} more entities were left out.`),
      );
    },
    summary: async (whole, { maxSentences = DEFAULT_SENTENCES, maxLength }, context) => {
      const { text, reading } = await sampleOf(whole, context);
      const all = sentencesOf(reading?.sentences ?? unknownSentences(text), reading);
      const sentences = firstOf(all, MAX_SENTENCES, () =>
        context.warn(`Only the first ${MAX_SENTENCES} sentences were compared.`),
      );
      const limits = { maxSentences, maxLength: maxLength ?? Number.MAX_SAFE_INTEGER };
      return summarize(sentences, { ...limits, joint: reading ? ' ' : '' });
    },
  };
};

/** A summary in the words of the model. */
export const summarizeByModel = async (
  whole: string,
  { maxSentences = DEFAULT_SENTENCES, maxLength }: SummaryOptions,
  context: ToolContext,
): Promise<{ text: string; model: string }> => {
  const limit = maxLength === undefined ? '' : ` and ${maxLength} characters`;
  const { text, model } = await askModel(
    {
      instruction: `Summarize the text in its own language in at most ${maxSentences} sentences${limit}. Add nothing that it does not say.`,
      text: takeBeginning(whole, warningTo(context)),
      maxTokens: 2_048,
    },
    context,
  );
  return { text: shorten(text, maxLength ?? Number.MAX_SAFE_INTEGER), model };
};

/** The whole text in another language. */
export const translate = async (
  text: string,
  targetLanguage: string,
  context: ToolContext,
): Promise<{ text: string; model: string }> => {
  const reply = await askModel(
    {
      instruction: `Translate the text into ${targetLanguage}. Keep its meaning, tone, line breaks and markup.`,
      text,
      maxTokens: 8_192,
    },
    context,
  );
  return { text: reply.text, model: reply.model };
};
