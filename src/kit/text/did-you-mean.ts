/** "Did you mean …": the known name closest to one that is not known. */
import { distance } from 'fastest-levenshtein';

/** Removes what is spelling only: `max_concurrent_tools` and `maxConcurrentTools` are the same name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, '');

/** Hostile names may be long, and the distance is quadratic in their length. */
const MAX_NAME_LENGTH = 100;

/** A shorter beginning says too little. */
const MIN_BEGINNING = 4;

/** Finds the one name that begins with what was written: `userId` for `user`. */
const begunName = (target: string, names: readonly string[]): string | undefined => {
  if (target.length < MIN_BEGINNING) return undefined;
  const [begun, ...more] = names.filter((name) => plain(name).startsWith(target));
  return more.length === 0 ? begun : undefined;
};

/** Finds the nearest name; gives `undefined` when none is close enough. */
export const nearestName = (name: string, all: Iterable<string>): string | undefined => {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const target = plain(name);
  const names = [...all];
  const allowed = Math.max(1, Math.floor(target.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const candidate of names) {
    const far = distance(target, plain(candidate));
    if (far <= allowed && far < (best?.distance ?? Number.POSITIVE_INFINITY)) {
      best = { name: candidate, distance: far };
    }
  }
  return best?.name ?? begunName(target, names);
};

/** Gives the clause to append to a message, or an empty text. */
export const didYouMean = (name: string, names: Iterable<string>): string => {
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
};

const MAX_LISTED = 30;

/** Says that a name is not known, and which one is meant or which there are. */
export const unknownNameText = (name: string, names: Iterable<string>): string => {
  const list = [...names];
  const listed = list.length <= MAX_LISTED ? `; known are ${list.join(', ')}` : '';
  return `is not known${didYouMean(name, list) || listed}`;
};
