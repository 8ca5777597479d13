/** What `text_transform` takes and gives, and what each of its operations is for. */
import { z } from 'zod';

const MAX_TEXT = 1_000_000;

/** Every operation with the sentence that describes it. */
export const OPERATIONS = {
  word_count: 'Count characters, words, sentences, paragraphs and lines.',
  keywords: 'Find the terms an English text is about.',
  sentiment: 'Tell whether an English text is positive or negative.',
  entities: 'Find names, places, dates and amounts in an English text.',
  extract_entities: 'The same as entities.',
  summarize: 'Shorten a text to its most telling sentences.',
  translate: 'Translate by a language model.',
  uppercase: 'Write in capital letters.',
  lowercase: 'Write in small letters.',
  title_case: 'Start each word with a capital letter.',
  slugify: 'Make a name fit for an address.',
  trim: 'Remove the space around the text.',
  reverse: 'Turn the text round, character by character.',
  sort_lines: 'Sort the lines.',
  dedupe_lines: 'Keep the first of equal lines.',
  base64_encode: 'Encode as base64.',
  base64_decode: 'Decode base64 that holds text.',
  url_encode: 'Encode for a URL.',
  url_decode: 'Decode what was encoded for a URL.',
  hash: 'Compute a digest of the text.',
} as const;

type Operation = keyof typeof OPERATIONS;

const isLocale = (locale: string): boolean => {
  try {
    return Intl.getCanonicalLocales(locale).length === 1;
  } catch {
    return false;
  }
};

const options = z.strictObject({
  count: z.int().min(1).max(500).optional().describe('keywords, entities: how many at most.'),
  maxSentences: z.int().min(1).max(100).optional().describe('summarize: sentences (3 by default).'),
  maxLength: z.int().min(20).max(MAX_TEXT).optional().describe('summarize: characters at most.'),
  useModel: z
    .boolean()
    .optional()
    .describe('summarize: let the configured language model write it.'),
  targetLanguage: z
    .string()
    .regex(/^[\p{L}\p{M} ()-]{2,60}$/u, 'expected the name or code of a language')
    .optional()
    .describe('translate: into which language, e.g. "French" or "rw".'),
  sourceLanguage: z
    .string()
    .regex(/^[\p{L}\p{M} ()-]{2,60}$/u, 'expected the name or code of a language')
    .optional()
    .describe('translate: from which language; found out when absent.'),
  descending: z.boolean().optional().describe('sort_lines: from the last to the first.'),
  locale: z
    .string()
    .max(35)
    .refine(isLocale, 'expected a locale such as "en" or "tr"')
    .optional()
    .describe('Case and sorting: whose rules to follow.'),
  algorithm: z
    .enum(['sha256', 'sha384', 'sha512'])
    .optional()
    .describe('hash: which digest (sha256 by default).'),
});

export const input = z
  .strictObject({
    operation: z
      .enum(Object.keys(OPERATIONS) as [Operation, ...Operation[]])
      .describe('What to do.'),
    text: z.string().max(MAX_TEXT).describe('The text, up to a million characters.'),
    options: options.default({}).describe('Settings of the operations that have any.'),
  })
  .superRefine(({ operation, options: { targetLanguage } }, context) => {
    if (operation !== 'translate' || targetLanguage !== undefined) return;
    const path = ['options', 'targetLanguage'];
    context.addIssue({ code: 'custom', path, message: 'translate needs it' });
  });

const count = z.int().min(0);

export const output = z.strictObject({
  operation: z.string().describe('What was done.'),
  text: z
    .string()
    .optional()
    .describe('The text that came out, for edits, summaries, translations.'),
  counts: z
    .strictObject({
      characters: count.describe(
        'As a reader sees them: an accent or a flag does not count twice.',
      ),
      words: count.describe('Words by the rules of Unicode.'),
      sentences: count.describe('Sentences by the rules of Unicode.'),
      paragraphs: count.describe('Blocks with empty lines between them.'),
      lines: count.describe('Lines.'),
      bytes: count.describe('Bytes in UTF-8.'),
    })
    .optional()
    .describe('For word_count.'),
  keywords: z
    .array(
      z.strictObject({
        keyword: z.string().describe('The term as first written.'),
        score: z.number().describe('From 0 to 1; the best term has 1.'),
        count: count.describe('How often it occurs.'),
      }),
    )
    .optional()
    .describe('For keywords, the best first.'),
  sentiment: z
    .strictObject({
      score: z.number().min(-1).max(1).describe('From -1, negative, to 1, positive.'),
      label: z.enum(['positive', 'negative', 'neutral']).describe('The score in a word.'),
      sentences: z
        .strictObject({
          positive: count.describe('Positive sentences.'),
          negative: count.describe('Negative sentences.'),
          neutral: count.describe('Neither.'),
        })
        .describe('How many sentences are which.'),
    })
    .optional()
    .describe('For sentiment.'),
  entities: z
    .array(
      z.strictObject({
        text: z.string().describe('As written.'),
        type: z.string().describe('PERSON, ORGANIZATION, PLACE, NAME, DATE, TIME, MONEY, EMAIL, …'),
        count: count.describe('How often it occurs.'),
      }),
    )
    .optional()
    .describe('For entities, in the order of the text.'),
  method: z
    .enum(['extractive', 'model'])
    .optional()
    .describe('How a summary or translation was made.'),
  model: z.string().optional().describe('The model that was asked.'),
});

export type Input = z.infer<typeof input>;
export type Output = z.infer<typeof output>;
