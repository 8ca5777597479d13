/**
 * Finds secrets that are spread over the items of a list or the fields of an object: known values cut
 * in two, private keys line by line, flags and their values in the arguments of a program.
 */
import { isRecord } from '../../kit/data/is-record.ts';
import { programOf, secretWords } from './command-secrets.ts';
import { findJwkMembers } from './keys/jwk-members.ts';
import { findPrivateKeys } from './keys/private-keys.ts';
import { MIN_SECRET_LENGTH } from './known/encoded-forms.ts';
import type { SecretFinder } from './secret-finder.ts';
import { mergeSpans, replaceSpans, type Span } from './span.ts';

/** A text in a list or an object: its item or field, and the field of the item. */
interface Member {
  readonly at: string | number;
  readonly field?: string;
  readonly text: string;
}

interface Hit {
  readonly member: Member;
  readonly spans: readonly Span[];
}

/** A part of a member inside a joined text. */
interface Part extends Span {
  readonly member: Member;
  /** Where the part starts in its member. */
  readonly offset: number;
}

/** Longer texts are not joined to see whether they may hold a known value. */
const MAX_JOINED = 4096;

type Fields = Readonly<Record<string | number, unknown>>;

/** More fields than this in an item are no parts of one text. */
const MAX_FIELDS = 16;
const PROGRAM_FIELDS = ['command', 'program', 'cmd', 'executable', 'file', 'path', 'name'];
const MAX_FIRST_FLAG = 64;
/** The program may stand behind `sudo` or `env`. */
const MAX_BEFORE_PROGRAM = 3;

const fieldGroups = (items: readonly unknown[]): readonly (readonly Member[])[] => {
  const groups = new Map<string, Member[]>();
  for (const [at, item] of items.entries()) {
    if (!isRecord(item)) continue;
    for (const field of Object.keys(item).slice(0, MAX_FIELDS)) {
      const text = item[field];
      if (typeof text !== 'string') continue;
      const group = groups.get(field);
      if (group) group.push({ at, field, text });
      else groups.set(field, [{ at, field, text }]);
    }
  }
  return [...groups.values()];
};

/** Groups the texts that may be one text together, in order. */
const groupsOf = (source: object): readonly (readonly Member[])[] => {
  const direct: Member[] = [];
  const entries: Iterable<readonly [string | number, unknown]> = Array.isArray(source)
    ? source.entries()
    : Object.entries(source);
  for (const [at, text] of entries) if (typeof text === 'string') direct.push({ at, text });
  return Array.isArray(source) ? [direct, ...fieldGroups(source)] : [direct];
};

/** Returns the texts to search: of long members only the ends, because the middle was searched already. */
const partsOf = (group: readonly Member[], reach: number): readonly (readonly Part[])[] => {
  const lists: Part[][] = [];
  let list: Part[] = [];
  let length = 0;
  const add = (member: Member, offset: number, size: number): void => {
    list.push({ member, offset, from: length, to: length + size });
    length += size;
  };
  for (const member of group) {
    const size = member.text.length;
    if (size <= reach * 2) {
      add(member, 0, size);
      continue;
    }
    add(member, 0, reach);
    lists.push(list);
    list = [];
    length = 0;
    add(member, size - reach, reach);
  }
  lists.push(list);
  return lists.filter((parts) => parts.length > 1);
};

const textOf = ({ member, offset, from, to }: Part): string =>
  member.text.slice(offset, offset + to - from);

/** Brings spans of a joined text back to the members; both are in order. */
const hitsOf = (parts: readonly Part[], spans: readonly Span[]): readonly Hit[] => {
  const hits: Hit[] = [];
  let first = 0;
  for (const part of parts) {
    while (first < spans.length && (spans[first] as Span).to <= part.from) first++;
    const own: Span[] = [];
    for (let at = first; at < spans.length && (spans[at] as Span).from < part.to; at++) {
      const { from, to } = spans[at] as Span;
      const start = Math.max(from, part.from) - part.from + part.offset;
      own.push({ from: start, to: Math.min(to, part.to) - part.from + part.offset });
    }
    if (own.length > 0) hits.push({ member: part.member, spans: own });
  }
  return hits;
};

const crosses = (parts: readonly Part[], span: Span): boolean => {
  let low = 0;
  let high = parts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((parts[middle] as Part).from <= span.from) low = middle;
    else high = middle;
  }
  return (parts[low] as Part).to < span.to;
};

const knownHits = (group: readonly Member[], finder: SecretFinder): readonly Hit[] => {
  const reach = finder.known.longest * 2;
  return partsOf(group, reach).flatMap((parts) => {
    if ((parts.at(-1) as Part).to < MIN_SECRET_LENGTH) return [];
    const spans = mergeSpans(
      finder.known.find(parts.map(textOf).join('')).filter((span) => crosses(parts, span)),
    );
    return spans.length === 0 ? [] : hitsOf(parts, spans);
  });
};

const keyHits = (group: readonly Member[]): readonly Hit[] => {
  const parts: Part[] = [];
  let length = 0;
  for (const member of group) {
    parts.push({ member, offset: 0, from: length, to: length + member.text.length });
    length += member.text.length + 1;
  }
  const joined = group.map(({ text }) => text).join('\n');
  return hitsOf(parts, mergeSpans([...findPrivateKeys(joined), ...findJwkMembers(joined)]));
};

