/** The examples of `text_transform`; the tests run them all. */
import type { ToolExample } from '../../../contract/tool.ts';

const REPORT =
  'The city council approved the new tram line on Monday. The tram line will connect the harbour with the university. Some shops sell ice cream. Construction of the tram line starts in May and the council expects the first tram in 2028.';

export const EXAMPLES: readonly ToolExample[] = [
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
