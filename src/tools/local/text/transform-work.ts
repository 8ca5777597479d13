/**
 * The work of `text_transform`: the operations without a model, on counts, letters, lines, codes and
 * meaning.
 */
import { lazy } from '../../../kit/data/lazy.ts';
import { type Analyst, createAnalyst, type Warn } from './analyse.ts';
import { decodeBase64, decodeUrl, digest, encodeBase64, encodeUrl } from './codecs.ts';
import { createEnglish } from './english.ts';
import { dedupeLines, linesOf, sortLines } from './lines.ts';
import { createSegmenter, type Segment } from './segments.ts';
import type {
  TransformInput as Input,
  Operation,
  TransformOutput as Output,
} from './transform-schema.ts';

interface Counts {
  readonly characters: number;
  readonly graphemes: number;
  readonly words: number;
  readonly sentences: number;
  readonly paragraphs: number;
  readonly lines: number;
}

const NOT_BLANK = /\S/u;

const count = (
  text: string,
  granularity: Parameters<typeof createSegmenter>[0],
  counts: (segment: Segment) => boolean,
): number => {
  let total = 0;
  for (const segment of createSegmenter(granularity)(text)) if (counts(segment)) total += 1;
  return total;
};

const countCharacters = (text: string): number => {
  let total = 0;
  for (const _ of text) total += 1;
  return total;
};

const countParagraphs = (lines: readonly string[]): number => {
  let total = 0;
  let inside = false;
  for (const line of lines) {
    const written = NOT_BLANK.test(line);
    if (written && !inside) total += 1;
    inside = written;
  }
  return total;
};

const countWords = (text: string): Counts => {
  const { lines } = linesOf(text);
  return {
    characters: countCharacters(text),
    graphemes: count(text, 'grapheme', () => true),
    words: count(text, 'word', ({ wordLike }) => wordLike),
    sentences: count(text, 'sentence', ({ text: sentence }) => NOT_BLANK.test(sentence)),
    paragraphs: countParagraphs(lines),
    lines: lines.length,
  };
};

/** Capitalizes every word and writes the rest of it in lower case. */
const titleCase = (text: string): string => {
  let result = '';
  for (const { text: part, wordLike } of createSegmenter('word')(text)) {
    const [first = ''] = part;
    result += wordLike ? `${first.toUpperCase()}${part.slice(first.length).toLowerCase()}` : part;
  }
  return result;
};

/** Letters that Unicode does not decompose into a plain letter and an accent. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/**
 * Joins letters and digits in lower case with "-". Letters of other scripts stay, because they are legal
 * in a slug.
 */
const slugify = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[\u0300-\u036f'’]/gu, '')
    .replaceAll(/[ßæœøđðłþı]/gu, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, '-')
    .replace(/^-/u, '')
    .replace(/-$/u, '');

/** Reverses by what a reader sees as one character, so that emoji and accents stay whole. */
const reverse = (text: string): string => {
  const graphemes: string[] = [];
  for (const { text: grapheme } of createSegmenter('grapheme')(text)) graphemes.push(grapheme);
  return graphemes.reverse().join('');
};

const DEFAULT_KEYWORDS = 10;

type Outcome = Omit<Output, 'operation'>;
type Step = (request: Input, warn: Warn) => Outcome | Promise<Outcome>;
/** Only a model translates. */
type OfflineOperation = Exclude<Operation, 'translate'>;
type Steps = Readonly<Record<OfflineOperation, Step>>;

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

export interface TransformJob extends Omit<Input, 'operation'> {
  readonly operation: OfflineOperation;
}

export interface Transformed {
  readonly outcome: Outcome;
  readonly warnings: readonly string[];
}

/** Created once, because the model for English is large. */
const steps = lazy(() => stepsWith(createAnalyst(createEnglish())));

/** Runs quick work synchronously, so that its time can be limited. */
export const prepare = async (job: TransformJob) => (): Transformed | Promise<Transformed> => {
  const warnings: string[] = [];
  const step = steps()[job.operation];
  const outcome = step(job, (message) => void warnings.push(message));
  return outcome instanceof Promise
    ? outcome.then((value) => ({ outcome: value, warnings }))
    : { outcome, warnings };
};
