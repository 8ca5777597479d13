/** The catalog as a model sees it: definitions in each provider's dialect, and what they cost in tokens. */
import type { Catalog, CatalogEntry, ModelProvider, ModelTools } from '../contract/catalog.ts';
import type { JsonSchema } from '../contract/schema.ts';
import { defineFor } from './for-model/define-for.ts';
import type { Defined } from './for-model/definition.ts';
import { known, listEntries } from './lookup.ts';
import type { Shelf } from './shelf.ts';
import { countTokens, sumTokens } from './tokens.ts';
import type { Registered } from './versions.ts';

export type ModelView = Pick<
  Catalog,
  'tokens' | 'tokenReport' | 'forModel' | 'inputSchema' | 'outputSchema'
>;

export const createModelView = (shelf: Shelf): ModelView => {
  const definitions = createDefinitions(shelf);
  const tokens = createTokenCounts(shelf);

  return {
    tokens: async (name) => tokens(shelf.entry(known(shelf, name))),
    async tokenReport(filter) {
      const entries = listEntries(shelf, filter);
      const counts = await Promise.all(entries.map(tokens));
      return sumTokens(entries.map(({ tool }, at) => ({ tool, tokens: counts[at] ?? 0 })));
    },
    forModel(provider, filter) {
      const entries = listEntries(shelf, { ...filter, enabled: true });
      return gather(entries, (entry) => definitions(provider, entry));
    },
    inputSchema: (name) => schemasOf(shelf, shelf.entry(known(shelf, name))).input,
    outputSchema: (name) => schemasOf(shelf, shelf.entry(known(shelf, name))).output,
  };
};

/** The version an entry stands for, and its schemas. */
const registeredOf = (shelf: Shelf, { tool }: CatalogEntry): Registered | undefined =>
  shelf.named(tool.name)?.versions.get(tool.version);

const schemasOf = (shelf: Shelf, entry: CatalogEntry) => {
  const family = known(shelf, entry.tool.name);
  const state = shelf.state(family, registeredOf(shelf, entry));
  return {
    get input(): JsonSchema {
      return state.json('input') ?? {};
    },
    get output(): JsonSchema | undefined {
      return state.json('output');
    },
  };
};

/** Keeps something for each version until it is replaced or shown to models under another name. */
const createMemo = <T>(shelf: Shelf, make: (entry: CatalogEntry) => T) => {
  const kept = new WeakMap<Registered, { readonly wireName: string; readonly value: T }>();
  return (entry: CatalogEntry): T => {
    const registered = registeredOf(shelf, entry);
    const known = registered && kept.get(registered);
    if (known?.wireName === entry.wireName) return known.value;
    const value = make(entry);
    if (registered) kept.set(registered, { wireName: entry.wireName, value });
    return value;
  };
};

const createDefinitions = (shelf: Shelf) => {
  const define =
    (provider: ModelProvider) =>
    (entry: CatalogEntry): Defined => {
      const { tool, wireName } = entry;
      try {
        const { input, output } = schemasOf(shelf, entry);
        return defineFor(provider, { tool, wireName, input, output });
      } catch {
        // A Zod schema without a JSON Schema form: one such tool must not hide all the others.
        return { losses: [{ path: '', lost: 'schema' }] };
      }
    };
  const memos = {
    openai: createMemo(shelf, define('openai')),
    anthropic: createMemo(shelf, define('anthropic')),
    gemini: createMemo(shelf, define('gemini')),
    mcp: createMemo(shelf, define('mcp')),
  };
  return (provider: ModelProvider, entry: CatalogEntry): Defined => memos[provider](entry);
};

const createTokenCounts = (shelf: Shelf) =>
  createMemo(shelf, (entry): Promise<number> => {
    const { tool, wireName } = entry;
    const parameters = schemasOf(shelf, entry).input;
    return countTokens({ name: wireName, description: tool.description, parameters });
  });

const gather = (
  entries: readonly CatalogEntry[],
  define: (entry: CatalogEntry) => Defined,
): ModelTools => {
  const all = entries.map((entry) => ({ tool: entry.tool.name, ...define(entry) }));
  return {
    definitions: all.flatMap(({ definition }) => (definition ? [definition] : [])),
    losses: all.flatMap(({ tool, losses }) => losses.map((loss) => ({ tool, ...loss }))),
  };
};
