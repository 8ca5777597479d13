/** The catalog as a model sees it: definitions in each provider's dialect, and what they cost in tokens. */
import type { Catalog, CatalogEntry, ModelProvider, ModelTools } from '../contract/catalog.ts';
import type { JsonSchema } from '../contract/schema.ts';
import { anthropicTool } from './for-model/anthropic.ts';
import { below, type Defined, type Loss, type Shown } from './for-model/definition.ts';
import { geminiTool } from './for-model/gemini.ts';
import { mcpTool } from './for-model/mcp.ts';
import { openaiTool } from './for-model/openai.ts';
import { known, listEntries } from './lookup.ts';
import { countTokens, sumTokens } from './tokens.ts';
import type { ToolFamilies } from './tool-families.ts';
import type { Registered } from './versions.ts';

/** One tool in the dialect of one provider. */
const DIALECTS: Readonly<Record<ModelProvider, (shown: Shown) => Defined>> = {
  openai: openaiTool,
  anthropic: anthropicTool,
  gemini: geminiTool,
  mcp: mcpTool,
};

const defineFor = (provider: ModelProvider, shown: Shown): Defined => {
  // Such a tool cannot run either; sent along, it would fail the whole request or be fetched by the other side.
  const foreign = foreignReference(shown.input);
  return foreign ? { losses: [foreign] } : DIALECTS[provider](shown);
};

const MAX_PLACES = 20_000;

const foreignReference = (schema: unknown): Loss | undefined => {
  const places: { readonly value: unknown; readonly path: string }[] = [
    { value: schema, path: '' },
  ];
  for (const { value, path } of places) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) {
        return { path, lost: '$ref' };
      }
      if (typeof inner === 'object') places.push({ value: inner, path: below(path, key) });
    }
    if (places.length > MAX_PLACES) return { path: '', lost: 'size' };
  }
  return undefined;
};

export type ModelView = Pick<
  Catalog,
  'tokens' | 'tokenReport' | 'forModel' | 'inputSchema' | 'outputSchema'
>;

export const createModelView = (families: ToolFamilies): ModelView => {
  const definitions = createDefinitions(families);
  const tokens = createTokenCounts(families);

  return {
    tokens: async (name) => tokens(families.entry(known(families, name))),
    async tokenReport(filter) {
      const entries = listEntries(families, filter);
      const counts = await Promise.all(entries.map(tokens));
      return sumTokens(entries.map(({ tool }, at) => ({ tool, tokens: counts[at] ?? 0 })));
    },
    forModel(provider, filter) {
      const entries = listEntries(families, { ...filter, enabled: true });
      return gather(entries, (entry) => definitions(provider, entry));
    },
    inputSchema: (name) => schemasOf(families, families.entry(known(families, name))).input,
    outputSchema: (name) => schemasOf(families, families.entry(known(families, name))).output,
  };
};

/** The version an entry stands for, and its schemas. */
const registeredOf = (families: ToolFamilies, { tool }: CatalogEntry): Registered | undefined =>
  families.named(tool.name)?.versions.get(tool.version);

const schemasOf = (families: ToolFamilies, entry: CatalogEntry) => {
  const family = known(families, entry.tool.name);
  const state = families.state(family, registeredOf(families, entry));
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
const createMemo = <T>(families: ToolFamilies, make: (entry: CatalogEntry) => T) => {
  const kept = new WeakMap<Registered, { readonly wireName: string; readonly value: T }>();
  return (entry: CatalogEntry): T => {
    const registered = registeredOf(families, entry);
    const known = registered && kept.get(registered);
    if (known?.wireName === entry.wireName) return known.value;
    const value = make(entry);
    if (registered) kept.set(registered, { wireName: entry.wireName, value });
    return value;
  };
};

const createDefinitions = (families: ToolFamilies) => {
  const define =
    (provider: ModelProvider) =>
    (entry: CatalogEntry): Defined => {
      const { tool, wireName } = entry;
      try {
        const { input, output } = schemasOf(families, entry);
        return defineFor(provider, { tool, wireName, input, output });
      } catch {
        // A Zod schema without a JSON Schema form: one such tool must not hide all the others.
        return { losses: [{ path: '', lost: 'schema' }] };
      }
    };
  const memos = {
    openai: createMemo(families, define('openai')),
    anthropic: createMemo(families, define('anthropic')),
    gemini: createMemo(families, define('gemini')),
    mcp: createMemo(families, define('mcp')),
  };
  return (provider: ModelProvider, entry: CatalogEntry): Defined => memos[provider](entry);
};

const createTokenCounts = (families: ToolFamilies) =>
  createMemo(families, (entry): Promise<number> => {
    const { tool, wireName } = entry;
    const parameters = schemasOf(families, entry).input;
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
