/** Ranked, typo-tolerant search over names, descriptions, tags and parameter names. */
import type { CatalogEntry, SearchHit, SearchQuery } from '../../contract/catalog.ts';
import type { SchemaSource } from '../../contract/schema.ts';
import type { Tool } from '../../contract/tool.ts';
import { matcher } from '../filter.ts';
import { declaredSchema } from '../schema/declared-schema.ts';
import type { ToolFamilies } from '../tool-families.ts';
import { Ranking } from './ranking.ts';
import { type SearchField, SearchIndex } from './search-index.ts';
import type { UsageOf } from './usage.ts';

/** The names of a tool's parameters, read off its input schema without converting or compiling it. */
const MAX_DEPTH = 4;
const MAX_NAMES = 100;

const parameterNames = (source: SchemaSource | undefined): readonly string[] => {
  const names = new Set<string>();
  collect(source, names, 0);
  return [...names].slice(0, MAX_NAMES);
};

/** Fields of an object, also where it hides in a union, an intersection or a wrapper. */
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

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export interface Search {
  /** Something about the tool of that name has changed; the index looks again before the next search. */
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
      const found = entry(name);
      if (found) index.put(name, fieldsOf(found.tool));
      else index.remove(name);
    }
    stale.clear();
  };

  return {
    touch: (name) => void stale.add(name),
    find(asked) {
      const query: SearchQuery = typeof asked === 'string' ? { text: asked } : asked;
      const { text, rankBy = 'relevance', fuzzy = true, limit = DEFAULT_LIMIT } = query;
      const fits = matcher(query.filter);
      const ranking = new Ranking<CatalogEntry>(limit, (name) => {
        const found = entry(name);
        return found && !found.quarantine && fits(found) ? found : undefined;
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

/** The higher, the earlier. What was never used comes last. */
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
