/** The operations that analyse the meaning of a text: keywords, sentiment, entities, summaries. */
import type { ReadEnglish, Reading } from './english.ts';
import { type Entity, findEntities } from './find-entities.ts';
import { type Keyword, rankPhrases, rankWords } from './rank-keywords.ts';
import { createSegmenter, wordsOf } from './segments.ts';
import { type Sentence, summarize } from './summarize.ts';
import { takeBeginning, takeSample } from './take-sample.ts';

/** Tells the caller what was left out. */
export type Warn = (message: string) => void;

type Label = 'positive' | 'negative' | 'neutral';

export interface SummaryOptions {
  readonly maxSentences?: number | undefined;
  readonly maxLength?: number | undefined;
}

export interface Analyst {
  keywords(text: string, count: number, warn: Warn): Promise<readonly Keyword[]>;
  sentiment(text: string, warn: Warn): Promise<{ score: number; label: Label }>;
  entities(text: string, warn: Warn): Promise<readonly Entity[]>;
  summary(text: string, options: SummaryOptions, warn: Warn): Promise<string>;
}

const MAX_ENTITIES = 1_000;
const MAX_SENTENCES = 1_000;
export const DEFAULT_SENTENCES = 3;
const NEUTRAL = 0.1;

const labelOf = (score: number): Label => {
  if (Math.abs(score) < NEUTRAL) return 'neutral';
  return score > 0 ? 'positive' : 'negative';
};

const firstOf = <T>(items: readonly T[], max: number, warn: (dropped: number) => void) => {
  if (items.length > max) warn(items.length - max);
  return items.slice(0, max);
};

/** Pairs sentences with the words that show their topic: without stop words. */
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
  /** Takes the part of the text to analyse; reads it only when it is in Latin letters. */
  const sampleOf = async (whole: string, warn: Warn) => {
    const { text, latin } = takeSample(whole, warn);
    return latin ? { text, reading: await read(text) } : { text };
  };
  const englishOnly = (what: string, warn: Warn) =>
    warn(`The offline reader knows English only, so ${what}.`);

  return {
    keywords: async (whole, count, warn) => {
      const { text, reading } = await sampleOf(whole, warn);
      if (reading) return rankPhrases(reading.tokens, count);
      englishOnly('single words were ranked and common ones are not left out', warn);
      return rankWords(wordsOf(text, createSegmenter('word')), count);
    },
    sentiment: async (whole, warn) => {
      const { reading } = await sampleOf(whole, warn);
      if (!reading) englishOnly('the sentiment of this text is not known and given as 0', warn);
      const score = Math.round(Math.max(-1, Math.min(1, reading?.sentiment ?? 0)) * 1e3) / 1e3;
      return { score: score === 0 ? 0 : score, label: labelOf(score) };
    },
    entities: async (whole, warn) => {
      const entities = await findEntities(takeBeginning(whole, warn), async (rest) => {
        const { reading } = await sampleOf(rest, warn);
        if (!reading) englishOnly('only addresses were looked for', warn);
        return reading;
      });
      return firstOf(entities, MAX_ENTITIES, (dropped) =>
        warn(`${dropped} more entities were left out.`),
      );
    },
    summary: async (whole, { maxSentences = DEFAULT_SENTENCES, maxLength }, warn) => {
      const { text, reading } = await sampleOf(whole, warn);
      const all = sentencesOf(reading?.sentences ?? unknownSentences(text), reading);
      const sentences = firstOf(all, MAX_SENTENCES, () =>
        warn(`Only the first ${MAX_SENTENCES} sentences were compared.`),
      );
      const limits = { maxSentences, maxLength: maxLength ?? Number.MAX_SAFE_INTEGER };
      return summarize(sentences, { ...limits, separator: reading ? ' ' : '' });
    },
  };
};
