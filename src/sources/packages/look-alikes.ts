/** Finds installed packages that the name of a new one could be mistaken for. */
import { distance } from 'fastest-levenshtein';

/** Letters and pairs that look alike in common fonts. */
const ALIKE: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/cl/g, 'd'],
  [/0/g, 'o'],
  [/[1i]/g, 'l'],
  [/5/g, 's'],
  [/[._~-]/g, ''],
];

/** Gives names that look alike the same form. */
const skeleton = (name: string): string =>
  ALIKE.reduce((form, [pattern, letter]) => form.replace(pattern, letter), name);

const scopeOf = (name: string): string =>
  name.startsWith('@') ? name.slice(0, name.indexOf('/')) : '';
const bareName = (name: string): string => name.slice(name.indexOf('/') + 1);
/** Spells a scope as part of the name: `@acme/tools` and `acme-tools`. */
const flat = (name: string): string => name.replace('@', '').replace('/', '-');

const MAX_DISTANCE = 1;
/** In shorter names one letter makes a different word. */
const MIN_LENGTH = 4;

const alikeness = (name: string, other: string): string | undefined => {
  if (skeleton(name) === skeleton(other)) return `${other} is installed, which looks the same`;
  if (scopeOf(name) !== scopeOf(other)) {
    const isSame =
      bareName(name) === bareName(other) || skeleton(flat(name)) === skeleton(flat(other));
    if (isSame) return `${other} is installed, with another scope`;
  }
  const isShort = Math.min(name.length, other.length) < MIN_LENGTH;
  return !isShort && distance(name, other) <= MAX_DISTANCE
    ? `${other} is installed, which differs by one letter`
    : undefined;
};

const OUR_NAME = 'toolcrib';

/** Tells whether a package gives itself out as ours, or nearly: we publish no packages of tools. */
const claimsOurName = (name: string): boolean =>
  [scopeOf(name).slice(1), bareName(name)].some(
    (part) => skeleton(part) === skeleton(OUR_NAME) || distance(part, OUR_NAME) <= MAX_DISTANCE,
  );

/** Gives a sentence for each; a package of the very same name is no look-alike. */
export const lookAlikes = (name: string, installed: Iterable<string>): readonly string[] => [
  ...(claimsOurName(name)
    ? [`it bears the name of ${OUR_NAME} itself, and is not from there`]
    : []),
  ...[...installed].flatMap((other) => (other === name ? [] : (alikeness(name, other) ?? []))),
];
