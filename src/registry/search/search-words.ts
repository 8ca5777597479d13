/** Cuts names, sentences and queries into the words that are searched: `readFile`, `read_file` and `Read file` are alike. */

const WORD = /[\p{Lu}]+(?![\p{Ll}])|[\p{Lu}]?[\p{Ll}]+|[\p{L}]+|[\p{N}]+/gu;
const MAX_WORD = 40;

export const searchWords = (text: string): readonly string[] =>
  (text.match(WORD) ?? []).map((word) => word.slice(0, MAX_WORD).toLowerCase());
