/** Finds things with a name or a value in a text: addresses, dates, money, numbers, proper names. */
import type { Reading, Token } from './english.ts';

export interface Entity {
  readonly type: string;
  readonly value: string;
  readonly count: number;
}

type Bare = Omit<Entity, 'count'>;

const ADDRESS =
  /\b(?<url>(?:https?|ftp):\/\/[^\s<>"'`{}|\\^、。「」（）]{1,2000})|(?<email>[\w.%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+)/giu;

const CLOSERS: Readonly<Record<string, string>> = { ')': '(', ']': '[' };

const countOf = (text: string, mark: string): number => text.split(mark).length - 1;

/** Cuts the punctuation of the sentence off an address. */
const bareAddress = (address: string): string => {
  let end = address.length;
  for (; end > 0; end -= 1) {
    const last = address[end - 1] ?? '';
    const opener = CLOSERS[last];
    const shortened = address.slice(0, end);
    if (opener ? countOf(shortened, opener) >= countOf(shortened, last) : !'.,;:!?…'.includes(last))
      break;
  }
  return address.slice(0, end);
};

/** Takes addresses out of a text before the library reads it: it misreads those in brackets. */
const takeAddresses = (text: string): { rest: string; addresses: readonly Bare[] } => {
  const addresses: Bare[] = [];
  const rest = text.replaceAll(ADDRESS, (match, url: string | undefined) => {
    const value = bareAddress(match);
    addresses.push({ type: url ? 'URL' : 'EMAIL', value });
    return ` ${match.slice(value.length)}`;
  });
  return { rest, addresses };
};

const PARTICLES: ReadonlySet<string> = new Set(
  'van von de der den da di del la le du bin al'.split(' '),
);

const isCapital = ({ text, kind, stop }: Token): boolean =>
  kind === 'word' && !stop && /^\p{Lu}/u.test(text);

/** Finds the index after the name that begins at `start`: capitals, and particles and hyphens between. */
const endOfName = (tokens: readonly Token[], start: number, isFree: (i: number) => boolean) => {
  const isPartOfName = (i: number): boolean => {
    const token = tokens[i];
    return token !== undefined && isFree(i) && isCapital(token);
  };
  let end = start + 1;
  for (;;) {
    const link = tokens[end];
    const links =
      link !== undefined && (PARTICLES.has(link.text) || (link.text === '-' && !link.gap));
    if (isPartOfName(end)) end += 1;
    else if (links && isPartOfName(end + 1)) end += 2;
    else return end;
  }
};

const textOf = (tokens: readonly Token[]): string =>
  tokens.map(({ gap, text }, i) => (i === 0 || !gap ? text : ` ${text}`)).join('');

/** Runs of capitalised words with a proper noun among them. */
const namesIn = ({ tokens, entities }: Reading): readonly Bare[] => {
  const entityTokens = new Set<number>();
  for (const { span } of entities) for (let i = span[0]; i <= span[1]; i += 1) entityTokens.add(i);
  const isFree = (i: number) => !entityTokens.has(i);
  const names: Bare[] = [];
  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i];
    if (!token || !isFree(i) || !isCapital(token)) continue;
    const end = endOfName(tokens, i, isFree);
    const name = tokens.slice(i, end);
    if (name.some(({ speech }) => speech === 'PROPN'))
      names.push({ type: 'NAME', value: textOf(name) });
    i = end - 1;
  }
  return names;
};

/** Lists every entity once: addresses first, then what the reader knows, then names. */
export const findEntities = async (
  text: string,
  read: (text: string) => Promise<Reading | undefined>,
): Promise<readonly Entity[]> => {
  const { rest, addresses } = takeAddresses(text);
  const reading = await read(rest);
  const names = reading ? [...reading.entities, ...namesIn(reading)] : [];
  const counts = new Map<string, Entity>();
  for (const { type, value } of [...addresses, ...names]) {
    const key = `${type} ${value}`;
    counts.set(key, { type, value, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
};
