/**
 * Entities of a text: dates, amounts and addresses as the language library finds them, and names,
 * told apart by the words around them and by the places every computer knows.
 */
import type { Sentence, Word } from './language-reader.ts';

export interface Entity {
  readonly text: string;
  /** PERSON, ORGANIZATION, PLACE, NAME, or a kind of the library such as DATE or MONEY. */
  readonly type: string;
  readonly count: number;
}

const TITLES = new Set(
  'mr mrs ms miss dr prof professor sir dame lord lady president minister senator judge captain king queen saint'.split(
    ' ',
  ),
);
const BODIES = new Set(
  'inc ltd llc plc corp corporation company co gmbh ag sa university college institute school bank ministry department agency commission committee council association foundation society party union group press court parliament museum hospital church'.split(
    ' ',
  ),
);
const GROUNDS = new Set(
  'city street avenue road river lake mount mountain island islands valley bay sea ocean desert park bridge airport station republic kingdom province county'.split(
    ' ',
  ),
);
const JOINTS = new Set(['of', 'the', 'de', 'van', 'von', 'la', 'del', 'and']);

/** Countries and the cities time zones are named after: a small gazetteer that ships with ICU. */
export const listPlaces = (): ReadonlySet<string> => {
  const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
  const codes = [...letters].flatMap((a) => [...letters].map((b) => a + b));
  const countries = codes.flatMap((code) => regions.of(code) ?? []);
  const cities = Intl.supportedValuesOf('timeZone').map((zone) =>
    (zone.split('/').at(-1) ?? '').replaceAll('_', ' '),
  );
  return new Set([...countries, ...cities].map((place) => place.toLowerCase()));
};

const bare = (text: string): string => text.toLowerCase().replace(/\.$/, '');

/** Runs of proper nouns; `of` and the like may stand between two, as in University of Oslo. */
const namesIn = (words: readonly Word[]): readonly (readonly Word[])[] => {
  const names: Word[][] = [];
  let run: Word[] = [];
  for (const [at, word] of words.entries()) {
    const isName = word.tag === 'PROPN' && /^\p{Lu}/u.test(word.text);
    const joins = run.length > 0 && JOINTS.has(word.text) && word.text !== 'and';
    if (isName || (joins && words[at + 1]?.tag === 'PROPN')) run.push(word);
    else {
      if (run.length > 0) names.push(run);
      run = [];
    }
  }
  return run.length > 0 ? [...names, run] : names;
};

const kindOf = (parts: readonly string[], places: ReadonlySet<string>): string => {
  const [first = ''] = parts;
  if (parts.length > 1 && TITLES.has(first)) return 'PERSON';
  if (parts.some((part) => BODIES.has(part))) return 'ORGANIZATION';
  if (places.has(parts.join(' ')) || parts.some((part) => GROUNDS.has(part))) return 'PLACE';
  return 'NAME';
};

const entitiesIn = (
  { words, entities }: Sentence,
  places: ReadonlySet<string>,
): readonly Omit<Entity, 'count'>[] => {
  const known = entities.map(({ value, type }) => ({ text: value.trim(), type }));
  // "5 May 2024" holds a proper noun, and is no name.
  const taken = known.map(({ text }) => text);
  const names = namesIn(words)
    .map((run) => ({ text: run.map(({ text }) => text).join(' '), run }))
    .filter(({ text }) => !taken.some((span) => span.includes(text)))
    .map(({ text, run }) => ({
      text,
      type: kindOf(
        run.map((word) => bare(word.text)),
        places,
      ),
    }));
  return [...names, ...known];
};

/** Each entity once, in the order of the text, with how often it occurs. */
export const nameEntities = (
  sentences: readonly Sentence[],
  places: ReadonlySet<string>,
): readonly Entity[] => {
  const found = new Map<string, { text: string; type: string; count: number }>();
  for (const entity of sentences.flatMap((sentence) => entitiesIn(sentence, places))) {
    const key = `${entity.type} ${entity.text.toLowerCase()}`;
    const known = found.get(key);
    if (known) known.count += 1;
    else found.set(key, { ...entity, count: 1 });
  }
  return [...found.values()];
};
