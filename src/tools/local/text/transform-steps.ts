/** How each operation of `text_transform` that needs no model is done. */
import { type Analyst, createAnalyst, type Warn } from './analyse.ts';
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

export type Outcome = Omit<Output, 'operation'>;
type Step = (asked: Input, warn: Warn) => Outcome | Promise<Outcome>;
/** A translation is the model's alone. */
export type OfflineOperation = Exclude<Operation, 'translate'>;
export type Steps = Readonly<Record<OfflineOperation, Step>>;

const changed =
  (change: (text: string) => string): Step =>
  ({ text }) => ({ text: change(text) });

const stepsWith = (analyst: Analyst): Steps => {
  const entities: Step = async ({ text }, warn) => ({
    entities: [...(await analyst.entities(text, warn))],
  });
  return {
    word_count: ({ text }) => countWords(text),
    keywords: async ({ text, options: { count = DEFAULT_KEYWORDS } = {} }, warn) => ({
      keywords: [...(await analyst.keywords(text, count, warn))],
    }),
    sentiment: ({ text }, warn) => analyst.sentiment(text, warn),
    entities,
    extract_entities: entities,
    summarize: async ({ text, options: settings = {} }, warn) => ({
      text: await analyst.summary(text, settings, warn),
    }),
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
export const createSteps = (): Steps => stepsWith(createAnalyst(createEnglish()));
