/** "Did you mean": the names closest to one that was not found. */
import { distance } from 'fastest-levenshtein';

const MAX_NAME = 128;
const MAX_SUGGESTIONS = 3;

export const suggest = (name: string, names: readonly string[]): readonly string[] => {
  // Longer than any name; comparing takes the product of both lengths.
  if (name.length === 0 || name.length > MAX_NAME) return [];
  const lower = name.toLowerCase();
  const limit = Math.max(1, Math.floor(lower.length / 3));
  return names
    .filter((other) => Math.abs(other.length - lower.length) <= limit)
    .map((other) => ({ other, away: distance(lower, other.toLowerCase()) }))
    .filter(({ away }) => away <= limit)
    .sort((a, b) => a.away - b.away || (a.other < b.other ? -1 : 1))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ other }) => other);
};
