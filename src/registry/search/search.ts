/** Searches names, descriptions, tags and parameter names; ranks the matches and tolerates typing errors. */
import type { CatalogEntry, SearchHit, SearchQuery } from '../../contract/catalog.ts';
import type { SchemaSource } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { isRecord } from '../../kit/data/is-record.ts';
import { matcher } from '../filter.ts';
import { declaredSchema } from '../schema/compile-schema.ts';
import type { ToolFamilies } from '../tool-families.ts';
import { type SearchField, SearchIndex } from './search-index.ts';

/** How often and when a tool was called. */
interface Usage {
  readonly calls: number;
  readonly lastUsedAt: number;
  readonly averageMs: number;
}

export type UsageOf = (tool: string) => Usage | undefined;

const MAX_DEPTH = 4;
const MAX_NAMES = 100;

/** Reads the parameter names off an input schema without converting or compiling it. */
const parameterNames = (source: SchemaSource | undefined): readonly string[] => {
  const names = new Set<string>();
  collect(source, names, 0);
  return [...names].slice(0, MAX_NAMES);
};

/** Collects the fields of an object schema, also inside unions, intersections and wrappers. */
const collect = (schema: unknown, names: Set<string>, depth: number): void => {
  if (!isRecord(schema) || depth > MAX_DEPTH) return;
  const zod = schema._zod;
  const parts = isRecord(zod) ? zod.def : schema;
  if (!isRecord(parts)) return;
  const fields = isRecord(zod) ? parts.shape : parts.properties;
  if (isRecord(fields)) for (const name of Object.keys(fields)) names.add(name);
  for (const key of isRecord(zod) ? ZOD_INNER : JSON_INNER) {
    const inner = parts[key];
    if (Array.isArray(inner)) for (const branch of inner) collect(branch, names, depth + 1);
    else if (isRecord(inner)) collect(inner, names, depth + 1);
  }
};

const ZOD_INNER = ['options', 'innerType', 'in', 'left', 'right'];
const JSON_INNER = ['oneOf', 'anyOf', 'allOf'];

export interface Search {
  /** Marks a tool as changed; the index reads it again before the next search. */
  touch(name: string): void;
  find(query: string | SearchQuery): readonly SearchHit[];
}

export interface SearchDeps {
  readonly families: Pick<ToolFamilies, 'named' | 'all' | 'entry'>;
  readonly usage: UsageOf;
}

const DEFAULT_LIMIT = 20;
const MAX_DESCRIPTION = 1_000;

export const createSearch = ({ families, usage }: SearchDeps): Search => {
  const index = new SearchIndex();
  const stale = new Set<string>();

  const entry = (name: string): CatalogEntry | undefined => {
    const family = families.named(name);
    return family && families.entry(family);
  };

  const refresh = (): void => {
    for (const name of stale) {
      const changed = entry(name);
      if (changed) index.put(name, fieldsOf(changed.tool));
      else index.remove(name);
    }
    stale.clear();
  };

  return {
    touch: (name) => void stale.add(name),
    find(textOrQuery) {
      const query: SearchQuery =
        typeof textOrQuery === 'string' ? { text: textOrQuery } : textOrQuery;
      const { text, rankBy = 'relevance', fuzzy = true, limit = DEFAULT_LIMIT } = query;
      const fits = matcher(query.filter);
      const ranking = new Ranking<CatalogEntry>(limit, (name) => {
        const candidate = entry(name);
        return candidate && !candidate.quarantine && fits(candidate) ? candidate : undefined;
      });
      const key = rankKey(rankBy, usage);
      const offer = (name: string, score: number): void =>
        ranking.offer(name, score, key(name, score));
      if (text.trim() === '') for (const { name } of families.all()) offer(name, 0);
      else {
        refresh();
        index.find(text, fuzzy, offer);
      }
      return ranking.list().map(({ value, score }) => ({ entry: value, score }));
    },
  };
};

const fieldsOf = (tool: Tool): readonly SearchField[] => [
  { text: tool.name, weight: 4 },
  { text: (tool.tags ?? []).join(' '), weight: 2 },
  { text: (tool.aliases ?? []).join(' '), weight: 2 },
  { text: parameterNames(declaredSchema(tool, 'input')).join(' '), weight: 1 },
  { text: tool.description.slice(0, MAX_DESCRIPTION), weight: 1.5 },
];

/** Gives the sort key: the higher, the earlier. Tools that were never used come last. */
const rankKey = (
  rankBy: NonNullable<SearchQuery['rankBy']>,
  usage: UsageOf,
): ((name: string, score: number) => number) => {
  switch (rankBy) {
    case 'popularity':
      return (name) => usage(name)?.calls ?? 0;
    case 'recent':
      return (name) => usage(name)?.lastUsedAt ?? 0;
    case 'performance':
      return (name) => -(usage(name)?.averageMs ?? Number.POSITIVE_INFINITY);
    default:
      return (_name, score) => score;
  }
};

interface Ranked<T> {
  readonly name: string;
  readonly score: number;
  readonly key: number;
  readonly value: T;
}

/** Keeps the best few of many in order, without sorting or looking up the rest. */
class Ranking<T> {
  readonly #limit: number;
  /** Looks up a name that scores high enough; nothing rejects it. */
  readonly #admit: (name: string) => T | undefined;
  readonly #top: Ranked<T>[] = [];

  constructor(limit: number, admit: (name: string) => T | undefined) {
    this.#limit = limit;
    this.#admit = admit;
  }

  /** Ranks by key, then score, then name, so that the order is stable. */
  offer(name: string, score: number, key: number): void {
    const last = this.#top[this.#limit - 1];
    if (this.#limit < 1 || (last && !isBefore({ name, score, key }, last))) return;
    const value = this.#admit(name);
    if (value === undefined) return;
    const ranked = { name, score, key, value };
    this.#top.splice(this.#indexFor(ranked), 0, ranked);
    if (this.#top.length > this.#limit) this.#top.pop();
  }

  list(): readonly Ranked<T>[] {
    return this.#top;
  }

  #indexFor(ranked: Ranked<T>): number {
    let low = 0;
    let high = this.#top.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = this.#top[middle];
      if (other && isBefore(other, ranked)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

type Order = Pick<Ranked<unknown>, 'name' | 'score' | 'key'>;

const isBefore = (a: Order, b: Order): boolean => {
  if (a.key !== b.key) return a.key > b.key;
  return a.score === b.score ? a.name < b.name : a.score > b.score;
};
