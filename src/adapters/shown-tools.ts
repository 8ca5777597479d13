/**
 * Which tools of a crib a model is shown, in the schema dialect of its provider, and the check of the
 * options that choose them.
 */
import type { CatalogEntry, ModelTools } from '../contract/catalog.ts';
import type { Crib } from '../contract/crib.ts';
import { ToolFailure } from '../contract/errors.ts';
import type { JsonSchema } from '../contract/schema.ts';
import type { AiSdkOptions, ToolSetOptions } from '../contract/tool-sets.ts';
import {
  type ArgumentCheck,
  crib as aCrib,
  fields,
  flag,
  list,
  name,
  object,
  oneOf,
  optional,
  text,
  texts,
} from '../kit/data/check-arguments.ts';
import { lazy } from '../kit/data/lazy.ts';
import {
  CALL_TOOL,
  DESCRIBE_TOOL,
  SEARCH_TOOLS,
  type ToolSchemas,
} from '../kit/model/meta-tools.ts';

/** A tool as its definition for one provider has it. */
export interface ShownTool {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly strict: boolean;
}

export type Dialect = 'openai' | 'anthropic' | 'gemini';

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly input_schema?: JsonSchema;
  readonly parameters?: JsonSchema;
  readonly strict?: boolean;
}

const shownTool = (definition: Readonly<Record<string, unknown>>): ShownTool => {
  const { name, description, ...rest } = (definition.function ?? definition) as Definition;
  const schema = rest.parameters ?? rest.input_schema ?? {};
  return { name, description, schema, strict: rest.strict ?? false };
};

/** Catalog entries by wire name. */
export type Entries = ReadonlyMap<string, CatalogEntry>;

/** Chooses the tools to show, by wire name. Fails with TOOL_NOT_FOUND for a name that does not exist. */
export const chosenTools = ({ tools }: Crib, { filter, names }: ToolSetOptions): Entries => {
  const unknown = (names ?? []).filter((name) => !tools.has(name));
  if (unknown.length > 0) {
    throw new ToolFailure('TOOL_NOT_FOUND', `There is no tool called ${unknown.join(', ')}.`);
  }
  const chosen = names && new Set(names.map((name) => tools.get(name)?.tool.name));
  const entries = tools
    .list({ ...filter, enabled: true })
    .filter(({ quarantine, tool }) => !quarantine && (!chosen || chosen.has(tool.name)));
  return new Map(entries.map((entry) => [entry.wireName, entry]));
};

export const definitionsOf = (
  { tools }: Crib,
  { filter, dialect }: ToolSetOptions & { readonly dialect: Dialect },
  entries: Entries,
): { readonly shown: readonly ShownTool[]; readonly losses: ModelTools['losses'] } => {
  const { definitions, losses } = tools.forModel(dialect, filter);
  const names = new Set([...entries.values()].map(({ tool }) => tool.name));
  return {
    shown: definitions.map(shownTool).filter(({ name }) => entries.has(name)),
    losses: losses.filter(({ tool }) => names.has(tool)),
  };
};

/** Finds schemas by wire name; nothing for a tool whose input is no object. */
export type SchemasOf = (name: string) => ToolSchemas | undefined;

/** Reads the unchanged schemas of the version that is shown: the MCP dialect takes any schema. */
export const schemasOf = ({ tools }: Crib, { filter }: ToolSetOptions): SchemasOf => {
  const schemas = lazy(
    () =>
      new Map(
        tools
          .forModel('mcp', filter)
          .definitions.map((each) => [String(each.name), each as unknown as ToolSchemas]),
      ),
  );
  return (name) => schemas().get(name);
};

export const META_TOOLS: readonly ShownTool[] = [SEARCH_TOOLS, DESCRIBE_TOOL, CALL_TOOL].map(
  (tool) => ({
    ...tool,
    strict: false,
  }),
);

/** The fields of a filter are checked by the catalog, those of a caller with each call. */
const SET_OPTIONS = {
  filter: optional(object),
  names: optional(texts),
  caller: optional(object),
  surface: optional(oneOf('full', 'search')),
  scope: optional(name),
} satisfies Record<keyof ToolSetOptions, ArgumentCheck>;

export const SET_ARGUMENTS = { crib: aCrib, options: optional(fields(SET_OPTIONS)) };

export const AI_SDK_ARGUMENTS = {
  crib: aCrib,
  options: optional(
    fields({
      ...SET_OPTIONS,
      streamProgress: optional(flag),
      approvalParts: optional(fields({ decidedBy: text, messages: optional(list) })),
    } satisfies Record<keyof AiSdkOptions, ArgumentCheck>),
  ),
};