/** Finds the secrets among the arguments of a program. */
const argumentHits = (args: readonly unknown[], first: number, program: string): readonly Hit[] => {
  const texts = args.slice(first).map((arg) => (typeof arg === 'string' ? arg : ''));
  return secretWords(program, texts).map(({ word, from, to }) => ({
    member: { at: first + word, text: texts[word] as string },
    spans: [{ from, to }],
  }));
};

/** Tells whether one of the first items is a flag: nearly all lists have none. */
const hasFlag = (items: readonly unknown[]): boolean => {
  const end = Math.min(items.length, MAX_FIRST_FLAG);
  for (let at = 1; at < end; at++) {
    const item = items[at];
    if (typeof item === 'string' && item.charCodeAt(0) === 45) return true;
  }
  return false;
};

/** Tells whether a list may be a command, or an object one of a program and its arguments. */
export const mayHoldArguments = (source: object): boolean =>
  Array.isArray(source)
    ? hasFlag(source)
    : (source as Fields).args !== undefined || (source as Fields).arguments !== undefined;

const vectorHits = (source: readonly unknown[]): readonly Hit[] => {
  for (let at = 0; at < MAX_BEFORE_PROGRAM && at < source.length - 1; at++) {
    const word = source[at];
    const program = typeof word === 'string' ? programOf(word) : undefined;
    if (program !== undefined) return argumentHits(source, at + 1, program);
  }
  return [];
};

/** Takes the spans out of a member, unless it was changed before; then all of it goes. */
const cleanText = ({ member, spans }: Hit, now: unknown, instead: string): string =>
  now === member.text ? replaceSpans(member.text, mergeSpans(spans), instead) : instead;

const applied = (clean: object, hits: readonly Hit[], instead: string): object => {
  const copy = (Array.isArray(clean) ? [...clean] : { ...clean }) as Record<string, unknown>;
  for (const hit of hits) {
    const { at, field } = hit.member;
    const now = copy[at];
    if (field === undefined) copy[at] = cleanText(hit, now, instead);
    else if (isRecord(now)) copy[at] = { ...now, [field]: cleanText(hit, now[field], instead) };
  }
  return copy;
};

/** Tells whether a text of the copy is still what the source has. */
const isUntouched = (clean: object, { member: { at, field, text } }: Hit): boolean => {
  const item = (clean as Fields)[at];
  return (field === undefined ? item : isRecord(item) ? item[field] : undefined) === text;
};

export class SplitSecrets {
  readonly #finder: SecretFinder;
  readonly #instead: string;

  constructor(finder: SecretFinder, instead: string) {
    this.#finder = finder;
    this.#instead = instead;
  }

  /**
   * Tells whether known values may be spread over the texts of a list or object. Saves the search
   * of nearly all small objects; of large ones, and of lists of objects, it is not judged.
   */
  mayHoldKnown(source: object): boolean {
    let joined = '';
    let texts = 0;
    for (const key in source) {
      const member: unknown = (source as Fields)[key];
      if (typeof member === 'string') {
        joined += member;
        texts++;
        if (joined.length > MAX_JOINED) return true;
      } else if (Array.isArray(source) && isRecord(member)) {
        return true;
      }
    }
    return texts > 1 && this.#finder.known.mayHold(joined);
  }

  /**
   * Looks at a list or object as a whole, after its parts were cleaned one by one. `keysBefore` is
   * `keysFound` of the finder before that: when it has grown, a part holds a piece of a key.
   */
  clean<T extends object>(source: T, clean: T, keysBefore: number): T {
    const { known: values, keysFound } = this.#finder;
    const hits: Hit[] = [];
    if (Array.isArray(source) && hasFlag(source)) hits.push(...vectorHits(source));
    if (!values.empty || keysFound !== keysBefore) {
      for (const group of groupsOf(source)) {
        if (group.length < 2) continue;
        if (!values.empty) hits.push(...knownHits(group, this.#finder));
        if (keysFound === keysBefore) continue;
        hits.push(...keyHits(group).filter((hit) => isUntouched(clean, hit)));
      }
    }
    const whole = hits.length === 0 ? clean : (applied(clean, hits, this.#instead) as T);
    return Array.isArray(source) ? whole : this.#withArguments(whole);
  }

  /** Redacts arguments whose program stands in a field beside them. */
  #withArguments<T extends object>(source: T): T {
    const fields: Fields = source as Fields;
    const args = fields.args ?? fields.arguments;
    if (!Array.isArray(args)) return source;
    const program = PROGRAM_FIELDS.map((field) => fields[field]).find(
      (value) => typeof value === 'string' && programOf(value) !== undefined,
    );
    if (typeof program !== 'string') return source;
    const hits = argumentHits(args, 0, programOf(program) as string);
    if (hits.length === 0) return source;
    const name = args === fields.args ? 'args' : 'arguments';
    return { ...source, [name]: applied(args, hits, this.#instead) };
  }
}
