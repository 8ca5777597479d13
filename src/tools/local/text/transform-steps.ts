/** How each operation of `text_transform` is done. Loaded with the first text. */
import type { ToolContext } from '../../../contract/context.ts';
import { type Analyst, createAnalyst, summarizeByModel, translate } from './analyse.ts';
import { decodeBase64, decodeUrl, digest, encodeBase64, encodeUrl } from './codecs.ts';
import { countWords } from './count-words.ts';
import { createEnglish } from './english.ts';
import { reverse, slugify, titleCase } from './letters.ts';
import { dedupeLines, sortLines } from './lines.ts';
import type {
  TransformInput as Input,
  Operation,
  TransformOutput as Output,
} from './transform-schema.ts';

const DEFAULT_KEYWORDS = 10;

type Outcome = Omit<Output, 'operation'>;
export type Step = (asked: Input, context: ToolContext) => Outcome | Promise<Outcome>;

const changed =
  (change: (text: string) => string): Step =>
  ({ text }) => ({ text: change(text) });

const stepsWith = (analyst: Analyst): Readonly<Record<Operation, Step>> => {
  const entities: Step = async ({ text }, context) => ({
    entities: [...(await analyst.entities(text, context))],
  });
  return {
    word_count: ({ text }) => countWords(text),
    keywords: async ({ text, options: { count = DEFAULT_KEYWORDS } = {} }, context) => ({
      keywords: [...(await analyst.keywords(text, count, context))],
    }),
    sentiment: ({ text }, context) => analyst.sentiment(text, context),
    entities,
    extract_entities: entities,
    summarize: async ({ text, options: settings = {} }, context) =>
      settings.useModel
        ? summarizeByModel(text, settings, context)
        : { text: await analyst.summary(text, settings, context) },
    translate: ({ text, options: { targetLanguage = '' } = {} }, context) =>
      translate(text, targetLanguage, context),
    uppercase: changed((text) => text.toUpperCase()),
    lowercase: changed((text) => text.toLowerCase()),
    title_case: changed(titleCase),
    slugify: changed(slugify),
    trim: changed((text) => text.trim()),
    reverse: changed(reverse),
    sort_lines: changed(sortLines),
    dedupe_lines: changed(dedupeLines),
    base64_encode: changed(encodeBase64),
    base64_decode: changed(decodeBase64),
    url_encode: changed(encodeUrl),
    url_decode: changed(decodeUrl),
    hash: changed(digest),
  };
};

/** Keeps its reader of English for the next text. */
export const createSteps = (): Readonly<Record<Operation, Step>> =>
  stepsWith(createAnalyst(createEnglish()));
