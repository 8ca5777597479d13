/** Input and output of `text_transform`. */
import { z } from 'zod';

export const OPERATIONS = {
  word_count: 'Count characters, graphemes, words, sentences, paragraphs and lines.',
  keywords: 'Find the words and phrases the text is about.',
  sentiment: 'Tell whether the text is positive or negative.',
  entities: 'Find names, dates, amounts of money, numbers, e-mail and web addresses.',
  extract_entities: 'The same as entities.',
  summarize: 'Pick the sentences that matter most, or let the model write a summary.',
  translate: 'Translate the text by the configured model.',
  uppercase: 'Write all letters as capitals.',
  lowercase: 'Write all letters small.',
  title_case: 'Begin every word with a capital.',
  slugify: 'Make a short name for URLs and files.',
  trim: 'Take spaces and line breaks off both ends.',
  reverse: 'Turn the text around, character by character.',
  sort_lines: 'Sort the lines by the alphabet.',
  dedupe_lines: 'Keep the first of equal lines.',
  base64_encode: 'Encode the text (UTF-8) as base64.',
  base64_decode: 'Decode base64 to text.',
  url_encode: 'Percent-encode the text for a URL.',
  url_decode: 'Decode percent-encoded text.',
  hash: 'Compute the SHA-256 digest.',
} as const;

export type Operation = keyof typeof OPERATIONS;

const MAX_TEXT = 1_000_000;
/** As long as a model can answer at once. */
const MAX_TRANSLATION = 20_000;

const options = () =>
  z.strictObject({
    count: z.int().min(1).max(100).optional().describe('keywords: how many (10 by default).'),
    maxSentences: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe('summarize: how many sentences at most (3 by default).'),
    maxLength: z
      .int()
      .min(10)
      .max(MAX_TEXT)
      .optional()
      .describe('summarize: how many characters at most.'),
    targetLanguage: z
      .string()
      .regex(
        /^[\p{L}\p{M}][\p{L}\p{M}\p{N} ()_-]{1,63}$/u,
        'expected the name or code of a language',
      )
      .optional()
      .describe('translate: the language to translate into, e.g. "German" or "pt-BR". Required.'),
    useModel: z
      .boolean()
      .optional()
      .describe(
        'summarize: let the configured model write the summary instead of picking sentences.',
      ),
  });

const fields = () =>
  z.strictObject({
    text: z.string().max(MAX_TEXT).describe('The text to work on.'),
    operation: z
      .enum(Object.keys(OPERATIONS) as [Operation, ...Operation[]])
      .describe('What to do with the text.'),
    options: options().optional().describe('Settings of some operations.'),
  });

export const transformInput = () =>
  fields().superRefine(({ operation, options: given, text }, context) => {
    const issue = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    if (operation !== 'translate') return;
    if (given?.targetLanguage === undefined) {
      issue(['options', 'targetLanguage'], 'The operation translate needs targetLanguage.');
    }
    if (text.length > MAX_TRANSLATION) {
      issue(['text'], `Translate at most ${MAX_TRANSLATION} characters at a time.`);
    }
  });

const keyword = () =>
  z.strictObject({
    keyword: z.string().describe('The word or phrase, in small letters.'),
    score: z.number().describe('From 0 to 1; the best keyword has 1.'),
    count: z.int().describe('How often it occurs.'),
  });

const entity = () =>
  z.strictObject({
    type: z
      .string()
      .describe(
        'NAME, DATE, TIME, DURATION, MONEY, PERCENT, CARDINAL, ORDINAL, EMAIL, URL, HASHTAG, MENTION, EMOJI or EMOTICON.',
      ),
    value: z.string().describe('As it stands in the text.'),
    count: z.int().describe('How often it occurs.'),
  });

export const transformOutput = () =>
  z.strictObject({
    operation: fields().shape.operation.describe('What was done.'),
    text: z.string().optional().describe('The new text, summary, translation, code or digest.'),
    model: z.string().optional().describe('The model that wrote the text, where one did.'),
    characters: z.int().optional().describe('word_count: Unicode code points.'),
    graphemes: z.int().optional().describe('word_count: characters as a reader sees them.'),
    words: z.int().optional().describe('word_count: words.'),
    sentences: z.int().optional().describe('word_count: sentences.'),
    paragraphs: z.int().optional().describe('word_count: blocks of text between blank lines.'),
    lines: z.int().optional().describe('word_count: lines.'),
    keywords: z.array(keyword()).optional().describe('keywords: the best first.'),
    score: z.number().min(-1).max(1).optional().describe('sentiment: -1 (bad) to 1 (good).'),
    label: z.enum(['positive', 'negative', 'neutral']).optional().describe('sentiment: in a word.'),
    entities: z.array(entity()).optional().describe('entities: each one once.'),
  });

export type TransformInput = z.infer<ReturnType<typeof transformInput>>;
export type TransformOutput = z.infer<ReturnType<typeof transformOutput>>;
