/** Every text of a definition that a model might read, with its place: values, and keys that are more than names. */

export interface PlacedText {
  readonly path: string;
  readonly text: string;
}

const NAME_LIKE = /^[\w$.:-]{1,64}$/;

const placeOf = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`;
  const shown = NAME_LIKE.test(key) ? key : '?';
  return path === '' ? shown : `${path}.${shown}`;
};

const collect = (path: string, value: unknown, found: PlacedText[]): void => {
  if (typeof value === 'string') found.push({ path, text: value });
  if (typeof value !== 'object' || value === null) return;
  const pairs = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of pairs) {
    const place = placeOf(path, key);
    if (typeof key === 'string' && !NAME_LIKE.test(key)) found.push({ path: place, text: key });
    collect(place, member, found);
  }
};

/** Of plain data that was bounded before: it recurses. */
export const definitionTexts = (definition: unknown): readonly PlacedText[] => {
  const found: PlacedText[] = [];
  collect('', definition, found);
  return found;
};
