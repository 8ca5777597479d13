/** "Did you mean": the names closest to one that was not found. */
import { distance } from 'fastest-levenshtein';

const MAX_NAME = 128;
const MAX_SUGGESTIONS = 3;

export const suggest = (asked: string, names: readonly string[]): readonly string[] => {
  // Longer than any name can be, and comparing takes the product of both lengths.
  if (asked.length === 0 || asked.length > MAX_NAME) return [];
  const wanted = asked.toLowerCase();
  const limit = Math.max(1, Math.floor(wanted.length / 3));
  return names
    .filter((name) => Math.abs(name.length - wanted.length) <= limit)
    .map((name) => ({ name, away: distance(wanted, name.toLowerCase()) }))
    .filter(({ away }) => away <= limit)
    .sort((a, b) => a.away - b.away || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ name }) => name);
};
