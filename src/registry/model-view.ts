/** Shows the catalog to models: definitions in each provider's dialect, and what they cost in tokens. */
import type {
  Catalog,
  CatalogEntry,
  ModelProvider,
  ModelTools,
  TokenReport,
} from '../contract/catalog.ts';
import type { Tool, ToolSource } from '../contract/tool.ts';
import { anthropicTool } from './for-model/anthropic.ts';
import { below, type Defined, type Loss, type Shown } from './for-model/definition.ts';
import { geminiTool } from './for-model/gemini.ts';
import { mcpTool } from './for-model/mcp.ts';
import { openaiTool } from './for-model/openai.ts';
import type { ReadyState } from './load/ready-state.ts';
import { familyOf, listEntries } from './lookup.ts';
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
  // Such a tool cannot run here. A provider would refuse the whole request, or fetch the reference.
  const foreign = foreignReference(shown.input);
  return foreign ? { losses: [foreign] } : DIALECTS[provider](shown);
};

const MAX_NODES = 20_000;

interface Visited {
  readonly value: object;
  readonly key: string;
  readonly parent: Visited | undefined;
}

const pathOf = ({ key, parent }: Visited): string => (parent ? below(pathOf(parent), key) : '');

const foreignReference = (schema: object): Loss | undefined => {
  const nodes: Visited[] = [{ value: schema, key: '', parent: undefined }];
  for (const node of nodes) {
    for (const [key, inner] of Object.entries(node.value) as [string, unknown][]) {
      if (key === '$ref' && typeof inner === 'string' && !inner.startsWith('#')) {
        return { path: pathOf(node), lost: '$ref' };
      }
      if (typeof inner === 'object' && inner !== null) {
        nodes.push({ value: inner, key, parent: node });
      }
    }
    if (nodes.length > MAX_NODES) return { path: '', lost: 'size' };
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
    tokens: async (name) => tokens(families.entry(familyOf(families, name))),
    async tokenReport(filter) {
      const entries = listEntries(families, filter);
      const counts = await Promise.all(entries.map(tokens));
      return sumTokens(entries.map(({ tool }, at) => ({ tool, tokens: counts[at] ?? 0 })));
    },
    forModel(provider, filter) {
      const entries = listEntries(families, { ...filter, enabled: true });
      return gather(entries, (entry) => definitions(provider, entry));
    },
    inputSchema: (name) => families.state(familyOf(families, name)).json('input') ?? {},
    outputSchema: (name) => families.state(familyOf(families, name)).json('output'),
  };
};

const registeredOf = (families: ToolFamilies, { tool }: CatalogEntry): Registered | undefined =>
  families.named(tool.name)?.versions.get(tool.version);

const stateOf = (families: ToolFamilies, entry: CatalogEntry): ReadyState =>
  families.state(familyOf(families, entry.tool.name), registeredOf(families, entry));

/** Computes a value once a version, and again when the version is replaced or its wire name changes. */
const createMemo = <T>(families: ToolFamilies, make: (entry: CatalogEntry) => T) => {
  const memo = new WeakMap<Registered, { readonly wireName: string; readonly value: T }>();
  return (entry: CatalogEntry): T => {
    const registered = registeredOf(families, entry);
    const cached = registered && memo.get(registered);
    if (cached?.wireName === entry.wireName) return cached.value;
    const value = make(entry);
    if (registered) memo.set(registered, { wireName: entry.wireName, value });
    return value;
  };
};

const createDefinitions = (families: ToolFamilies) => {
  const define =
    (provider: ModelProvider) =>
    (entry: CatalogEntry): Defined => {
      const { tool, wireName } = entry;
      try {
        const state = stateOf(families, entry);
        const [input = {}, output] = [state.json('input'), state.json('output')];
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
    const parameters = stateOf(families, entry).json('input') ?? {};
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

/** The tokenizer is quadratic over long runs of one kind of character, so such a text is counted in pieces. */
const LONG_RUN = /\p{L}{2000}|\s{2000}|[^\p{L}\s]{2000}/u;
const PIECE_LENGTH = 2_000;

/** Counts with a real tokenizer, loaded at the first count. */
export const countTokens = async (definition: Record<string, unknown>): Promise<number> => {
  const { countTokens: count } = await import('gpt-tokenizer/encoding/o200k_base');
  // A text that spells out a special token is text all the same.
  const options = { disallowedSpecial: new Set<string>() };
  return pieces(JSON.stringify(definition)).reduce((sum, text) => sum + count(text, options), 0);
};

const pieces = (text: string): readonly string[] => {
  if (!LONG_RUN.test(text)) return [text];
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += PIECE_LENGTH) {
    parts.push(text.slice(at, at + PIECE_LENGTH));
  }
  return parts;
};

interface Counted {
  readonly tool: Tool;
  readonly tokens: number;
}

const sumTokens = (counted: readonly Counted[]): TokenReport => {
  const bySource: Partial<Record<ToolSource, number>> = {};
  for (const { tool, tokens } of counted) {
    bySource[tool.source] = (bySource[tool.source] ?? 0) + tokens;
  }
  return {
    total: counted.reduce((sum, { tokens }) => sum + tokens, 0),
    bySource,
    byTool: counted.map(({ tool, tokens }) => ({ tool: tool.name, tokens })),
  };
};
