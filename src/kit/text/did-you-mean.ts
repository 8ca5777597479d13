/** "Did you mean …": the known name closest to one that is not known. */
import { distance } from 'fastest-levenshtein';

/** Spelling apart, `max_concurrent_tools` and `maxConcurrentTools` are the same name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** Hostile names may be long, and the distance is quadratic in their length. */
const LONGEST = 100;

/** `undefined` when nothing is close enough to be what was meant. */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  if (name.length > LONGEST) return undefined;
  const wanted = plain(name);
  const allowed = Math.max(1, Math.floor(wanted.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const far = distance(wanted, plain(candidate));
    if (far <= allowed && far < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { name: candidate, distance: far };
    }
  }
  return best?.name;
};

/** The clause to append to a message, or nothing. */
export const didYouMean = (name: string, known: Iterable<string>): string => {
  const nearest = nearestName(name, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
};

const MAX_LISTED = 24;

/** Says that a name is not known, and which one is meant or which there are. */
export const unknownNameText = (name: string, known: Iterable<string>): string => {
  const names = [...known];
  const listed = names.length <= MAX_LISTED ? `; known are ${names.join(', ')}` : '';
  return `is not known${didYouMean(name, names) || listed}`;
};
