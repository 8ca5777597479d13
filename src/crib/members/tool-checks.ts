/** What the arguments of `crib.tools` have to be: of the catalog, the sets for frameworks and the lock. */
import type { Catalog, SearchQuery, ToolFilter } from '../../contract/catalog.ts';
import type { ToolLock } from '../../contract/lock.ts';
import type { AiSdkOptions, ToolSetOptions, ToolSets } from '../../contract/tool-sets.ts';
import {
  type ArgumentCheck,
  amount,
  fields,
  flag,
  list,
  listOf,
  name,
  oneOf,
  optional,
  text,
  texts,
  tool,
} from '../../kit/data/check-arguments.ts';
import type { MethodChecks } from './checked.ts';
import { callOptions } from './member-checks.ts';

const filter = fields({
  source: optional(texts),
  category: optional(texts),
  tier: optional(texts),
  tags: optional(texts),
  capabilities: optional(texts),
  range: optional(name),
  enabled: optional(flag),
} satisfies Record<keyof ToolFilter, ArgumentCheck>);

const searchQuery = fields({
  text: name,
  rankBy: optional(oneOf('relevance', 'popularity', 'recent', 'performance')),
  fuzzy: optional(flag),
  limit: optional(amount),
  filter: optional(filter),
} satisfies Record<keyof SearchQuery, ArgumentCheck>);

/** Checks a text or an object, and describes the problem for the kind that was given. */
const query: ArgumentCheck = (value) =>
  typeof value === 'object' && value !== null ? searchQuery(value) : name(value);

const provider = oneOf('openai', 'anthropic', 'gemini', 'mcp');

/** Each entry is checked when it is registered; here it only has to be readable. */
const readableTools = listOf((value) => {
  tool(value);
  return undefined;
});

export const CATALOG_CHECKS: MethodChecks<Catalog> = {
  register: { tool },
  registerAll: { tools: readableTools },
  unregister: { name, version: optional(name) },
  update: { tool },
  get: { name, version: optional(name) },
  has: { name },
  list: { filter: optional(filter) },
  search: { query },
  suggest: { name },
  versions: { name },
  setActive: { name, version: text },
  deprecate: { name, version: text },
  setEnabled: { name, enabled: flag },
  dependencies: { name: optional(name) },
  tokens: { name },
  tokenReport: { filter: optional(filter) },
  forModel: { provider, filter: optional(filter) },
  inputSchema: { name },
  outputSchema: { name },
};

export const SYNC_CATALOG = [
  'register',
  'registerAll',
  'get',
  'has',
  'list',
  'search',
  'suggest',
  'versions',
  'setActive',
  'deprecate',
  'setEnabled',
  'dependencies',
  'forModel',
  'inputSchema',
  'outputSchema',
] as const satisfies readonly (keyof Catalog)[];

const setFields: Record<keyof ToolSetOptions, ArgumentCheck> = {
  filter: optional(filter),
  names: optional(texts),
  caller: optional(callOptions),
  surface: optional(oneOf('full', 'search')),
  scope: optional(name),
};
const options = optional(fields(setFields));
const aiSdkOptions = optional(
  fields({
    ...setFields,
    streamProgress: optional(flag),
    approvalParts: optional(fields({ decidedBy: text, messages: optional(list) })),
  } satisfies Record<keyof AiSdkOptions, ArgumentCheck>),
);

export const TOOL_SET_CHECKS: MethodChecks<ToolSets> = {
  forAiSdk: { options: aiSdkOptions },
  forOpenAI: { options },
  forAnthropic: { options },
  forLangChain: { options },
  forOpenAIAgents: { options },
  forGemini: { options },
  forMastra: { options },
};

export const LOCK_CHECKS: MethodChecks<ToolLock> = {
  accept: { tools: list, by: text },
  forget: { tools: list },
};
